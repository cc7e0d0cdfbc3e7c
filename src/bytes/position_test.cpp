#include "bytes/position.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

TEST(Position, BlocksBelowZeroFallIntoTheChunkToTheWest) {
    const BlockPos block{-1, 40, -1};
    EXPECT_EQ(block.chunk(), (ChunkPos{-1, -1}));
    EXPECT_EQ(block.column().x(), 31);
    EXPECT_EQ(block.section(), (SectionPos{-1, 1, -1}));
    EXPECT_EQ(block.chunk().region(), (RegionPos{-1, -1}));
}

TEST(Position, ExamplesOfTheFormatPage) {
    EXPECT_EQ((ChunkPos{-3, 0}.region()), (RegionPos{-1, 0}));
    EXPECT_EQ((ChunkPos{-3, 0}.slot().x()), 29);
    EXPECT_EQ((ChunkPos{1500, 0}.region()), (RegionPos{46, 0}));
    EXPECT_EQ((ChunkPos{1500, 0}.slot().x()), 28);
    EXPECT_EQ((CellIndex{5, 6, 20}.value), 6789);
}

TEST(Position, ASlotNamesItsChunkAgainInEveryRegion) {
    for (const RegionPos region : {RegionPos{0, 0}, RegionPos{-1, 3}, RegionPos{-67108864, 67108863}})
        for (int i = 0; i < k_columns; ++i) {
            const auto chunk = region.chunk(Slot{i});
            EXPECT_EQ(chunk.region(), region);
            EXPECT_EQ(chunk.slot(), Slot{i});
        }
}

TEST(Position, PackedFormsComeBackForAllSigns) {
    for (const int x : {0, 1, -1, 31, -32, (1 << 26) - 1, -(1 << 26)})
        for (const int y : {0, 319, 511, -1, -512})
            for (const int z : {0, 7, -7, (1 << 26) - 1, -(1 << 26)}) {
                const BlockPos block{x, y, z};
                EXPECT_EQ(BlockPos::unpack(block.packed()), block);
                EXPECT_EQ(ChunkPos::unpack(block.chunk().packed()), block.chunk());
            }
    EXPECT_EQ((BlockPos{1, 2, 3}.packed()), 2LL << 54 | 3LL << 27 | 1);
    EXPECT_LT((BlockPos{0, -1, 0}.packed()), 0) << "y below zero sets bit 63";
}

TEST(Position, ReadsWithItsNameOrAsNumbersAlone) {
    const ChunkPos chunk{3, -4};
    EXPECT_EQ(fmt::format("{} {:n} {:c}", chunk, chunk, chunk), "chunk 3,-4 3,-4 96,-128");
    EXPECT_EQ(fmt::format("{:c}", ChunkPos{INT32_MIN, 0}), "-68719476736,0");
    EXPECT_EQ(fmt::format("{} {:n}", RegionPos{-1, 0}, RegionPos{-1, 0}), "region -1.0 -1.0");
    EXPECT_EQ(fmt::format("{} {:n}", ColumnIndex{5, 31}, ColumnIndex{5, 31}), "column 5,31 5,31");
    const BlockPos block{-1, 40, 7};
    EXPECT_EQ(fmt::format("{} {:n} {:c}", block, block, block), "block -1,40,7 -1,40,7 -1,7");
}

} // namespace
} // namespace orbis
