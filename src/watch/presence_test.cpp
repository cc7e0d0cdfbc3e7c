#include "watch/presence.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace orbis::watch {
namespace {

TEST(Presence, KnowsWhichTilesHaveChunksOnEveryLevel) {
    std::mt19937 random(7);
    Presence presence;
    std::vector<ChunkPos> chunks;
    for (int i = 0; i < 40; ++i) {
        const ChunkPos pos{static_cast<int>(random() % 4000) - 2000,
                           static_cast<int>(random() % 4000) - 2000};
        chunks.push_back(pos);
        auto region = presence.get(pos.region());
        region.set(static_cast<std::size_t>(pos.slot().value));
        presence.set(pos.region(), region);
    }
    for (int level = 0; level < 10; ++level) {
        std::set<TilePos> expected;
        for (const auto pos : chunks) expected.insert({pos.x >> (4 + level), pos.z >> (4 + level)});
        for (int i = 0; i < 2000; ++i) {
            const int side = 300 >> level;
            const auto width = static_cast<unsigned>(2 * side + 3);
            TilePos pos{static_cast<int>(random() % width) - side - 1,
                        static_cast<int>(random() % width) - side - 1};
            ASSERT_EQ(presence.has(level, pos), expected.contains(pos))
                << level << " " << pos.x << " " << pos.z;
        }
        for (const auto pos : expected) ASSERT_TRUE(presence.has(level, pos));
    }
    EXPECT_LE(presence.chunks(), 40U);
    presence.set(chunks[0].region(), {});
    EXPECT_FALSE(presence.has(1, {chunks[0].x >> 5, chunks[0].z >> 5}));
}

TEST(Presence, BoundsAreTheOutermostChunksOfAll) {
    Presence presence;
    const std::vector<ChunkPos> chunks{{-40, 3}, {7, -33}, {65, 2}, {8, 97}};
    for (const auto pos : chunks) {
        auto region = presence.get(pos.region());
        region.set(static_cast<std::size_t>(pos.slot().value));
        presence.set(pos.region(), region);
    }
    ASSERT_TRUE(presence.bounds());
    EXPECT_EQ(presence.bounds()->min, (ChunkPos{-40, -33}));
    EXPECT_EQ(presence.bounds()->max, (ChunkPos{65, 97}));
    EXPECT_EQ(presence.chunks(), 4U);
    EXPECT_EQ(presence.regions(), 4U);
}

TEST(Presence, BoundsAreOfChunksThatCanBeDrawn) {
    EXPECT_FALSE(Presence().bounds());
    Presence far_out;
    far_out.set({1 << 25, 0}, RegionChunks(1));
    EXPECT_FALSE(far_out.bounds()) << "chunks that cannot be drawn do not count";
}

} // namespace
} // namespace orbis::watch
