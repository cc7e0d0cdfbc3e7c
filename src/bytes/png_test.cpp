#include "bytes/atomic_file.hpp"
#include "bytes/file.hpp"
#include "bytes/png.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <spng.h>
#include <string>

namespace orbis {
namespace {

Buffer decoded(Bytes png, std::uint32_t& width, std::uint32_t& height) {
    const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(0), &spng_ctx_free);
    spng_ihdr header{};
    std::size_t size = 0;
    EXPECT_EQ(spng_set_png_buffer(context.get(), png.data(), png.size()), 0);
    EXPECT_EQ(spng_get_ihdr(context.get(), &header), 0);
    EXPECT_EQ(spng_decoded_image_size(context.get(), SPNG_FMT_RGB8, &size), 0);
    Buffer out(size);
    EXPECT_EQ(spng_decode_image(context.get(), out.data(), size, SPNG_FMT_RGB8, 0), 0);
    width = header.width;
    height = header.height;
    return out;
}

TEST(Png, WhatIsWrittenReadsBackPixelByPixel) {
    Picture picture(37, 19, 0x102030);
    for (int i = 0; i < 300; ++i) picture.set(i * 7 % 41 - 2, i * 5 % 23 - 2, static_cast<Rgb>(i * 0x010307));
    picture.fill(30, 10, 100, 100, 0xFFFFFF);
    picture.fill(-5, -5, 7, 7, 0xFF0000);
    EXPECT_EQ(picture.at(36, 18), 0xFFFFFFU);
    EXPECT_EQ(picture.at(1, 1), 0xFF0000U);
    const auto png = encode_png(picture);
    ASSERT_TRUE(png) << png.error().text();
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    const auto pixels = decoded(*png, width, height);
    EXPECT_EQ(width, 37U);
    EXPECT_EQ(height, 19U);
    EXPECT_TRUE(std::ranges::equal(pixels, picture.bytes()));
}

TEST(Png, AFileIsWrittenWholeOrNotAtAll) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(write_png(folder / "a.png", Picture(2, 2, 0)));
    EXPECT_GT(std::filesystem::file_size(folder / "a.png"), 60U);
    const auto problem = write_png(folder / "missing" / "a.png", Picture(2, 2, 0));
    ASSERT_FALSE(problem);
    EXPECT_NE(problem.error().file.find("missing"), std::string::npos);
    EXPECT_FALSE(write_png(folder / "none.png", Picture())) << "PNG has no picture without pixels";
    EXPECT_FALSE(std::filesystem::exists(folder / "none.png"));
}

TEST(Png, OnlyANewPlaceOrAPictureIsWrittenTo) {
    const test::TemporaryFolder folder;
    const auto path = folder / "a.png";
    for (const std::string text : {"x", "\x89PN", "\x88PNG", "text that is longer"}) {
        ASSERT_TRUE(write_file_atomically(path, as_bytes(text)));
        EXPECT_EQ(write_png(path, Picture(1, 1, 0)).error().code, Errc::exists) << text;
        EXPECT_EQ(read_text(*open_file(path, FileMode::read).value(), 100).value(), text);
    }
    for (const std::string text : {"", "\x89PNG", "\x89PNG and more"}) {
        ASSERT_TRUE(write_file_atomically(path, as_bytes(text)));
        EXPECT_TRUE(write_png(path, Picture(1, 1, 0))) << text;
    }
    std::filesystem::create_directory(folder / "folder.png");
    EXPECT_EQ(check_picture_place(folder / "folder.png").error().code, Errc::exists);
}

TEST(Png, ARectangleHasItsFirstAndItsLastPixelAndNoMore) {
    Picture picture(6, 5, 0);
    picture.fill(1, 2, 3, 2, 0xABCDEF);
    picture.set(5, 4, 0x123456);
    picture.set(6, 0, 1);
    picture.set(0, 5, 1);
    picture.set(-1, 1, 1);
    for (std::uint32_t y = 0; y < 5; ++y)
        for (std::uint32_t x = 0; x < 6; ++x) {
            const bool filled = x >= 1 && x <= 3 && y >= 2 && y <= 3;
            EXPECT_EQ(picture.at(x, y), filled             ? 0xABCDEFU
                                        : x == 5 && y == 4 ? 0x123456U
                                                           : 0U)
                << x << "," << y;
        }
}

} // namespace
} // namespace orbis
