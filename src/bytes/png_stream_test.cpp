#include "bytes/atomic_file.hpp"
#include "bytes/png_stream.hpp"
#include "support/png_pixels.hpp"
#include "support/power_cut.hpp"
#include "support/shared.hpp"
#include "support/traced_run.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iterator>

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

/// Rows of noise that come to more than is gathered before it is written.
Result<void> write_noise(const std::filesystem::path& path) {
    TRY(auto png, PngStream::create(path, 300, 300));
    std::uint32_t x = 1;
    for (int y = 0; y < 300; ++y) {
        Buffer row(1200);
        for (auto& byte : row) byte = static_cast<std::uint8_t>((x = x * 1664525 + 1013904223) >> 24);
        TRY_DO(png.row(row));
    }
    return png.finish();
}

TEST(PngStream, APowerCutLeavesTheOldPictureOrTheWholeNewOne) {
    const test::TemporaryFolder folder;
    const auto path = folder / "picture.png";
    ASSERT_TRUE(write_noise(path));
    const auto whole = test::read_folder(folder.path());
    test::write_folder(folder.path(), {{"picture.png", "\x89PNG, an old one"}});
    const auto run = test::after_power_cuts(
        folder.path(), [&] { return write_noise(path) ? 0 : 1; },
        [&](const test::PowerCut& cut) {
            const auto found = test::read_folder(folder.path()).at("picture.png");
            const bool is_new = found == whole.at("picture.png");
            EXPECT_TRUE(is_new || (!cut.finished && found == "\x89PNG, an old one")) << cut.lost;
        });
    EXPECT_EQ(run.exit_code, 0);
}

TEST(PngStream, AFullDiskIsSaidAndNothingStays) {
    const test::TemporaryFolder folder;
    const auto write = [&] {
        const auto written = write_noise(folder / "picture.png");
        return written ? 0 : written.error().code == Errc::no_space ? 1 : 2;
    };
    const auto count = test::trace_run(folder.path(), write).count;
    for (std::size_t at = 1; at < count; ++at) {
        test::write_folder(folder.path(), {});
        const auto run = test::trace_run(folder.path(), write, {test::TracedFault::Kind::full, at, 0});
        EXPECT_LE(run.exit_code, 1) << at;
        EXPECT_EQ(test::read_folder(folder.path()).size(), run.exit_code == 0 ? 1U : 0U) << at;
    }
}

TEST(PngStream, APictureThatFindsItsPlaceTakenAtTheEndIsRemoved) {
    const test::TemporaryFolder folder;
    const auto path = folder / "picture.png";
    {
        auto png = PngStream::create(path, 1, 1).value();
        ASSERT_TRUE(png.row(Buffer(4)));
        std::filesystem::create_directory(path);
        EXPECT_EQ(png.finish().error().code, Errc::exists);
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

} // namespace
} // namespace orbis
