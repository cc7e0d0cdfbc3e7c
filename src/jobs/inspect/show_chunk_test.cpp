#include "jobs/inspect/describe_block.hpp"
#include "jobs/inspect/show_chunk.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using Json = nlohmann::json;

chunk::Chunk decoded(Buffer document) {
    auto chunk = chunk::Chunk::decode(std::move(document));
    EXPECT_TRUE(chunk);
    return *std::move(chunk);
}

Json shown(const chunk::Chunk& chunk, const ShowOptions& options = {}) {
    const auto text = show_chunk({3, -4}, chunk, options);
    EXPECT_TRUE(text) << text.error().text();
    return Json::parse(*text);
}

TEST(ShowChunk, SaysEverythingThatAChunkHolds) {
    const auto chunk = decoded(plain());
    const auto json = shown(chunk);
    EXPECT_EQ(json["x"], 3);
    EXPECT_EQ(json["z"], -4);
    EXPECT_EQ(json["components"][0], "MadeByAMod");
    EXPECT_EQ(json["heights"], (Json{{"lowest", -1}, {"highest", 40}}));
    EXPECT_EQ(json["environments"], (Json{"Env_Caves", "Env_Plains"}));
    EXPECT_EQ(json["entities"][0]["Nameplate"]["Text"], "Bob");
    const auto& component = json["block_components"][0];
    EXPECT_EQ(component["x"], 3 * 32 + 4);
    EXPECT_EQ(component["y"], 2);
    EXPECT_EQ(component["z"], -4 * 32 + 1);
    EXPECT_EQ(component["components"]["FarmingBlock"]["SpreadRate"], 1.0);
    ASSERT_EQ(json["sections"].size(), 10U);
    const auto& section = json["sections"][1];
    EXPECT_EQ(section["version"], 6);
    EXPECT_EQ(section["migrations"], 11);
    EXPECT_EQ(section["blocks"]["cells"][0], (Json{"Empty", 32766}));
    EXPECT_EQ(section["ticking"], 1);
    EXPECT_EQ(section["local_light"]["stored"], true);
    EXPECT_EQ(section["fluids"]["cells"][1], (Json{"Water_Source", 100}));
    EXPECT_EQ(section["supported"], 1);
    EXPECT_FALSE(section["blocks"].contains("runs"));
    EXPECT_TRUE(json["problems"].empty());
}

TEST(ShowChunk, GivesEveryCellWhenItIsAskedTo) {
    const auto chunk = decoded(plain());
    ShowOptions options;
    options.section = 1;
    options.blocks = true;
    const auto json = shown(chunk, options);
    EXPECT_EQ(json["y"], 1);
    EXPECT_EQ(json["blocks"]["runs"],
              Json::parse(R"([["Soil_Grass",1],["Empty",35],["Plant_Crop_Wheat_Block",1],["Empty",32731]])"));
    EXPECT_EQ(json["level_runs"], Json::parse("[[0,100],[1,100],[0,32568]]"));
    EXPECT_EQ(json["support_runs"], Json::parse("[[0,77],[15,1],[0,32690]]"));
    options.section.reset();
    const auto whole = shown(chunk, options);
    EXPECT_EQ(whole["heights"]["columns"].size(), 1024U);
    EXPECT_EQ(whole["heights"]["columns"][33], -1);
    EXPECT_EQ(whole["sections"][0]["blocks"]["runs"], Json::parse(R"([["Rock_Stone",32768]])"));
}

TEST(ShowChunk, GivesOneComponentOfTheChunkOrOfASection) {
    const auto chunk = decoded(plain());
    ShowOptions options;
    options.component = "MadeByAMod";
    EXPECT_EQ(shown(chunk, options)["Note"], "kept as it is");
    options.section = 1;
    options.component = "SectionMod";
    EXPECT_EQ(shown(chunk, options), (Json{{"Level", 9}}));
    options.component = "Nothing";
    const auto missing = show_chunk({0, 0}, chunk, options);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);
    EXPECT_EQ(missing.error().problem, "there is no component Nothing; the components are Block, Fluid, "
                                       "BlockPhysics, SectionMod, ChunkSection");
}

TEST(ShowChunk, ADamagedSectionIsNamedAndTheRestIsShown) {
    const auto json = shown(decoded(damaged_document()));
    EXPECT_EQ(json["problems"].size(), 1U);
    EXPECT_EQ(json["sections"][0]["block"], "broken");
    EXPECT_EQ(json["sections"][1]["block"], "decoded");
}

TEST(DescribeBlock, SaysEverythingAboutOneBlock) {
    const test::TemporaryFolder folder;
    auto sections = documents::ten_sections();
    sections[1].fillers.assign(test::k_image_cells, 0);
    sections[1].fillers[1 << 10 | 36] = chunk::Filler::of_offset(0, 1, 0).stored;
    sections[1].blocks[1 << 10 | 36] = "Plant_Crop_Wheat_Block";
    const auto world = make_world(folder / "world", {documents::document(sections)});
    const auto store = world.open({});
    ASSERT_TRUE(store);
    const auto& assets = world::Assets::built_in();

    const auto wheat = describe_block(**store, assets, {4, 32, 1});
    ASSERT_TRUE(wheat && *wheat);
    EXPECT_EQ((*wheat)->key, "Plant_Crop_Wheat_Block");
    ASSERT_NE((*wheat)->type, nullptr);
    EXPECT_TRUE((*wheat)->ticks);
    EXPECT_EQ((*wheat)->height, 40);
    EXPECT_EQ((*wheat)->environment, "Env_Plains");
    EXPECT_EQ((*wheat)->local_light.sky(), 15);
    EXPECT_EQ((*wheat)->tint, static_cast<std::uint32_t>(-8000000));

    const auto upper = describe_block(**store, assets, {4, 33, 1});
    ASSERT_TRUE(upper && *upper);
    EXPECT_EQ((*upper)->base, (BlockPos{4, 32, 1}));
    EXPECT_EQ((*upper)->base_key, "Plant_Crop_Wheat_Block");

    const auto water = describe_block(**store, assets, {4, 32, 3});
    ASSERT_TRUE(water && *water);
    EXPECT_EQ((*water)->fluid, "Water_Source");
    EXPECT_EQ((*water)->fluid_level, 1);

    const auto crop = describe_block(**store, assets, {4, 2, 1});
    ASSERT_TRUE(crop && *crop);
    ASSERT_EQ((*crop)->components.size(), 1U);
    EXPECT_EQ((*crop)->components[0].name, "FarmingBlock");
    EXPECT_EQ(Json::parse((*crop)->components[0].json), (Json{{"SpreadRate", 1.0}}));

    // Each number of the JSON is its own.
    BlockDescription block = **wheat;
    block.rotation = chunk::Rotation{1 + 4 * 2 + 16 * 3};
    const auto told = Json::parse(to_json(block))["rotation"];
    EXPECT_EQ(told["index"], 57);
    EXPECT_EQ(told["yaw"], block.rotation.yaw());
    EXPECT_EQ(told["pitch"], block.rotation.pitch());
    EXPECT_EQ(told["roll"], block.rotation.roll());
    EXPECT_EQ((std::set{told["yaw"], told["pitch"], told["roll"]}.size()), 3U);

    const auto above = describe_block(**store, assets, {4, 1000, 1});
    ASSERT_TRUE(above && *above);
    EXPECT_EQ((*above)->key, "Empty");
    const auto nowhere = describe_block(**store, assets, {-1, 40, 0});
    ASSERT_TRUE(nowhere);
    EXPECT_FALSE(*nowhere);
}

TEST(DescribeBlock, FindsTheBaseInAnotherChunk) {
    const test::TemporaryFolder folder;
    auto left = documents::ten_sections();
    auto right = documents::ten_sections();
    left[1].blocks[31] = "Furniture_Crude_Bed";
    right[1].blocks[0] = "Furniture_Crude_Bed";
    right[1].fillers.assign(test::k_image_cells, 0);
    right[1].fillers[0] = chunk::Filler::of_offset(1, 0, 0).stored;
    const auto world = make_world(folder / "world", {documents::document(left), documents::document(right)});
    const auto store = world.open({});
    ASSERT_TRUE(store);
    const auto block = describe_block(**store, world::Assets::built_in(), {32, 32, 0});
    ASSERT_TRUE(block && *block);
    EXPECT_EQ((*block)->base, (BlockPos{31, 32, 0}));
    EXPECT_EQ((*block)->base_key, "Furniture_Crude_Bed");
}

} // namespace
} // namespace orbis::jobs
