#include "jobs/cells/area.hpp"
#include "jobs/cells/cell_mask.hpp"
#include "jobs/select/selection.hpp"
#include "jobs/test_worlds/old_documents_test.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

namespace orbis::jobs {
namespace {

const chunk::Chunk& area_chunk() {
    static const auto made = chunk::Chunk::decode(Bytes(test_worlds::plain())).value();
    return made;
}

CellSet cells_of(const Area& area, ChunkPos pos) {
    CellSet cells;
    area.choose(pos, area_chunk(), world::Assets::built_in(), cells);
    return cells;
}

BlockPos block_at(ChunkPos pos, int y, CellIndex cell) {
    return {pos.x * k_side + cell.x(), y * k_side + cell.y(), pos.z * k_side + cell.z()};
}

/// Every cell of a chunk is chosen exactly if the shape contains it.
template <typename Shape>
void expect_exact(const Shape& shape) {
    Area area;
    area.add(shape);
    std::uint64_t all = 0;
    for (int x = -3; x <= 2; ++x)
        for (int z = -3; z <= 2; ++z) {
            const ChunkPos pos{x, z};
            const auto cells = cells_of(area, pos);
            if (!area.touches(pos)) {
                RC_ASSERT(cells.empty());
                continue;
            }
            for (int y = 0; y < k_sections; ++y)
                for (int i = 0; i < k_cells; i += 37) {
                    const auto at = block_at(pos, y, CellIndex(i));
                    RC_ASSERT(cells.contains(y, CellIndex(i)) == shape.contains(at));
                    RC_ASSERT(cells.contains(y, CellIndex(i)) == area.contains(at));
                }
            all += cells.count();
            CellSet missing;
            area.choose_missing(pos, missing);
            RC_ASSERT(missing.count() == cells.count());
        }
    RC_ASSERT(all > 0);
}

RC_GTEST_PROP(Area, ShapesHaveExactlyTheirCells, ()) {
    const auto coordinate = [] { return *rc::gen::inRange(-60, 60); };
    const BlockPos centre{coordinate(), *rc::gen::inRange(0, 320), coordinate()};
    switch (*rc::gen::inRange(0, 3)) {
    case 0: expect_exact(BlockSphere{centre, *rc::gen::inRange(0, 30)}); break;
    case 1: expect_exact(BlockCylinder{centre, *rc::gen::inRange(0, 30), *rc::gen::inRange(1, 50)}); break;
    default: {
        const BlockPos other{coordinate(), *rc::gen::inRange(0, 320), coordinate()};
        expect_exact(BlockBox{
            {std::min(centre.x, other.x), std::min(centre.y, other.y), std::min(centre.z, other.z)},
            {std::max(centre.x, other.x), std::max(centre.y, other.y), std::max(centre.z, other.z)}});
    }
    }
}

TEST(Area, IsReadAsPeopleWriteIt) {
    const auto sphere = BlockSphere::parse("1,-2,3~4").value();
    EXPECT_EQ(sphere.centre, (BlockPos{1, -2, 3}));
    EXPECT_EQ(sphere.radius, 4);
    EXPECT_EQ(BlockCylinder::parse("1,2,3~4+5")->height, 5);
    EXPECT_EQ(BlockCylinder::parse("1,2,3~4")->height, 1);
    for (const auto* text : {"", "1,2,3", "1,2,3~", "1,2,3~-1", "1,2,3~4x", "1,2~3", "99999999999,2,3~4"})
        EXPECT_FALSE(BlockSphere::parse(text)) << text;
    for (const auto* text : {"1,2,3~4+0", "1,2,3~4+", "1,2,3"})
        EXPECT_FALSE(BlockCylinder::parse(text)) << text;
}

TEST(Area, BoxesOutsideOfTheWorldAreRefused) {
    for (const auto* text : {"0,-1,0..1,5,1", "0,0,0..1,320,1", "67108864,0,0..67108865,1,1"}) {
        Area area;
        area.add(BlockBox::parse(text).value());
        EXPECT_EQ(area.check().error().code, Errc::usage) << text;
    }
    Area area;
    area.add(BlockSphere{{0, 2, 0}, 10});
    EXPECT_TRUE(area.check()) << "a sphere may reach into the ground";
}

TEST(Area, AHugeAreaIsNotListed) {
    Area area;
    area.add(BlockBox{{-(1 << 25), 0, -(1 << 25)}, {1 << 25, 319, 1 << 25}});
    EXPECT_TRUE(area.check());
    EXPECT_FALSE(area.chunks());
    EXPECT_TRUE(area.touches({5, 5}));
}

TEST(Area, ASurfaceIsTheTopOfEachColumn) {
    Area area;
    area.limit_to_surface(2);
    const auto cells = cells_of(area, {0, 0});
    EXPECT_EQ(cells.count(), 2U * k_columns);
    EXPECT_TRUE(cells.contains(BlockPos{0, 32, 0})) << "grass on stone";
    EXPECT_TRUE(cells.contains(BlockPos{1, 31, 0}));
    EXPECT_TRUE(cells.contains(BlockPos{1, 30, 0}));
    EXPECT_FALSE(cells.contains(BlockPos{1, 29, 0}));
    EXPECT_TRUE(cells.contains(BlockPos{4, 31, 1})) << "wheat is transparent";
}

TEST(Area, TheEdgeOfTheWorldIsInsideAndTheNextBlockIsNot) {
    const auto is_inside = [](const BlockBox& box) {
        Area area;
        area.add(box);
        Area single;
        single.add(std::vector{box.least, box.most});
        EXPECT_EQ(area.check().has_value(), single.check().has_value());
        return area.check().has_value();
    };
    constexpr int k_reach = 67108864;
    EXPECT_TRUE(is_inside({{-k_reach, 0, -k_reach}, {k_reach - 1, 319, k_reach - 1}}));
    EXPECT_FALSE(is_inside({{-k_reach - 1, 0, 0}, {0, 0, 0}}));
    EXPECT_FALSE(is_inside({{0, 0, 0}, {k_reach, 0, 0}}));
    EXPECT_FALSE(is_inside({{0, 0, -k_reach - 1}, {0, 0, 0}}));
    EXPECT_FALSE(is_inside({{0, 0, 0}, {0, 0, k_reach}}));
    EXPECT_FALSE(is_inside({{0, -1, 0}, {0, 0, 0}}));
    EXPECT_FALSE(is_inside({{0, 0, 0}, {0, 320, 0}}));
    Area area;
    area.add(std::vector{BlockPos{1, 320, 2}});
    const auto refused = area.check();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().problem, "block 1,320,2 is not inside the world");
    EXPECT_EQ(refused.error().advice, "y goes from 0 to 319, x and z from -67108864 to 67108863");
    // Round shapes must touch the world.
    for (const auto& [sphere, touches] :
         {std::pair{BlockSphere{{0, -10, 0}, 10}, true}, std::pair{BlockSphere{{0, -11, 0}, 10}, false},
          std::pair{BlockSphere{{0, 329, 0}, 10}, true}, std::pair{BlockSphere{{0, 330, 0}, 10}, false}}) {
        Area round;
        round.add(sphere);
        EXPECT_EQ(round.check().has_value(), touches) << sphere.centre.y;
    }
}

TEST(Area, ChunksAreListedOnceAndInOrderUpToAMillion) {
    Area area;
    area.add(BlockBox{{31, 0, -1}, {32, 5, 0}});
    area.add(std::vector{BlockPos{40, 5, 5}, BlockPos{-1, 0, 0}, BlockPos{-2, 0, 0}});
    EXPECT_EQ(area.chunks(), (std::vector<ChunkPos>{{-1, 0}, {0, -1}, {0, 0}, {1, -1}, {1, 0}}));
    area.limit_to_chunks([](ChunkPos pos) { return pos.x > 0; }, {});
    EXPECT_EQ(area.chunks(), (std::vector<ChunkPos>{{1, -1}, {1, 0}}));
    const auto listed = [](int x, int z) {
        Area box;
        box.add(BlockBox{{0, 0, 0}, {x * 32 - 1, 0, z * 32 - 1}});
        return box.chunks() ? box.chunks()->size() : 0;
    };
    EXPECT_EQ(listed(1024, 1024), 1U << 20);
    EXPECT_EQ(listed(1024, 1025), 0U);
    Area limited;
    EXPECT_EQ(limited.chunks(), std::nullopt) << "everything";
    EXPECT_TRUE(limited.is_everything());
    limited.limit_to_chunks([](ChunkPos pos) { return pos == ChunkPos{2, 3}; }, std::vector{ChunkPos{2, 3}});
    EXPECT_EQ(limited.chunks(), std::vector{(ChunkPos{2, 3})});
    EXPECT_FALSE(limited.is_everything());
    limited.limit_to_chunks([](ChunkPos) { return true; }, std::nullopt);
    EXPECT_EQ(limited.chunks(), std::nullopt) << "too many to be listed";
}

TEST(Area, WithoutShapesItHasAllCellsOfTheChunksThatItIsLimitedTo) {
    constexpr std::size_t k_all = std::size_t{k_cells} * k_sections;
    Area area;
    EXPECT_TRUE(area.contains({5, 0, 5}));
    EXPECT_TRUE(area.contains({5, 319, 5}));
    EXPECT_FALSE(area.contains({5, -1, 5}));
    EXPECT_FALSE(area.contains({5, 320, 5}));
    EXPECT_TRUE(area.touches({-7, 7}));
    EXPECT_EQ(cells_of(area, {0, 0}).count(), k_all);
    CellSet missing;
    area.choose_missing({0, 0}, missing);
    EXPECT_EQ(missing.count(), k_all);
    area.limit_to_chunks([](ChunkPos pos) { return pos == ChunkPos{1, 0}; }, std::vector{ChunkPos{1, 0}});
    EXPECT_TRUE(area.contains({32, 0, 31}));
    EXPECT_FALSE(area.contains({31, 0, 31}));
    EXPECT_TRUE(area.touches({1, 0}));
    EXPECT_FALSE(area.touches({0, 0}));
    EXPECT_TRUE(cells_of(area, {0, 0}).empty());
    CellSet none;
    area.choose_missing({0, 0}, none);
    EXPECT_TRUE(none.empty());
    area.choose_missing({1, 0}, none);
    EXPECT_EQ(none.count(), k_all);
    Area surface;
    surface.limit_to_surface(1);
    CellSet top;
    surface.choose_missing({0, 0}, top);
    EXPECT_TRUE(top.empty()) << "a chunk that is not there has no surface";
    EXPECT_FALSE(surface.is_everything());
}

TEST(Area, SinglePositionsAreCellsOfTheirChunk) {
    Area area;
    area.add(std::vector{BlockPos{33, 7, -1}, BlockPos{33, 7, -1}, BlockPos{34, 319, -32}});
    EXPECT_TRUE(area.contains({33, 7, -1}));
    EXPECT_FALSE(area.contains({33, 8, -1}));
    EXPECT_FALSE(area.contains({1, 7, -1})) << "the same cell of another chunk";
    EXPECT_TRUE(area.touches({1, -1}));
    EXPECT_FALSE(area.touches({0, -1}));
    const auto cells = cells_of(area, {1, -1});
    EXPECT_EQ(cells.count(), 2U);
    EXPECT_TRUE(cells.contains(BlockPos{33, 7, -1}));
    CellSet missing;
    area.choose_missing({1, -1}, missing);
    EXPECT_EQ(missing.count(), 2U);
    area.choose_missing({0, 0}, missing);
    EXPECT_EQ(missing.count(), 2U);
    Area nothing;
    nothing.add(std::vector<BlockPos>{});
    EXPECT_FALSE(nothing.contains({0, 0, 0})) << "none is not everything";
    EXPECT_FALSE(nothing.touches({0, 0}));
    EXPECT_FALSE(nothing.is_everything());
    EXPECT_EQ(nothing.chunks()->size(), 0U);
    EXPECT_TRUE(cells_of(nothing, {0, 0}).empty());
    Area both;
    both.add(std::vector{BlockPos{0, 1, 0}});
    both.add(BlockBox{{2, 1, 0}, {3, 1, 0}});
    EXPECT_EQ(cells_of(both, {0, 0}).count(), 3U);
    EXPECT_TRUE(both.contains({3, 1, 0}));
    EXPECT_FALSE(both.contains({1, 1, 0}));
}

TEST(Area, WholeLayersEndWithTheBox) {
    for (const auto& [low, high] : {std::pair{0, 319}, std::pair{0, 0}, std::pair{31, 32}, std::pair{5, 40},
                                    std::pair{32, 63}, std::pair{319, 319}, std::pair{63, 64}}) {
        Area area;
        area.add(BlockBox{{-32, low, 32}, {-1, high, 63}});
        const auto cells = cells_of(area, {-1, 1});
        EXPECT_EQ(cells.count(), static_cast<std::size_t>(high - low + 1) * k_columns) << low << " " << high;
        for (const int y : {low, high}) {
            EXPECT_TRUE(cells.contains(BlockPos{-32, y, 32}));
            EXPECT_TRUE(cells.contains(BlockPos{-1, y, 63}));
        }
    }
}

TEST(Area, ASurfaceIsAsDeepAsTheGroundGoes) {
    const auto chunk = [](int height) {
        auto made = chunk::Chunk::create();
        if (height >= 0) {
            EXPECT_TRUE(made.set_block({4, height, 9}, {"Rock_Stone", {}, {}}));
        }
        return made;
    };
    for (const auto& [height, depth, expected] :
         {std::tuple{0, 1, 1U}, std::tuple{0, 5, 1U}, std::tuple{1, 5, 2U}, std::tuple{4, 5, 5U},
          std::tuple{5, 5, 5U}, std::tuple{319, 3, 3U}, std::tuple{64, 40, 40U}, std::tuple{-1, 3, 0U}}) {
        Area area;
        area.limit_to_surface(depth);
        CellSet cells;
        area.choose({0, 0}, chunk(height), world::Assets::built_in(), cells);
        EXPECT_EQ(cells.count(), expected) << height << " " << depth;
        if (height >= 0) {
            EXPECT_TRUE(cells.contains(BlockPos{4, height, 9}));
        }
    }
}

TEST(CellMask, LeavesCellsByBlockByWhatIsAboveAndByEnvironment) {
    const auto narrowed = [](const CellMask& mask) {
        CellSet cells;
        for (int y = 0; y < k_sections; ++y) cells.insert_all(y);
        mask.narrow(area_chunk(), cells);
        return cells;
    };
    CellMask stone;
    stone.blocks = KeyPatterns::parse("Rock_*,!Rock_Marble").value();
    EXPECT_EQ(narrowed(stone).count(), std::size_t{k_cells});
    CellMask below_air;
    below_air.blocks = KeyPatterns::parse("!Empty").value();
    below_air.above = KeyPatterns::parse("Empty").value();
    const auto cells = narrowed(below_air);
    EXPECT_FALSE(cells.contains(BlockPos{0, 31, 0})) << "below grass";
    EXPECT_TRUE(cells.contains(BlockPos{1, 31, 0}));
    EXPECT_EQ(cells.count(), std::size_t{k_columns});
    CellMask caves;
    caves.environments = KeyPatterns::parse("Env_Caves").value();
    EXPECT_EQ(narrowed(caves).count(), 31U * k_columns) << "up to and with y 30";
    EXPECT_FALSE(KeyPatterns::parse("a,,b"));
    EXPECT_FALSE(KeyPatterns::parse("!"));
}

} // namespace
} // namespace orbis::jobs
