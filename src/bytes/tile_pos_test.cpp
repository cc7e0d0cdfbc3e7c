#include "bytes/tile_pos.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

TEST(LevelCount, AMapHasLevelsUntilItFitsInTwoByTwo) {
    EXPECT_EQ(level_count({0, 0}, {0, 0}), 1);
    EXPECT_EQ(level_count({0, 0}, {1, 1}), 1);
    EXPECT_EQ(level_count({-1, -1}, {0, 0}), 1) << "two by two across the middle";
    EXPECT_EQ(level_count({0, 0}, {2, 0}), 2);
    EXPECT_EQ(level_count({0, 0}, {0, 2}), 2);
    EXPECT_EQ(level_count({0, 0}, {3, 3}), 2);
    EXPECT_EQ(level_count({0, 0}, {4, 0}), 3);
    EXPECT_EQ(level_count({-2, 0}, {1, 0}), 2);
    EXPECT_EQ(level_count({-3, 0}, {1, 0}), 3) << "-2 to 0 is three tiles";
    EXPECT_EQ(level_count({1, 0}, {0, 0}), 0);
    EXPECT_EQ(level_count({0, 1}, {0, 0}), 0);
}

TEST(LevelCount, LevelsOfChunksEndWhereTwoByTwoTilesAreEnough) {
    EXPECT_EQ(level_count(TilePos::of({0, 0}), TilePos::of({0, 0})), 1);
    EXPECT_EQ(level_count(TilePos::of({-10, -10}), TilePos::of({9, 9})), 1);
    EXPECT_EQ(level_count(TilePos::of({0, 0}), TilePos::of({32, 0})), 2);
    EXPECT_EQ(level_count(TilePos::of({0, 0}), TilePos::of({1023, 1023})), 6);
    EXPECT_EQ(level_count(TilePos::of({0, 0}), TilePos::of({0, 32})), 2) << "in both directions";
}

} // namespace
} // namespace orbis
