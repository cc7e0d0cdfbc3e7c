#include "jobs/cells/region_bits.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orbis::jobs {
namespace {

TEST(RegionBits, KnowWhatWasPutIntoThemInAnyRegion) {
    const std::set<ChunkPos> chunks{{0, 0}, {31, 31}, {32, 31}, {-1, -1}, {-32, 5}, {-33, 5}};
    RegionBits bits;
    for (const auto pos : chunks) bits.insert(pos);
    for (const auto pos : chunks) bits.insert(pos);
    std::set<ChunkPos> found;
    bits.for_each([&](ChunkPos pos) { EXPECT_TRUE(found.insert(pos).second); });
    EXPECT_EQ(found, chunks);
    for (const auto pos : chunks) EXPECT_TRUE(bits.contains(pos));
    EXPECT_FALSE(bits.contains({1, 0}));
    EXPECT_FALSE(bits.contains({100, 100}));
}

} // namespace
} // namespace orbis::jobs
