#include "game/codec/recent_ids.hpp"

#include <gtest/gtest.h>

#include <string>

namespace orbis::game {
namespace {

TEST(RecentIds, AreThoseOfTheTable) {
    WireIds ids;
    RecentIds recent;
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 3000; ++i) { // more than it remembers, and longer than it can
            const auto name =
                "Block_" + std::to_string(i) + std::string(static_cast<std::size_t>(i) % 70, 'x');
            ASSERT_EQ(recent.id_of(ids.blocks, name), ids.blocks.id_of(name)) << name;
        }
    EXPECT_EQ(recent.id_of(ids.blocks, "block_1X"), ids.blocks.find("Block_1x"));
}

TEST(RecentIds, TablesAreToldApart) {
    RecentIds recent;
    WireIds ids;
    ids.fluids.id_of("Other");
    EXPECT_NE(recent.id_of(ids.blocks, "Water"), recent.id_of(ids.fluids, "Water"));
    EXPECT_EQ(recent.id_of(ids.blocks, "Water"), ids.blocks.find("Water"));
    // Also one that has the place in memory of another.
    std::optional<WireIds> table(std::in_place);
    const auto first = recent.id_of(table->blocks, "Rock");
    table.emplace();
    table->blocks.id_of("Other");
    EXPECT_NE(recent.id_of(table->blocks, "Rock"), first);
}

TEST(RecentIds, AServerThatRenamesIsHeard) {
    RecentIds recent;
    WireIds ids;
    ASSERT_TRUE(ids.blocks.put(7, "Rock"));
    EXPECT_EQ(recent.id_of(ids.blocks, "Rock"), 7);
    ASSERT_TRUE(ids.blocks.put(7, "Soil"));
    ASSERT_TRUE(ids.blocks.put(9, "Rock"));
    EXPECT_EQ(recent.id_of(ids.blocks, "Rock"), 9);
}

} // namespace
} // namespace orbis::game
