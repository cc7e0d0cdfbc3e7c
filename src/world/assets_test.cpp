#include "world/asset_json.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

TEST(AssetJson, NumbersHaveTheirRangesToTheLast) {
    const auto block = [](std::string_view name, std::string_view value) {
        return read_block("{\"" + std::string(name) + "\": " + std::string(value) + "}").has_value();
    };
    for (const auto* name : {"BiomeTint", "BiomeTintUp"}) {
        for (const auto* value : {"0", "100", "99.5", "null"}) EXPECT_TRUE(block(name, value)) << value;
        for (const auto* value : {"-1", "101", "100.5", "-0.5", "\"5\"", "[]"})
            EXPECT_FALSE(block(name, value)) << value;
    }
    for (const auto& [radius, fits] : {std::pair{-129, false}, {-128, true}, {127, true}, {128, false}})
        EXPECT_EQ(block("Light", "{\"Radius\": " + std::to_string(radius) + "}"), fits) << radius;
    EXPECT_FALSE(block("Light", "5"));
    for (const auto& [level, fits] : {std::pair{0, false}, {1, true}, {15, true}, {16, false}})
        EXPECT_EQ(read_fluid("{\"MaxFluidLevel\": " + std::to_string(level) + "}").has_value(), fits)
            << level;
}

TEST(AssetJson, TheMoreExactOfTwoFieldsWinsInAnyOrder) {
    for (const auto* text :
         {R"({"Tint": "#010101", "TintUp": ["#020202", "#030303"], "BiomeTint": 5, "BiomeTintUp": 6})",
          R"({"BiomeTintUp": 6, "TintUp": ["#020202", "#030303"], "BiomeTint": 5, "Tint": "#010101"})"}) {
        const auto fields = read_block(text).value();
        EXPECT_EQ(fields.tint_up, (std::vector<Colour>{{2, 2, 2}, {3, 3, 3}}));
        EXPECT_EQ(fields.biome_tint_up, 6);
    }
    EXPECT_EQ(read_block(R"({"Tint": "#010101"})")->tint_up, (std::vector<Colour>{{1, 1, 1}}));
    EXPECT_FALSE(read_block("{}")->tint_up);
    EXPECT_TRUE(read_block(R"({"Group": ""})")->group);
    EXPECT_FALSE(read_block("{}")->group);
    EXPECT_TRUE(read_block("\xEF\xBB\xBF{} // a comment"));
}

TEST(AssetJson, StatesAndListsNestExactlyAsDeepAsTheyMay) {
    std::string state = "{}";
    for (int depth = 1; depth <= 10; ++depth) {
        state = R"({"State": {"Definitions": {"S": )" + state + "}}}";
        const auto read = read_block(state);
        EXPECT_EQ(read.has_value(), depth <= 8) << depth;
        if (!read) {
            EXPECT_EQ(read.error().code, Errc::too_deep);
        }
    }
    for (const std::size_t depth : {64U, 65U}) // the object itself is one
        EXPECT_EQ(read_block("{\"x\": " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}")
                      .has_value(),
                  depth <= 64);
}

TEST(AssetJson, FieldsThatAreNotGivenStayAsTheParentHasThem) {
    BlockType parent;
    parent.draw_type = DrawType::model;
    parent.material = Material::solid;
    parent.opacity = Opacity::cutout;
    parent.group = "G";
    parent.particle = Colour{1, 2, 3};
    parent.tint_up = {{4, 5, 6}};
    parent.biome_tint_up = 7;
    parent.light = Colour{8, 9, 10};
    parent.light_radius = 11;
    const auto same = BlockFields().onto(parent);
    EXPECT_EQ(same.draw_type, parent.draw_type);
    EXPECT_EQ(same.material, parent.material);
    EXPECT_EQ(same.opacity, parent.opacity);
    EXPECT_EQ(same.group, parent.group);
    EXPECT_EQ(same.particle, parent.particle);
    EXPECT_EQ(same.tint_up, parent.tint_up);
    EXPECT_EQ(same.biome_tint_up, parent.biome_tint_up);
    EXPECT_EQ(same.light, parent.light);
    EXPECT_EQ(same.light_radius, parent.light_radius);
    const auto other =
        read_block(R"({"DrawType": "Cube", "Material": "Empty", "Opacity": "Transparent", "Group": "",
        "ParticleColor": "#111111", "TintUp": [], "BiomeTintUp": 0, "Light": {"Color": "#222222", "Radius": 0}})")
            ->onto(parent);
    EXPECT_EQ(other.draw_type, DrawType::cube);
    EXPECT_EQ(other.material, Material::empty);
    EXPECT_EQ(other.opacity, Opacity::transparent);
    EXPECT_EQ(other.group, "");
    EXPECT_EQ(other.particle, (Colour{0x11, 0x11, 0x11}));
    EXPECT_TRUE(other.tint_up.empty());
    EXPECT_EQ(other.biome_tint_up, 0);
    EXPECT_EQ(other.light, (Colour{0x22, 0x22, 0x22}));
    EXPECT_EQ(other.light_radius, 0);
}

TEST(Tables, NumbersHaveTheirRangesToTheLast) {
    const auto fluid = [](int level) {
        Assets assets;
        return read_fluids_table(
                   "key\tmax_level\teffects\tparticle_color\nA\t" + std::to_string(level) + "\t\t\n", assets)
            .has_value();
    };
    EXPECT_TRUE(!fluid(0) && fluid(1) && fluid(15) && !fluid(16));
    const std::string header = "key\tdraw_type\tmaterial\topacity\tgroup\tparticle_color\ttint_up\tbiome_"
                               "tint_up_percent\tlight_color\tlight_radius\n";
    const auto block = [&](const std::string& line) {
        Assets assets;
        const auto read = read_blocks_table(header + line + "\n", assets);
        return read ? std::string() : read.error().problem;
    };
    EXPECT_EQ(block("A\tCube\tSolid\tSolid\tG\t\t#fff,#000\t0\t\t"), "");
    EXPECT_EQ(block("A\tCube\tSolid\tSolid\tG\t\t\t100\t#123\t-3"), "");
    EXPECT_NE(block("A\tCube\tSolid\tSolid\tG\t\t\t101\t\t").find("'101'"), std::string::npos);
    EXPECT_NE(block("A\tCube\tSolid\tSolid\tG\t\t\t-1\t\t").find("'-1'"), std::string::npos);
    EXPECT_NE(block("A\tBall\tSolid\tSolid\tG\t\t\t0\t\t").find("'draw_type'"), std::string::npos);
    EXPECT_NE(block("A\tCube\tSoft\tSolid\tG\t\t\t0\t\t").find("'material'"), std::string::npos);
    EXPECT_NE(block("A\tCube\tSolid\tFog\tG\t\t\t0\t\t").find("'opacity'"), std::string::npos);
    EXPECT_NE(block("A\tCube\tSolid\tSolid\tG\t\t#fff,x\t0\t\t").find("'tint_up'"), std::string::npos);
    EXPECT_NE(block("A\tCube\tSolid\tSolid\tG\t\t\t0\t\tfar").find("'light_radius'"), std::string::npos);
    EXPECT_NE(block("\tCube\tSolid\tSolid\tG\t\t\t0\t\t").find("'key'"), std::string::npos);
    Assets two;
    ASSERT_TRUE(read_environments_table("key\twater_tint\nA\t#111111\nA\t#222222\n", two));
    EXPECT_EQ(two.environments.size(), 1U);
    EXPECT_EQ(two.environment("A")->water_tint, (Colour{0x22, 0x22, 0x22})) << "the later one";
}

TEST(Tables, BlocksOfSeveralCellsHaveThoseThatWorldsShow) {
    const auto& built_in = Assets::built_in();
    EXPECT_EQ(built_in.block("Furniture_Crude_Bed")->extent, (chunk::BlockExtent{0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(built_in.block("Furniture_Tavern_Chandelier")->extent,
              (chunk::BlockExtent{-1, -1, -1, 1, 0, 1}));
    EXPECT_EQ(built_in.block("Rock_Stone")->extent, chunk::BlockExtent{});
    const auto read = [&](const std::string& line) {
        auto assets = built_in;
        const auto done = read_block_cells_table("key\tcells\n" + line + "\n", assets);
        return done ? std::string() : done.error().problem;
    };
    EXPECT_EQ(read("Rock_Stone\t-15,0,0..0,15,15"), "");
    EXPECT_NE(read("Rock_Stone_Of_Mine\t0,0,0..0,1,0").find("'key'"), std::string::npos);
    for (const auto* cells : {"", "0,0,0", "0,0,0..1,1", "0,0..1,1,1", "0,0,0..0,16,0", "-16,0,0..0,0,0",
                              "1,0,0..1,1,0", "0,-2,0..0,-1,0", "0,0,0..0,x,0", "0,0,0..0,1,0..0,1,0"})
        EXPECT_NE(read(std::string("Rock_Stone\t") + cells).find("'cells'"), std::string::npos) << cells;
}

TEST(Tables, EachKindHasTheNameThatItIsReadBy) {
    for (const auto type : {DrawType::empty, DrawType::cube, DrawType::model, DrawType::cube_with_model})
        EXPECT_EQ(parse_draw_type(name(type)), type);
    for (const auto material : {Material::empty, Material::solid})
        EXPECT_EQ(parse_material(name(material)), material);
    for (const auto opacity :
         {Opacity::solid, Opacity::semitransparent, Opacity::cutout, Opacity::transparent})
        EXPECT_EQ(parse_opacity(name(opacity)), opacity);
    EXPECT_EQ(name(DrawType::cube_with_model), "CubeWithModel");
    EXPECT_EQ(parse_draw_type("GizmoCube"), DrawType::cube);
    EXPECT_EQ(name(Opacity::cutout), "Cutout");
}

TEST(Migrations, NumbersGoUpToTheLastAndLaterTablesAddToEarlier) {
    Migrations migrations;
    migrations.put(k_last_migration + 1, {.direct = {{"A", "B"}}, .names = {}});
    EXPECT_EQ(migrations.apply("A", k_last_migration + 1), "A");
    migrations.put(k_last_migration, {.direct = {{"A", "B"}}, .names = {}});
    EXPECT_EQ(migrations.apply("A", k_last_migration), "B");
    EXPECT_EQ(migrations.count(), 0U) << "the first is missing";
    migrations.put(0, {.direct = {{"A", "B"}, {"X", "Y"}}, .names = {{"N", "M"}}});
    migrations.put(0, {.direct = {{"A", "C"}}, .names = {}});
    EXPECT_EQ(migrations.apply("A", 0), "C");
    EXPECT_EQ(migrations.apply("X", 0), "Y");
    EXPECT_EQ(migrations.apply("N", 0), "M");
    EXPECT_EQ(migrations.for_chunks().count, 1);
    EXPECT_EQ(migrations.for_chunks().apply("A", -5), "C");
    EXPECT_EQ(read_migrations(R"({"4095": {"DirectMigrations": {"A": "B"}}})")->apply("A", 4095), "B");
    for (const auto* bad : {R"({"4096": {}})", R"({"-1": {}})", R"({"1x": {}})", R"({"": {}})", R"({"1": 5})",
                            R"({"1": {"NameMigrations": {"A": 5}}})"})
        EXPECT_FALSE(read_migrations(bad)) << bad;
}

TEST(Assets, ATypeThatIsReplacedIsStillFound) {
    Assets assets = Assets::built_in();
    for (int i = 0; i < 3; ++i) {
        BlockType bed;
        bed.key = "Furniture_Crude_Bed"; // in memory of its own
        bed.group = std::to_string(i);
        assets.blocks.put(std::move(bed));
        BlockType other;
        other.key = "Furniture_Crude_Bad";
        assets.blocks.put(std::move(other)); // where the old key may have been
        ASSERT_NE(assets.block("Furniture_Crude_Bed"), nullptr);
        EXPECT_EQ(assets.block("Furniture_Crude_Bed")->group, std::to_string(i));
    }
    EXPECT_EQ(assets.blocks.size(), Assets::built_in().blocks.size() + 1);
}

} // namespace
} // namespace orbis::world
