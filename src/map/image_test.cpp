#include "jobs/test_worlds/old_documents_test.hpp"
#include "map/compare_test.hpp"
#include "map/image.hpp"
#include "map/made_chunks_test.hpp"
#include "storage/region_store.hpp"
#include "support/png_pixels.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orbis::map {
namespace {

/// A world of random chunks in region files.
struct MadeWorld {
    test::TemporaryFolder folder;
    std::unique_ptr<storage::RegionStore> store;
    reference::World reference;
    std::vector<ChunkPos> chunks;

    MadeWorld(std::mt19937_64& random, std::vector<ChunkPos> places) : chunks(std::move(places)) {
        store = storage::open_region_store(storage::Folder(storage::open_disk_tree(folder / "chunks")),
                                           {.write = true, .create = true})
                    .value();
        for (const auto pos : chunks) {
            auto document = made::document(made::random_content(random, pos));
            EXPECT_TRUE(store->write(pos, document));
            reference.add(pos, std::move(document));
        }
    }

    Result<ImageReport> draw(const ImageOptions& options) const {
        NoProgress quiet;
        return write_image(*store, Colours(world::Assets::built_in()), options, folder / "map.png", quiet);
    }

    /// Compares the picture with the reference; chunks that are not `shown` are transparent in it.
    void expect_picture(const ImageReport& report, Layer layer, const std::vector<ChunkPos>& shown) const {
        const auto png = test::read_png(folder / "map.png");
        ASSERT_EQ(png.width, report.width);
        ASSERT_EQ(png.height, report.height);
        std::size_t wrong = 0;
        for (std::uint32_t row = 0; row < png.height; ++row)
            for (std::uint32_t column = 0; column < png.width; ++column) {
                const int x = report.first.x * 32 + static_cast<int>(column);
                const int z = report.first.z * 32 + static_cast<int>(row);
                Rgba expected;
                if (std::ranges::find(shown, BlockPos{x, 0, z}.chunk()) != shown.end())
                    expected = reference.pixel(layer, x, z);
                const auto* p = &png.pixels[(std::size_t{row} * png.width + column) * 4];
                wrong += Rgba{p[0], p[1], p[2], p[3]} == expected ? 0U : 1U;
            }
        EXPECT_EQ(wrong, 0U);
    }
};

TEST(Image, SpansTheChunksThatExistAndHasThePixelsOfTheReference) {
    SEEDED_RANDOM(random);
    // Beside each other, across a region border and below zero; rows that are missing; alone.
    MadeWorld world(random,
                    {{-2, -33}, {-1, -33}, {0, -33}, {-2, -32}, {0, -32}, {-1, -31}, {1, -28}, {1, -27}});
    for (const auto threads : {1U, 3U})
        for (const Layer layer : {Layer{}, Layer{LayerKind::height, 0}}) {
            const auto report = world.draw({.layer = layer, .threads = threads});
            ASSERT_TRUE(report) << report.error().text();
            EXPECT_EQ(report->chunks, 8);
            EXPECT_EQ(report->first, (ChunkPos{-2, -33}));
            EXPECT_EQ(report->width, 4U * 32);
            EXPECT_EQ(report->height, 7U * 32);
            EXPECT_TRUE(report->problems.empty());
            world.expect_picture(*report, layer, world.chunks);
        }
}

TEST(Image, APartOfAWorldIsShadedWithTheChunksAroundIt) {
    SEEDED_RANDOM(random);
    MadeWorld world(random, {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {9, 9}});
    const std::vector<ChunkPos> shown{{1, 1}, {2, 1}, {1, 2}, {7, 7}};
    const jobs::ChunkSet only(shown);
    const auto report = world.draw({.layer = {}, .only = &only, .threads = 2});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, 3);
    EXPECT_EQ(report->first, (ChunkPos{1, 1}));
    EXPECT_EQ(report->width, 64U);
    EXPECT_EQ(report->height, 64U);
    world.expect_picture(*report, {}, shown);
}

TEST(Image, WhatIsNotBrightIsGreyAndKeepsItsShade) {
    SEEDED_RANDOM(random);
    MadeWorld world(random, {{0, 0}, {1, 0}, {0, 1}});
    ASSERT_TRUE(world.draw({.layer = {}, .threads = 1}));
    const auto whole = test::read_png(world.folder / "map.png");
    const jobs::ChunkSet bright(std::vector<ChunkPos>{{1, 0}});
    ASSERT_TRUE(world.draw({.layer = {}, .bright = &bright, .threads = 1}));
    const auto faded = test::read_png(world.folder / "map.png");
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < whole.pixels.size(); i += 4) {
        const bool is_bright = i / 4 % whole.width >= 32 && i / 4 / whole.width < 32;
        const auto grey = static_cast<std::uint8_t>(
            (whole.pixels[i] * 3 + whole.pixels[i + 1] * 6 + whole.pixels[i + 2]) / 20);
        for (std::size_t c = 0; c < 4; ++c)
            wrong += faded.pixels[i + c] == (is_bright || c == 3 ? whole.pixels[i + c] : grey) ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U);
}

TEST(Image, AChunkThatCannotBeReadIsLeftOutAndReported) {
    SEEDED_RANDOM(random);
    MadeWorld world(random, {{0, 0}, {1, 0}});
    ASSERT_TRUE(world.store->write({2, 0}, as_bytes("this is no document")));
    const auto report = world.draw({.layer = {}, .threads = 2});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->width, 96U);
    ASSERT_EQ(report->problems.size(), 1U);
    EXPECT_NE(report->problems[0].text().find("chunk 2,0"), std::string::npos);
    world.expect_picture(*report, {}, world.chunks);
}

TEST(Image, OfADamagedChunkTheRestIsDrawnAndAllThatIsMissingIsTold) {
    SEEDED_RANDOM(random);
    MadeWorld world(random, {{0, 0}});
    ASSERT_TRUE(world.store->write({1, 0}, jobs::test_worlds::damaged_document()));
    ASSERT_TRUE(world.store->put_bytes({2, 0}, as_bytes("no blob at all")));
    std::ofstream(world.folder / "chunks" / "5.5.region.bin") << "noise";
    const auto store =
        storage::open_region_store(storage::Folder(storage::open_disk_tree(world.folder / "chunks")), {})
            .value();
    NoProgress quiet;
    const auto report =
        write_image(*store, Colours(world::Assets::built_in()), {}, world.folder / "map.png", quiet);
    ASSERT_TRUE(report) << report.error().text();
    std::string all;
    for (const auto& problem : report->problems) all += problem.text() + '\n';
    EXPECT_EQ(report->problems.size(), 3U) << all;
    for (const std::string part : {"5.5.region.bin", "chunk 2,0", "chunk 1,0", "section 0, Block"})
        EXPECT_NE(all.find(part), std::string::npos) << all;
}

TEST(Image, AWorldThatIsTooWideIsRefusedBeforeAnythingIsRead) {
    SEEDED_RANDOM(random);
    MadeWorld world(random, {{0, 0}, {2048, 0}});
    const auto report = world.draw({.layer = {}, .threads = 1});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Errc::too_large);
    EXPECT_FALSE(report.error().advice.empty());
    EXPECT_FALSE(std::filesystem::exists(world.folder / "map.png"));
}

TEST(Image, AWorldWithoutChunksHasNoPicture) {
    SEEDED_RANDOM(random);
    const MadeWorld world(random, {});
    const auto report = world.draw({.layer = {}, .threads = 1});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Errc::not_found);
}

} // namespace
} // namespace orbis::map
