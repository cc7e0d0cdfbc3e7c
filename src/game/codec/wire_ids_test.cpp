#include "game/codec/wire_ids.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace orbis::game {
namespace {

TEST(WireIds, ReservesTheIdsOfTheGame) {
    const WireIds ids;
    EXPECT_EQ(ids.blocks.name(0), "Empty");
    EXPECT_EQ(ids.blocks.name(1), "Unknown");
    EXPECT_FALSE(ids.blocks.name(2)); // debug blocks
    EXPECT_FALSE(ids.blocks.name(3));
    EXPECT_EQ(ids.blocks.end(), 4);
    EXPECT_EQ(ids.fluids.name(0), "Empty");
    EXPECT_EQ(ids.fluids.name(1), "Unknown");
    EXPECT_EQ(ids.fluids.end(), 2);
    EXPECT_EQ(ids.environments.name(0), "Unknown");
    EXPECT_EQ(ids.environments.end(), 1);
}

TEST(WireIds, NumbersTheTablesInTheirOrderAndThenWhatAWorldBrings) {
    const auto& assets = world::Assets::built_in();
    WireIds ids(assets);
    std::int32_t next = 4;
    for (const auto& type : assets.blocks.all()) ASSERT_EQ(ids.blocks.find(type.key), next++) << type.key;
    EXPECT_EQ(ids.blocks.end(), next);
    EXPECT_EQ(ids.fluids.find(assets.fluids.all().front().key), 2);
    EXPECT_EQ(ids.environments.find(assets.environments.all().front().key), 1);
    EXPECT_FALSE(ids.blocks.find("Mod:Lamp"));
    EXPECT_EQ(ids.blocks.id_of("Mod:Lamp"), next);
    EXPECT_EQ(ids.blocks.id_of("Mod:Lamp"), next);
    EXPECT_EQ(ids.blocks.name(next), "Mod:Lamp");
}

TEST(WireIds, ComparesNamesWithoutCaseAndKeepsTheFirstSpelling) {
    WireIds ids;
    const auto id = ids.blocks.id_of("Rock_Stone");
    EXPECT_EQ(ids.blocks.id_of("rock_STONE"), id);
    EXPECT_EQ(ids.blocks.name(id), "Rock_Stone");
    EXPECT_EQ(ids.blocks.find("EMPTY"), 0);
    EXPECT_NE(ids.blocks.id_of("Rock Stone"), id);
    EXPECT_NE(ids.blocks.id_of("Rock@Stone"), ids.blocks.id_of("Rock`Stone")); // 32 apart, but no letters
}

TEST(WireIds, TakesTheNumbersOfAServer) {
    WireIds ids;
    ASSERT_TRUE(ids.blocks.put(900, "Rock_Stone"));
    EXPECT_EQ(ids.blocks.name(900), "Rock_Stone");
    EXPECT_EQ(ids.blocks.find("rock_stone"), 900);
    EXPECT_EQ(ids.blocks.end(), 901);
    ASSERT_TRUE(ids.blocks.put(900, "Soil_Dirt"));
    EXPECT_EQ(ids.blocks.name(900), "Soil_Dirt");
    EXPECT_FALSE(ids.blocks.find("Rock_Stone"));
    ASSERT_TRUE(ids.blocks.put(901, "Soil_Dirt")); // a name with two numbers has the later one
    EXPECT_EQ(ids.blocks.find("Soil_Dirt"), 901);
    ASSERT_TRUE(ids.blocks.put(900, "Wood_Oak"));
    EXPECT_EQ(ids.blocks.find("Soil_Dirt"), 901) << "what happens to the other does not matter";
    EXPECT_EQ(ids.blocks.put(-1, "A").error().code, Errc::out_of_range);
    EXPECT_EQ(ids.environments.put(65536, "A").error().code, Errc::out_of_range);
    ASSERT_TRUE(ids.environments.put(65535, "A"));
    EXPECT_EQ(ids.environments.id_of("B"), 0); // full: Unknown
}

TEST(WireIds, ThreadsThatMeetNamesAtOnceAgree) {
    WireIds ids;
    std::vector<std::vector<std::int32_t>> found(4);
    {
        std::vector<std::jthread> threads;
        for (auto& mine : found)
            threads.emplace_back([&mine, &ids] {
                for (int i = 0; i < 2000; ++i) mine.push_back(ids.blocks.id_of(fmt::format("Block_{}", i)));
            });
    }
    for (const auto& other : found) EXPECT_EQ(other, found[0]);
    EXPECT_EQ(ids.blocks.end(), 2004);
    for (int i = 0; i < 2000; ++i)
        ASSERT_EQ(ids.blocks.name(found[0][static_cast<std::size_t>(i)]), fmt::format("Block_{}", i));
}

} // namespace
} // namespace orbis::game
