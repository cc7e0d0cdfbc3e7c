#include "map/colours.hpp"
#include "map/guess.hpp"
#include "map/ramp.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orbis::map {
namespace {

const Colours k_colours(world::Assets::built_in());

TEST(Colours, ABlockOfTheTablesIsNotGuessed) {
    const auto look = k_colours.block("Rock_Stone");
    EXPECT_FALSE(look.guessed);
    EXPECT_FALSE(look.see_through);
    EXPECT_TRUE(look.ground);
    EXPECT_TRUE(look.has_particle);
    EXPECT_EQ(look.base, (Colour{255, 255, 255}));
    EXPECT_TRUE(k_colours.block("Empty").empty);
    EXPECT_TRUE(k_colours.block("Empty").see_through);
    EXPECT_FALSE(k_colours.block("Empty").guessed);
    EXPECT_FALSE(k_colours.block("Wood_Oak_Trunk").ground);
}

TEST(Colours, ARenamedBlockLooksLikeTheOneItBecame) {
    world::Assets assets;
    world::BlockType stone;
    stone.key = "New_Stone";
    stone.particle = Colour{1, 2, 3};
    assets.blocks.put(stone);
    assets.migrations.put(0, {});
    assets.migrations.put(1, {.direct = {{"Old_Stone", "New_Stone"}}, .names = {}});
    const Colours colours(assets);
    EXPECT_EQ(colours.block("Old_Stone", 0).particle, (Colour{1, 2, 3}));
    EXPECT_FALSE(colours.block("Old_Stone", 1).guessed);
    EXPECT_TRUE(colours.block("Old_Stone", 2).guessed); // it was saved after the change, so it is another one
    EXPECT_TRUE(colours.block("Old_Stone").guessed);
}

/// Colours in people's maps must not change with a version of the program.
TEST(Colours, GuessesAreTheSameForEver) {
    EXPECT_EQ(world::to_text(guess_block_colour("Mod_Xyzzy")), "#5ec191");
    EXPECT_EQ(world::to_text(guess_block_colour("Mod_Marble_Pillar")), "#d0d5ce");
    EXPECT_EQ(world::to_text(environment_colour("Env_Zone1_Plains")), "#84b74f");
    EXPECT_EQ(world::to_text(environment_colour("Mod_Sky")), "#9c535a");
}

TEST(Colours, AMaterialInTheNameGivesItsColour) {
    const auto near = [](Colour a, Colour b) {
        return std::abs(a.red - b.red) < 17 && std::abs(a.green - b.green) < 17
               && std::abs(a.blue - b.blue) < 17;
    };
    EXPECT_TRUE(near(guess_block_colour("Mod_Snow_Block"), {238, 243, 248}));
    EXPECT_TRUE(near(guess_block_colour("mod:SnowBricks"), {238, 243, 248})); // snow tells more than bricks
    EXPECT_TRUE(near(guess_block_colour("Cloth_Wool_Red"), {190, 45, 40}));
    EXPECT_TRUE(near(guess_block_colour("Mod_Flowers_Tall"), {200, 120, 150}));
    EXPECT_FALSE(near(guess_block_colour("Mod_Predator"), {190, 45, 40})); // red is no word of it
    EXPECT_EQ(guess_block_colour("Mod_Snow_A"), guess_block_colour("Mod_Snow_A"));
    EXPECT_NE(guess_block_colour("Mod_Snow_A"), guess_block_colour("Mod_Snow_B"));
}

TEST(Colours, AStateLooksLikeItsBlock) {
    EXPECT_EQ(guess_block_colour("*Mod_Lamp_State_Definitions_On"), guess_block_colour("Mod_Lamp"));
    EXPECT_EQ(guess_block_colour("**Mod_Lamp_State_Definitions_On_State_Definitions_Far"),
              guess_block_colour("Mod_Lamp"));
    const auto look = k_colours.block("*Rock_Stone_State_Definitions_NoTableKnowsThis");
    EXPECT_TRUE(look.guessed);
    EXPECT_EQ(look.particle, k_colours.block("Rock_Stone").particle);
    EXPECT_EQ(base_of_state("***"), "");
    EXPECT_EQ(base_of_state(""), "");
}

TEST(Colours, NamesWithoutAWordAreDistinct) {
    std::set<std::string> seen;
    for (int i = 0; i < 300; ++i) seen.insert(world::to_text(guess_block_colour(fmt::format("Mod_Q{}", i))));
    EXPECT_GT(seen.size(), 290U);
}

TEST(Colours, UnknownFluidsAndEnvironmentsHaveNoColour) {
    const auto look = k_colours.fluid("Mod_Honey");
    EXPECT_TRUE(look.fluid);
    EXPECT_FALSE(look.has_particle);
    EXPECT_FALSE(look.water);
    EXPECT_TRUE(look.same_body(k_colours.fluid("Water")));
    EXPECT_FALSE(look.same_body(k_colours.fluid("Lava")));
    EXPECT_FALSE(k_colours.fluid("Empty").fluid);
    EXPECT_FALSE(k_colours.fluid("Empty").same_body(k_colours.fluid("Empty")));
    EXPECT_FALSE(k_colours.water_tint("Mod_Sky"));
    EXPECT_FALSE(k_colours.water_tint("Env_Void"));
    EXPECT_EQ(k_colours.water_tint("Env_Portals_Hedera"), (Colour{0x26, 0x4D, 0x3D}));
}

TEST(Colours, EnvironmentsOfTheGameCanBeToldApart) {
    std::set<std::string> seen;
    const auto& all = world::Assets::built_in().environments.all();
    for (const auto& environment : all) seen.insert(world::to_text(k_colours.environment(environment.key)));
    EXPECT_GT(seen.size(), all.size() - 4);
}

TEST(Colours, TheHeightRampGoesThroughItsStopsAndStaysAtItsEnds) {
    for (const auto& stop : height_ramp()) EXPECT_EQ(height_colour(stop.height), stop.colour);
    EXPECT_EQ(height_colour(-500), height_ramp().front().colour);
    EXPECT_EQ(height_colour(5000), height_ramp().back().colour);
}

} // namespace
} // namespace orbis::map
