#include "chunk/block_cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace orbis::chunk {

namespace {

/// Cells in no chunk at all.
struct LooseCells {
    struct Cell {
        std::string key;
        Filler filler;
    };
    std::map<BlockPos, Cell> cells;
    mutable std::size_t looks = 0;

    void put(std::string_view key, BlockPos base, std::vector<BlockPos> offsets) {
        for (const auto& at : offsets)
            cells[{base.x + at.x, base.y + at.y, base.z + at.z}] = {std::string(key),
                                                                    Filler::of_offset(at.x, at.y, at.z)};
    }

    [[nodiscard]] std::vector<BlockPos> of(BlockPos pos) const {
        const auto here = cells.find(pos);
        const auto block =
            here == cells.end() ? BlockState{} : BlockState{here->second.key, {}, here->second.filler};
        return cells_of_block(pos, block, [&](BlockPos cell) -> std::optional<Filler> {
            ++looks;
            const auto found = cells.find(cell);
            if (found == cells.end() || found->second.key != block.key) return std::nullopt;
            return found->second.filler;
        });
    }
};

using Cells = std::vector<BlockPos>;

TEST(BlockCells, EachCellOfABlockLeadsToAllOfThem) {
    LooseCells world;
    const BlockPos base{31, 40, -1}; // at the corner of four chunks
    world.put("Table", base, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}});
    const Cells all{{31, 40, -1}, {31, 41, -1}, {32, 40, -1}, {32, 41, 0}};
    for (const auto cell : all) EXPECT_EQ(world.of(cell), all) << cell.x << ',' << cell.y << ',' << cell.z;
}

TEST(BlockCells, NeighboursOfTheSameKindAreLeftAlone) {
    LooseCells world;
    world.put("Table", {0, 10, 0}, {{0, 0, 0}, {1, 0, 0}});
    world.put("Table", {2, 10, 0}, {{0, 0, 0}, {1, 0, 0}});
    world.put("Chair", {0, 10, 1}, {{0, 0, 0}, {0, 1, 0}});
    EXPECT_EQ(world.of({1, 10, 0}), (Cells{{0, 10, 0}, {1, 10, 0}}));
    EXPECT_EQ(world.of({2, 10, 0}), (Cells{{2, 10, 0}, {3, 10, 0}}));
}

TEST(BlockCells, APartWithoutItsBaseStandsForItself) {
    LooseCells world;
    world.cells[{5, 10, 5}] = {"Table", Filler::of_offset(1, 0, 0)};
    EXPECT_EQ(world.of({5, 10, 5}), (Cells{{5, 10, 5}}));
    world.cells[{4, 10, 5}] = {"Table", Filler::of_offset(1, 0, 0)}; // a part too, so nobody's base
    EXPECT_EQ(world.of({5, 10, 5}), (Cells{{5, 10, 5}}));
    world.cells[{4, 10, 5}] = {"Chair", {}};
    EXPECT_EQ(world.of({5, 10, 5}), (Cells{{5, 10, 5}}));
    world.cells[{8, 3, 8}] = {"Table", Filler::of_offset(0, 4, 0)}; // its base would be below the world
    EXPECT_EQ(world.of({8, 3, 8}), (Cells{{8, 3, 8}}));
}

TEST(BlockCells, APartThatDoesNotTouchTheOthersIsNotLookedFor) {
    LooseCells world;
    world.put("Table", {0, 10, 0}, {{0, 0, 0}, {3, 0, 0}});
    EXPECT_EQ(world.of({0, 10, 0}), (Cells{{0, 10, 0}}));
    EXPECT_EQ(world.looks, 26U);
    EXPECT_EQ(world.of({3, 10, 0}), (Cells{{0, 10, 0}, {3, 10, 0}}))
        << "the cell itself always belongs to it";
}

TEST(BlockCells, EmptySpaceAndTheEndsOfTheWorldAreNotLookedAround) {
    LooseCells world;
    EXPECT_EQ(world.of({1, 2, 3}), (Cells{{1, 2, 3}}));
    constexpr auto k_last = std::numeric_limits<std::int32_t>::max();
    constexpr auto k_first = std::numeric_limits<std::int32_t>::min();
    for (const BlockPos pos : {BlockPos{k_last, 1, 0}, {0, 1, k_first}}) {
        world.cells[pos] = {"Table", Filler::of_offset(-1, 0, 1)};
        EXPECT_EQ(world.of(pos), (Cells{pos}));
    }
    EXPECT_EQ(world.looks, 0U);
    world.put("Table", {0, 0, 0}, {{0, 0, 0}});
    world.put("Table", {9, k_world_height - 1, 0}, {{0, 0, 0}});
    EXPECT_EQ(world.of({0, 0, 0}).size() + world.of({9, k_world_height - 1, 0}).size(), 2U);
    EXPECT_EQ(world.looks, 2U * 17) << "there is nothing below and above";
}

/// What blocks of the game have in worlds that its servers have written: the corners of their cells by yaw.
TEST(BlockCells, ATurnedBlockTakesTheCellsThatItHasInWorldsOfTheGame) {
    struct Seen {
        BlockExtent extent;
        Rotation rotation;
        BlockPos least, most;
    };
    constexpr BlockExtent counter{-1, 0, 0, 0, 0, 0};
    constexpr BlockExtent bed{0, 0, 0, 1, 1, 2};
    constexpr BlockExtent stalactite{0, 0, 0, 0, 1, 0};
    for (const auto& [extent, rotation, least, most] :
         {Seen{counter, {0}, {-1, 0, 0}, {0, 0, 0}}, Seen{counter, {1}, {0, 0, 0}, {0, 0, 1}},
          Seen{counter, {2}, {0, 0, 0}, {1, 0, 0}}, Seen{counter, {3}, {0, 0, -1}, {0, 0, 0}},
          Seen{bed, {0}, {0, 0, 0}, {1, 1, 2}}, Seen{bed, {1}, {0, 0, -1}, {2, 1, 0}},
          Seen{bed, {2}, {-1, 0, -2}, {0, 1, 0}}, Seen{stalactite, {3}, {0, 0, 0}, {0, 1, 0}},
          Seen{stalactite, {8}, {0, -1, 0}, {0, 0, 0}}, Seen{stalactite, {11}, {0, -1, 0}, {0, 0, 0}}}) {
        const auto fillers = fillers_of(extent, rotation);
        EXPECT_EQ(fillers.front(), Filler{});
        std::vector<BlockPos> found;
        for (const auto filler : fillers) found.push_back({filler.x(), filler.y(), filler.z()});
        std::ranges::sort(found);
        std::vector<BlockPos> expected;
        for (int x = least.x; x <= most.x; ++x)
            for (int y = least.y; y <= most.y; ++y)
                for (int z = least.z; z <= most.z; ++z) expected.push_back({x, y, z});
        std::ranges::sort(expected);
        EXPECT_EQ(found, expected) << int{rotation.index};
    }
    EXPECT_EQ(fillers_of({}, {35}), std::vector{Filler{}}) << "one cell";
}

TEST(BlockCells, NoTurnLeavesACellOutOrTakesOneTwice) {
    constexpr BlockExtent largest{-15, -2, 0, 15, 3, 4};
    for (int index = 0; index < 64; ++index) {
        const auto fillers = fillers_of(largest, {static_cast<std::uint8_t>(index)});
        EXPECT_EQ(std::set(fillers.begin(), fillers.end()).size(), 31U * 6 * 5) << index;
        EXPECT_EQ(fillers.size(), 31U * 6 * 5) << index;
    }
}

} // namespace

} // namespace orbis::chunk
