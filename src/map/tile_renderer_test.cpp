#include "map/compare_test.hpp"
#include "map/tile_renderer.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

namespace orbis::map {
namespace {

/// Chunks on both sides of the borders of tiles and regions, below zero too, with gaps.
const std::vector<ChunkPos> k_places{{-1, -1}, {0, -1}, {-1, 0}, {0, 0},  {1, 0},  {15, 3},  {16, 3},
                                     {16, 4},  {15, 2}, {31, 5}, {32, 5}, {32, 6}, {-17, 0}, {-16, 0}};

TEST(TileRenderer, EveryPixelIsThatOfTheReference) {
    const test::TemporaryFolder folder;
    world::made::MadeWorld world(folder / "world");
    const auto& assets = world::Assets::built_in();
    reference::World expected(assets);
    for (const auto pos : k_places) {
        const auto seed = static_cast<std::uint32_t>(pos.x * 131 + pos.z * 7 + 5000);
        auto document = world::made::document(pos, seed);
        world.put(pos, document);
        expected.add(pos, std::move(document));
    }
    const Colours colours(assets);
    TileRenderer renderer(world.store(), colours);
    TilePixels pixels;
    TilePixels wanted;
    for (const Layer layer :
         {Layer{LayerKind::surface, 0}, Layer{LayerKind::slice, 12}, Layer{LayerKind::height, 0}}) {
        std::size_t seen = 0;
        for (const TilePos tile : {TilePos{-2, 0}, TilePos{-1, -1}, TilePos{0, -1}, TilePos{-1, 0},
                                   TilePos{0, 0}, TilePos{1, 0}, TilePos{2, 0}}) {
            SCOPED_TRACE(fmt::format("{} {},{}", id(layer), tile.x, tile.z));
            const auto something = renderer.render(layer, tile, pixels);
            ASSERT_TRUE(something) << something.error().text();
            EXPECT_TRUE(*something);
            wanted.clear();
            for (const auto pos : k_places) {
                if (TilePos::of(pos) != tile) continue;
                for (int i = 0; i < k_columns; ++i) {
                    const int x = pos.x * 32 + i % 32;
                    const int z = pos.z * 32 + i / 32;
                    const auto pixel = expected.pixel(layer, x, z);
                    seen += pixel.a != 0 ? 1U : 0U;
                    *wanted.at(x - tile.x * k_tile_side, z - tile.z * k_tile_side) = pixel;
                }
            }
            expect_same(pixels, wanted);
        }
        EXPECT_GT(seen, 10'000U);
    }
    EXPECT_FALSE(renderer.render({}, {5, 5}, pixels).value());
    EXPECT_FALSE(renderer.render({}, {1 << 30, -(1 << 30)}, pixels).value()) << "no world is that wide";
}

TEST(TileRenderer, AChunkThatCannotBeReadIsLeftOutAndTold) {
    const test::TemporaryFolder folder;
    world::made::MadeWorld world(folder / "world");
    world.put({0, 0}, 1);
    world.put({1, 0}, as_bytes("no document"));
    const Colours colours(world::Assets::built_in());
    TileRenderer renderer(world.store(), colours);
    TilePixels pixels;
    ASSERT_TRUE(renderer.render({}, {0, 0}, pixels).value());
    ASSERT_EQ(renderer.problems().size(), 1U);
    EXPECT_NE(renderer.problems()[0].text().find("chunk 1,0"), std::string::npos);
    EXPECT_EQ(pixels.get(31, 0).a, 255);
    EXPECT_EQ(pixels.get(32, 0).a, 0);
}

TEST(RegionHashes, TellWhichChunksChangedAndWhichTilesThatConcerns) {
    const test::TemporaryFolder folder;
    world::made::MadeWorld world(folder / "world");
    for (const auto pos : {ChunkPos{0, 0}, ChunkPos{5, 5}, ChunkPos{15, 9}, ChunkPos{31, 31}})
        world.put(pos, 3);
    storage::HashingReader reader(world.store());
    storage::RegionHashes before;
    storage::RegionHashes after;
    storage::hash_region(reader, {0, 0}, before);
    storage::hash_region(reader, {0, 0}, after);
    EXPECT_TRUE(storage::changed_chunks({0, 0}, before, after).empty());
    world.put({5, 5}, 4);
    world.put({6, 6}, 5);
    world.remove({15, 9});
    storage::hash_region(reader, {0, 0}, after);
    const auto changed = storage::changed_chunks({0, 0}, before, after);
    EXPECT_EQ(changed, (std::vector<ChunkPos>{{5, 5}, {6, 6}, {15, 9}}));
    EXPECT_EQ(tiles_around(changed), (std::vector<TilePos>{{0, 0}, {1, 0}}));
    EXPECT_EQ(tiles_around(std::vector<ChunkPos>{{0, 0}}),
              (std::vector<TilePos>{{-1, -1}, {-1, 0}, {0, -1}, {0, 0}}));
}

} // namespace
} // namespace orbis::map
