#include "bytes/atomic_file.hpp"
#include "bytes/png_stream.hpp"
#include "support/png_pixels.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace orbis {
namespace {

TEST(PngStream, RowsReadBackAsTheyWereWritten) {
    const test::TemporaryFolder folder;
    const auto path = folder / "picture.png";
    constexpr std::uint32_t k_width = 301;
    constexpr std::uint32_t k_height = 997;
    Buffer all;
    auto png = PngStream::create(path, k_width, k_height);
    ASSERT_TRUE(png) << png.error().text();
    for (std::uint32_t y = 0; y < k_height; ++y) {
        Buffer row;
        for (std::uint32_t i = 0; i < k_width * 4; ++i)
            row.push_back(static_cast<std::uint8_t>((i * 2654435761U ^ y * 40503U) >> 13));
        ASSERT_TRUE(png->row(row));
        all.insert(all.end(), row.begin(), row.end());
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(png->finish());
    const auto read = test::read_png(path);
    EXPECT_EQ(read.width, k_width);
    EXPECT_EQ(read.height, k_height);
    EXPECT_TRUE(read.pixels == all);
}

TEST(PngStream, APictureThatIsNotFinishedLeavesNothingBehind) {
    const test::TemporaryFolder folder;
    {
        auto png = PngStream::create(folder / "picture.png", 4, 4);
        ASSERT_TRUE(png);
        ASSERT_TRUE(png->row(Buffer(16)));
        const auto early = png->finish();
        ASSERT_FALSE(early);
        EXPECT_EQ(early.error().code, Errc::usage);
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(png->row(Buffer(16)));
        EXPECT_FALSE(png->row(Buffer(16)));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PngStream, OnlyAnOlderPictureIsReplaced) {
    const test::TemporaryFolder folder;
    const auto path = folder / "world.bin";
    ASSERT_TRUE(write_file_atomically(path, as_bytes("chunks that nobody wants to lose")));
    const auto refused = PngStream::create(path, 1, 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::exists);
    for (int round = 0; round < 2; ++round) {
        auto png = PngStream::create(folder / "picture.png", 1, 1);
        ASSERT_TRUE(png);
        ASSERT_TRUE(png->row(Buffer(4, static_cast<std::uint8_t>(round))));
        ASSERT_TRUE(png->finish());
        EXPECT_EQ(test::read_png(folder / "picture.png").pixels, Buffer(4, static_cast<std::uint8_t>(round)));
    }
}

TEST(PngStream, AFolderThatIsNotThereIsAnError) {
    const test::TemporaryFolder folder;
    EXPECT_FALSE(PngStream::create(folder / "none" / "picture.png", 1, 1));
    EXPECT_FALSE(PngStream::create(folder / "picture.png", 0, 1));
}

} // namespace
} // namespace orbis
