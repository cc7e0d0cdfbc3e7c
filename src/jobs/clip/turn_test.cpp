#include "chunk/block_cells.hpp"
#include "chunk/chunk.hpp"
#include "jobs/cells/cut_blocks.hpp"
#include "jobs/clip/turn.hpp"
#include "support/real_chunks.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numbers>
#include <set>

namespace orbis::jobs {
namespace {

Turn quarter() { return Turn::of(90, false, false); }

std::vector<Turn> all_turns() {
    std::vector<Turn> out;
    for (int degrees = 0; degrees < 360; degrees += 90)
        for (const bool mirrored : {false, true}) out.push_back(Turn::of(degrees, mirrored, false));
    return out;
}

TEST(Turn, AQuarterTurnBringsTheEastToTheNorthAsYawDoes) {
    EXPECT_EQ(quarter().apply(BlockPos{1, 7, 0}), (BlockPos{0, 7, -1}));
    EXPECT_EQ(quarter().apply(Rotation{}), Rotation::of_degrees(90));
    EXPECT_EQ(rotated(Rotation::of_degrees(90), {1, 7, 0}), (BlockPos{0, 7, -1}));
    EXPECT_EQ(quarter().apply(Turn::Point{1.25, 3, 0.5}), (Turn::Point{0.5, 3, -0.25}));
    EXPECT_DOUBLE_EQ(quarter().apply_to_yaw(0), std::numbers::pi / 2);
}

TEST(Turn, MirroringOnBothAxesIsHalfATurn) {
    EXPECT_EQ(Turn::of(0, true, true), Turn::of(180, false, false));
    EXPECT_EQ(Turn::of(0, false, true).apply(BlockPos{3, 1, 5}), (BlockPos{3, 1, -5}));
    EXPECT_EQ(Turn::of(0, true, false).apply(BlockPos{3, 1, 5}), (BlockPos{-3, 1, 5}));
    EXPECT_EQ(Turn::of(-90, false, false), Turn::of(270, false, false));
}

RC_GTEST_PROP(Turn, AFullTurnAndTheInverseAreTheIdentity, (std::int16_t x, std::int16_t y, std::int16_t z)) {
    const BlockPos pos{x, y, z};
    for (const auto& turn : all_turns()) {
        RC_ASSERT(turn.inverse().apply(turn.apply(pos)) == pos);
        RC_ASSERT(turn.then(turn.inverse()).is_identity());
        for (const auto& next : all_turns())
            RC_ASSERT(turn.then(next).apply(pos) == next.apply(turn.apply(pos)));
    }
    auto full = pos;
    for (int i = 0; i < 4; ++i) full = quarter().apply(full);
    RC_ASSERT(full == pos);
}

TEST(Turn, EveryRotationComesBackAfterAFullTurnAndAfterTwoMirrors) {
    for (std::uint8_t index = 0; index < 64; ++index) {
        auto rotation = Rotation{index};
        for (int i = 0; i < 4; ++i) rotation = quarter().apply(rotation);
        EXPECT_EQ(rotation.index, index);
        for (const auto& turn : all_turns())
            EXPECT_EQ(turn.inverse().apply(turn.apply(Rotation{index})).index, index);
    }
}

TEST(Turn, TurnedBlocksLieAsTurnedCellsDo) {
    for (std::uint8_t index = 0; index < 64; ++index)
        for (const BlockPos offset :
             {BlockPos{1, 0, 0}, BlockPos{0, 2, 0}, BlockPos{0, 0, -3}, BlockPos{1, 2, 3}})
            for (int degrees = 0; degrees < 360; degrees += 90) {
                const auto turn = Turn::of(degrees, false, false);
                EXPECT_EQ(rotated(turn.apply(Rotation{index}), offset),
                          turn.apply(rotated(Rotation{index}, offset)));
                EXPECT_EQ(unrotated(Rotation{index}, rotated(Rotation{index}, offset)), offset);
            }
}

/// The cells of a block with this shape of its own, rotated.
std::vector<Filler> cells_of(Rotation rotation, const std::vector<BlockPos>& shape) {
    std::vector<Filler> out;
    for (const auto own : shape) {
        const auto offset = rotated(rotation, own);
        out.push_back(Filler::of_offset(offset.x, offset.y, offset.z));
    }
    return out;
}

TEST(Turn, AMirroredBlockOfSeveralCellsLiesInItsMirroredCells) {
    const std::vector<std::vector<BlockPos>> shapes{
        {{0, 0, -1}},                        // a roof: its own left and right are alike
        {{0, 1, 0}, {1, 0, 0}, {1, 1, 0}},   // a door
        {{0, 0, 1}, {1, 0, 0}, {1, 0, 1}},   // a table
        {{0, 0, -1}, {1, 0, 0}, {1, 0, -1}}, // the same along the other diagonal
        {{0, 1, 0}},                         // a plant
    };
    for (const auto& shape : shapes)
        for (const std::uint8_t index :
             std::initializer_list<std::uint8_t>{0, 1, 2, 3, 4, 6, 8, 9, 32, 33, 34, 35})
            for (const auto& turn : all_turns()) {
                const auto cells = cells_of({index}, shape);
                std::set<Filler> moved;
                for (const auto cell : cells) moved.insert(turn.apply(cell).value());
                const auto now = turn.apply(Rotation{index}, cells);
                const auto wanted = cells_of(now, shape);
                EXPECT_EQ(moved, std::set<Filler>(wanted.begin(), wanted.end()))
                    << "rotation " << int{index} << ", turns " << int{turn.quarter_turns} << ", mirrored "
                    << turn.mirrored;
            }
}

TEST(Turn, AnOffsetThatHasNoOppositeIsNotTurned) {
    EXPECT_FALSE(Turn::of(180, false, false).apply(Filler::of_offset(-16, 0, 0)));
    EXPECT_TRUE(Turn::of(180, false, false).apply(Filler::of_offset(15, -16, 0)));
}

TEST(Turn, AFullTurnIsTheIdentityOnEveryBlockOfRealWorlds) {
    std::set<std::uint8_t> rotations{0};
    std::set<std::uint16_t> fillers{0};
    for (const auto& file : test::real_region_files())
        test::for_each_real_chunk(file, [&](Bytes document) {
            const auto chunk = chunk::Chunk::decode(document, chunk::k_blocks | chunk::k_shapes).value();
            for (int y = 0; y < k_sections; ++y) {
                const auto& section = chunk.section(y);
                section.with_rotations([&](const auto& palette, const auto& value_of) {
                    for (std::size_t i = 0; i < palette.entries().size(); ++i) rotations.insert(value_of(i));
                });
                section.with_fillers([&](const auto& palette, const auto& value_of) {
                    for (std::size_t i = 0; i < palette.entries().size(); ++i) fillers.insert(value_of(i));
                });
            }
        });
    for (const auto rotation : rotations)
        for (const auto filler : fillers)
            for (const auto& step : {quarter(), Turn::of(0, true, false), Turn::of(0, false, true)}) {
                auto turned_rotation = Rotation{rotation};
                auto turned_filler = Filler{filler};
                for (int i = 0; i < 4; ++i) {
                    turned_rotation = step.apply(turned_rotation);
                    const auto next = step.apply(turned_filler);
                    ASSERT_TRUE(next);
                    turned_filler = *next;
                }
                EXPECT_EQ(turned_rotation.index, rotation);
                EXPECT_EQ(turned_filler.stored, filler);
            }
}

/// The same block has the same shape however it is rotated: this shows in which order rotations apply.
TEST(Turn, LargeBlocksOfRealWorldsLieAsTheirRotationsSay) {
    using Shape = std::set<BlockPos>;
    std::map<std::string, std::map<Shape, std::map<int, int>>> shapes; // key, own shape, rotation, how often
    for (const auto& file : test::real_region_files())
        test::for_each_real_chunk(file, [&](Bytes document) {
            const auto chunk = chunk::Chunk::decode(document, chunk::k_blocks | chunk::k_shapes).value();
            std::map<BlockPos, Shape> blocks;
            for_each_filler({0, 0}, chunk, [&](BlockPos cell, Filler filler) {
                blocks[filler.base(cell)].insert({filler.x(), filler.y(), filler.z()});
            });
            for (const auto& [base, cells] : blocks) {
                if ((base.x >> 5) != 0 || (base.z >> 5) != 0) continue;
                const auto block = chunk.block(base);
                if (block.filler || block.key == chunk::k_empty_key) continue;
                Shape own;
                bool whole = true;
                for (const auto cell : cells) {
                    own.insert(unrotated(block.rotation, cell));
                    const BlockPos at{base.x + cell.x, base.y + cell.y, base.z + cell.z};
                    // At the edge of a chunk cells may be missing.
                    whole = whole && at.x > 0 && at.x < 31 && at.z > 0 && at.z < 31;
                }
                if (whole && base.x > 3 && base.x < 28 && base.z > 3 && base.z < 28)
                    ++shapes[std::string(block.key)][own][block.rotation.index];
            }
        });
    int same = 0;
    int other = 0;
    for (const auto& [key, by_shape] : shapes) {
        int most = 0;
        int all = 0;
        std::set<int> rotations;
        for (const auto& [shape, counts] : by_shape) {
            int here = 0;
            for (const auto& [rotation, count] : counts) {
                here += count;
                rotations.insert(rotation);
            }
            most = std::max(most, here);
            all += here;
        }
        if (rotations.size() < 2) continue;
        same += most;
        other += all - most;
    }
    if (!test::shared_folder()) return;
    EXPECT_GT(same, 100);
    EXPECT_LE(other * 20, same) << same << " blocks have the one shape of their key, " << other << " not";
}

} // namespace
} // namespace orbis::jobs
