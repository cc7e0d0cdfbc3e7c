#include "jobs/inspect/chunk_picture.hpp"
#include "jobs/inspect/describe_block.hpp"
#include "jobs/inspect/summary.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "storage/region_store.hpp"
#include "world/made_world_test.hpp"
#include "world/sample/holders.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace orbis::jobs {
namespace {

using namespace test_worlds;

/// A world of made chunks, and what it says of its blocks.
class DescribeBlockTest : public testing::Test {
protected:
    [[nodiscard]] BlockDescription describe(BlockPos pos) {
        auto found = describe_block(made_.store(), world::Assets::built_in(), pos);
        EXPECT_TRUE(found) << found.error().text();
        EXPECT_TRUE(*found);
        return *std::move(*found);
    }

    test::TemporaryFolder folder_;
    world::made::MadeWorld made_{folder_ / "world"};
};

TEST_F(DescribeBlockTest, SaysAllThatIsStoredOfABlock) {
    static constexpr std::array<world::sample::Item, 1> k_items{{{"Bone", 2}}};
    made_.put(
        {-1, 0}, edited(plain(), [](chunk::Chunk& chunk) {
            EXPECT_TRUE(chunk.set_block({31, 35, 2}, {"Furniture_Chest", chunk::Rotation{0b01'10'11}, {}}));
            EXPECT_TRUE(chunk.set_fluid({31, 35, 2}, {"Water_Source", 3}));
            EXPECT_TRUE(chunk.set_support({31, 35, 2}, 15));
            EXPECT_TRUE(chunk.set_ticking({31, 35, 2}, true));
            EXPECT_TRUE(chunk.edit_block_components().value()->set(chunk::BlockIndex(BlockPos{31, 35, 2}),
                                                                   world::sample::chest(9, k_items)));
            std::vector<std::uint16_t> light(k_cells, LightValue::of(1, 2, 3, 4).packed);
            auto* section = chunk.edit_section(1).value();
            section->global_light.set(chunk::Light::ConstExpanded(light.data(), k_cells), 8);
            section->global_counter = 8;
            section->local_counter = section->local_light.change_id();
            chunk.edit_heights().value()->set(ColumnIndex(31, 2), 77);
            chunk.edit_tints().value()->set(ColumnIndex(31, 2), 0x123456);
        }));
    const auto block = describe({-1, 35, 2});
    EXPECT_EQ(block.key, "Furniture_Chest");
    EXPECT_EQ(block.base, block.pos);
    ASSERT_EQ(block.components.size(), 1U);
    EXPECT_EQ(block.components[0].name, "ItemContainerBlock");
    EXPECT_NE(block.components[0].json.find("\"Bone\""), std::string::npos);
    const auto lines = to_lines(block);
    const auto has = [&](std::string_view line) { return std::ranges::find(lines, line) != lines.end(); };
    for (const std::string line :
         {"block        Furniture_Chest", "rotation     27: yaw 270, pitch 180, roll 90",
          "fluid        Water_Source, level 3", "support      15: decoration", "ticks        yes",
          "light        red 1, green 2, blue 3, sky 4", "environment  Env_Plains", "tint         #123456",
          "height       77 in this column", "chunk        -1,0 section 1"})
        EXPECT_TRUE(has(line)) << line << " in\n" << fmt::format("{}", fmt::join(lines, "\n"));
    const auto json = to_json(block);
    for (const std::string part :
         {R"("x":-1,"y":35,"z":2,"block":"Furniture_Chest",)",
          R"("rotation":{"index":27,"yaw":270,"pitch":180,"roll":90})",
          R"("fluid":"Water_Source","fluid_level":3,"support":15,"ticks":true)",
          R"("light":{"red":1,"green":2,"blue":3,"sky":4})", R"("tint":"#123456","height":77)",
          R"("components":{"ItemContainerBlock":{)"})
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    EXPECT_EQ(json.find("\"base\""), std::string::npos);
}

TEST_F(DescribeBlockTest, SaysOfAPlainBlockOnlyWhatThereIs) {
    made_.put({0, 0}, edited(plain(), [](chunk::Chunk& chunk) {
                  EXPECT_TRUE(chunk.set_block({1, 100, 1}, {"Rock_Stone", {}, {}}));
                  EXPECT_TRUE(chunk.set_support({2, 100, 1}, 4));
                  EXPECT_TRUE(chunk.set_block({3, 100, 1}, {"Mod_Unheard_Of", {}, {}}));
              }));
    const auto begins = [this](BlockPos pos, std::string_view word) {
        const auto lines = to_lines(describe(pos));
        const auto found =
            std::ranges::find_if(lines, [&](const auto& line) { return line.starts_with(word); });
        return found == lines.end() ? std::string() : *found;
    };
    for (const std::string word : {"rotation", "part of", "fluid", "support", "ticks", "component"})
        EXPECT_EQ(begins({1, 100, 1}, word), "") << word;
    EXPECT_EQ(begins({1, 100, 1}, "kind").find("unknown"), std::string::npos);
    EXPECT_EQ(begins({2, 100, 1}, "support"), "support      4");
    EXPECT_EQ(begins({2, 100, 1}, "kind"), "") << "air";
    EXPECT_EQ(begins({3, 100, 1}, "kind"), "kind         unknown");
    EXPECT_NE(to_json(describe({3, 100, 1})).find(R"("known":false)"), std::string::npos);
    EXPECT_NE(to_json(describe({2, 100, 1})).find(R"("known":true)"), std::string::npos);
    EXPECT_EQ(describe({2, 500, 1}).key, "Empty") << "above the world";
    EXPECT_FALSE(describe_block(made_.store(), world::Assets::built_in(), {400, 1, 1}).value())
        << "no chunk is there";
}

TEST_F(DescribeBlockTest, APartOfABlockNamesItsBaseWhereverThatIs) {
    const auto to_the_east = chunk::Filler::of_offset(1, 0, 0);
    made_.put({0, 0}, edited(plain(), [&](chunk::Chunk& chunk) {
                  EXPECT_TRUE(chunk.set_block({31, 100, 1}, {"Bed_Wood", {}, {}}));
                  EXPECT_TRUE(chunk.edit_block_components().value()->set(
                      chunk::BlockIndex(BlockPos{31, 100, 1}), world::sample::respawn()));
                  EXPECT_TRUE(chunk.set_block({0, 100, 5}, {"Bed_Wood", {}, to_the_east}));
                  EXPECT_TRUE(chunk.set_block({9, 100, 9}, {"Bed_Wood", {}, to_the_east}));
              }));
    made_.put({1, 0}, edited(plain(), [&](chunk::Chunk& chunk) {
                  EXPECT_TRUE(chunk.set_block({0, 100, 1}, {"Bed_Wood", {}, to_the_east}));
              }));
    const auto next = describe({32, 100, 1});
    EXPECT_EQ(next.base, (BlockPos{31, 100, 1}));
    EXPECT_EQ(next.base_key, "Bed_Wood");
    EXPECT_EQ(next.components.size(), 1U) << "those of the base";
    EXPECT_NE(to_json(next).find(R"("base":{"x":31,"y":100,"z":1,"block":"Bed_Wood"})"), std::string::npos);
    EXPECT_EQ(describe({9, 100, 9}).base_key, "Empty");
    const auto lost = describe({0, 100, 5});
    EXPECT_FALSE(lost.base_key);
    EXPECT_TRUE(lost.problems.empty()) << "a chunk that is not there is no problem";
    const auto lines = to_lines(lost);
    EXPECT_NE(std::ranges::find(lines, "part of      a block that is not stored at -1 100 5"), lines.end());
    made_.put({-1, 0}, as_bytes("no document"));
    EXPECT_EQ(describe({0, 100, 5}).problems.size(), 1U);
    made_.put({2, 0}, damaged_document());
    const auto damaged = describe({64, 100, 1});
    ASSERT_EQ(damaged.problems.size(), 1U);
    EXPECT_TRUE(damaged.problems[0].starts_with("section 0, Block")) << damaged.problems[0];
}

TEST(WorldSummary, AddsUpTheRegionsOfAWorld) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder / "w", {plain(), with_block(3)});
    put(folder / "w" / "chunks" / "1.0.region.bin",
        test::region_v1_image({{5, test::compressed_blob(plain())}}));
    put(folder / "w" / "chunks" / "2.0.region.bin", as_bytes("noise"));
    std::filesystem::create_directory(folder / "w" / "chunks" / "3.0.region.bin");
    const auto found = summarize(world, 1).value();
    EXPECT_EQ(found.storage, "region files");
    EXPECT_TRUE(found.location.find("chunks") != std::string::npos) << found.location;
    EXPECT_TRUE(found.is_counted);
    EXPECT_EQ(found.chunks, 3U);
    EXPECT_EQ(found.containers, std::set<std::int32_t>{1});
    EXPECT_EQ(found.raw_bytes, 2 * plain().size() + with_block(3).size());
    ASSERT_EQ(found.regions.size(), 3U);
    EXPECT_TRUE(found.regions[0].file.ends_with("0.0.region.bin")) << found.regions[0].file;
    WorldSummary sum;
    for (const auto& region : found.regions) {
        sum.file_bytes += region.file_bytes;
        sum.frame_bytes += region.frame_bytes;
        sum.slack_bytes += region.slack_bytes;
        sum.free_bytes += region.free_bytes;
    }
    EXPECT_EQ(found.file_bytes, sum.file_bytes);
    EXPECT_EQ(found.frame_bytes, sum.frame_bytes);
    EXPECT_EQ(found.slack_bytes, sum.slack_bytes);
    EXPECT_EQ(found.free_bytes, sum.free_bytes);
    EXPECT_GT(found.frame_bytes, 0U);
    EXPECT_GT(found.slack_bytes, 0U);
    std::string problems;
    for (const auto& problem : found.problems) problems += problem.text() + '\n';
    EXPECT_EQ(found.problems.size(), 2U) << problems;
    EXPECT_NE(problems.find("2.0.region.bin"), std::string::npos) << problems;
    EXPECT_NE(problems.find("3.0.region.bin"), std::string::npos) << problems;
}

TEST(ChunkPicture, SaysHowLargeAChunkIsInIt) {
    const auto scale = [](std::int32_t last) {
        ChunkPicture picture;
        picture.add({0, 0}, 1, 0);
        picture.add({last, 0}, 1, 0);
        return picture.scale_text();
    };
    // One chunk is left free on each side.
    EXPECT_EQ(scale(45), "a pixel is a block, a chunk 32 × 32 pixels");
    EXPECT_EQ(scale(46), "a chunk is 16 × 16 pixels");
    EXPECT_EQ(scale(509), "a chunk is 2 × 2 pixels");
    EXPECT_EQ(scale(510), "a pixel is a chunk");
    EXPECT_EQ(scale(4093), "a pixel is a chunk");
    EXPECT_EQ(scale(4094), "a pixel is 2 × 2 chunks");
}

} // namespace
} // namespace orbis::jobs
