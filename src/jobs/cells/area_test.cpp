#include "jobs/cells/area.hpp"
#include "jobs/cells/cell_mask.hpp"
#include "jobs/select/selection.hpp"
#include "jobs/test_worlds/old_documents_test.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
