#include "world/asset_json.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace orbis::world {
namespace {

TEST(Colour, HasSixDigitsOrThreeThatAreDoubled) {
    EXPECT_EQ(parse_colour("#1983d9"), (Colour{0x19, 0x83, 0xd9}));
    EXPECT_EQ(parse_colour("#B72"), (Colour{0xbb, 0x77, 0x22}));
    EXPECT_EQ(to_text(Colour{0xbb, 0x07, 0x22}), "#bb0722");
    for (const auto* text : {"", "#", "1983d9", "#19", "#1983d", "#1983d9f", "#12345g", "#12g"})
        EXPECT_FALSE(parse_colour(text)) << text;
}

TEST(Assets, TheBuiltInTablesAreReadToTheLastLine) {
    const auto& assets = Assets::built_in();
    EXPECT_EQ(assets.blocks.size(), 4023U);
    EXPECT_EQ(assets.fluids.size(), 13U);
    EXPECT_EQ(assets.environments.size(), 116U);
    EXPECT_EQ(assets.migrations.count(), 11U);
}

TEST(Assets, SayWhatIsKnownAboutABlock) {
    const auto* grass = Assets::built_in().block("Soil_Grass");
    ASSERT_NE(grass, nullptr);
    EXPECT_EQ(grass->draw_type, DrawType::cube);
    EXPECT_EQ(grass->material, Material::solid);
    EXPECT_EQ(grass->opacity, Opacity::solid);
    EXPECT_EQ(grass->biome_tint_up, 100);
    ASSERT_FALSE(grass->tint_up.empty());
    const auto* cauldron = Assets::built_in().block("Alchemy_Cauldron");
    ASSERT_NE(cauldron, nullptr);
    EXPECT_EQ(cauldron->opacity, Opacity::transparent);
    EXPECT_FALSE(cauldron->particle);
    EXPECT_EQ(Assets::built_in().block("No_Such_Block"), nullptr);
    EXPECT_EQ(Assets::built_in().block(""), nullptr);
}

TEST(Assets, SayWhatIsKnownAboutFluidsAndEnvironments) {
    const auto& assets = Assets::built_in();
    ASSERT_NE(assets.fluid("Water"), nullptr);
    EXPECT_EQ(assets.fluid("Water")->max_level, 8);
    EXPECT_TRUE(assets.fluid("Water")->has_effect("Water"));
    EXPECT_FALSE(assets.fluid("Lava")->has_effect("Water"));
    EXPECT_EQ(assets.fluid("Lava")->particle, (Colour{0xf9, 0x4e, 0x11}));
    ASSERT_NE(assets.environment("Env_Zone0"), nullptr);
    EXPECT_EQ(assets.environment("Env_Zone0")->water_tint, (Colour{0x20, 0x76, 0xb5}));
    EXPECT_FALSE(assets.environment("Default")->water_tint);
}

TEST(Assets, ACopyDoesNotPointIntoTheOriginal) {
    auto original = std::make_unique<Assets>();
    BlockType block;
    block.key = "A";
    original->blocks.put(block);
    const Assets copy = *original;
    original.reset();
    ASSERT_NE(copy.block("A"), nullptr);
    EXPECT_EQ(copy.block("A")->key, "A");
}

TEST(Tables, ColumnsMayStandInAnyOrderAndUnknownOnesAreSkipped) {
    Assets assets;
    ASSERT_TRUE(read_fluids_table("more\teffects\tkey\tparticle_color\tmax_level\r\n"
                                  "x\tWater,Cold\tMilk\t#fff\t3\r\n\n",
                                  assets));
    ASSERT_NE(assets.fluid("Milk"), nullptr);
    EXPECT_EQ(assets.fluid("Milk")->max_level, 3);
    EXPECT_TRUE(assets.fluid("Milk")->has_effect("Cold"));
}

TEST(Tables, ABadLineIsNamed) {
    Assets assets;
    const std::string header = "key\tmax_level\teffects\tparticle_color\n";
    EXPECT_EQ(read_fluids_table(header + "Milk\tmany\t\t\n", assets).error().problem,
              "fluid table line 2: column 'max_level' holds 'many'");
    EXPECT_EQ(read_fluids_table(header + "Milk\n", assets).error().problem,
              "fluid table line 2: column 'max_level' holds ''");
    EXPECT_EQ(read_fluids_table("key\n", assets).error().problem,
              "fluid table: column 'max_level' is missing");
    EXPECT_EQ(read_fluids_table("", assets).error().code, Errc::truncated);
    EXPECT_EQ(read_environments_table("key\twater_tint\nA\tred\n", assets).error().code, Errc::bad_value);
}

TEST(Migrations, StartAtTheStoredCountAndStopAtAMissingNumber) {
    Migrations migrations;
    migrations.put(0, {.direct = {{"A", "B"}}, .names = {}});
    migrations.put(1, {.direct = {{"B", "C"}}, .names = {{"B", "wrong"}, {"N", "M"}}});
    migrations.put(3, {.direct = {{"C", "never"}}, .names = {}});
    EXPECT_EQ(migrations.count(), 2U);
    EXPECT_EQ(migrations.apply("A", 0), "C");
    EXPECT_EQ(migrations.apply("A", 1), "A");
    EXPECT_EQ(migrations.apply("B", 1), "C");
    EXPECT_EQ(migrations.apply("N", 0), "M");
    EXPECT_EQ(migrations.apply("C", 2), "C");
    EXPECT_EQ(migrations.apply("A", 99), "A");
}

TEST(Migrations, OfTheGameLeadFromTheOldestNamesToToday) {
    const auto& migrations = Assets::built_in().migrations;
    EXPECT_EQ(migrations.apply("Plant_Crop_Carrot_Stage_1", 0),
              "*Plant_Crop_Carrot_Block_State_Definitions_Stage1");
    EXPECT_EQ(migrations.apply("Plant_Crop_Carrot_Stage_1", 1), "Plant_Crop_Carrot_Stage_1");
    EXPECT_EQ(migrations.apply("Rock_Stone", 0), "Rock_Stone");
}

} // namespace
} // namespace orbis::world
