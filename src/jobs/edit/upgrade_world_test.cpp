#include "bson/writer.hpp"
#include "jobs/edit/upgrade_world.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"

#include <iterator>

namespace orbis::jobs {
namespace {

using namespace test_worlds;

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

WorldUpgrade upgrade(const world::World& world, bool dry_run = false) {
    NoProgress quiet;
    auto done = upgrade_world(world, world::Assets::built_in(),
                              {.dry_run = dry_run, .force = false, .threads = 2}, quiet);
    EXPECT_TRUE(done) << done.error().text();
    return *std::move(done);
}

TEST(UpgradeWorld, BringsOldChunksToTodayAndSaysHow) {
    const test::TemporaryFolder folder;
    auto today = documents::ten_sections();
    const auto world = make_world(folder / "world", {documents::document(today), old_document()});
    const auto done = upgrade(world);
    EXPECT_EQ(done.chunks, 2U);
    EXPECT_EQ(done.changed, 1U);
    EXPECT_TRUE(done.problems.empty());
    EXPECT_EQ(done.report.sections_from_old_versions, 10);
    EXPECT_EQ(done.report.rotations, 1U);
    EXPECT_EQ(done.report.fluids, 1U);
    EXPECT_EQ(done.report.renamed.at("Plant_Crop_Carrot_Stage_1"),
              "*Plant_Crop_Carrot_Block_State_Definitions_Stage1");

    const auto store = world.open({});
    ASSERT_TRUE(store);
    storage::ReadContext context;
    const auto document = (*store)->read({1, 0}, context);
    ASSERT_TRUE(document && *document);
    const auto chunk = chunk::Chunk::decode(**document);
    ASSERT_TRUE(chunk);
    EXPECT_TRUE(chunk->problems().empty());
    EXPECT_TRUE(chunk->check().empty());
    EXPECT_EQ(chunk->section(2).version, 6);
    EXPECT_EQ(chunk->section(2).migration_count, 11);
    EXPECT_EQ(chunk->block({0, 64, 0}).key, "Wood_Softwood_Stairs");
    EXPECT_EQ(chunk->block({0, 64, 0}).rotation.yaw(), 90);
    EXPECT_EQ(chunk->block({0, 65, 0}).key, "*Plant_Crop_Carrot_Block_State_Definitions_Stage1");
    EXPECT_EQ(chunk->fluid({1, 65, 0}).key, "Lava_Source") << "which the game would have dropped";
    EXPECT_EQ(chunk->block({0, 66, 0}).key, "Mod_Block");
    EXPECT_TRUE(chunk->component("MadeByAMod"));
}

TEST(UpgradeWorld, DoesNothingTheSecondTime) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder / "world", {old_document()});
    EXPECT_EQ(upgrade(world).changed, 1U);
    const auto before = content(folder / "world/chunks/0.0.region.bin");
    const auto again = upgrade(world);
    EXPECT_EQ(again.changed, 0U);
    EXPECT_TRUE(again.report.renamed.empty());
    EXPECT_EQ(content(folder / "world/chunks/0.0.region.bin"), before);
}

TEST(UpgradeWorld, ADryRunSaysTheSameAndWritesNothing) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder / "world", {old_document()}, 0);
    const auto before = content(folder / "world/chunks/0.0.region.bin");
    const auto would = upgrade(world, true);
    EXPECT_EQ(content(folder / "world/chunks/0.0.region.bin"), before);
    const auto done = upgrade(world);
    EXPECT_EQ(would.changed, done.changed);
    EXPECT_EQ(would.old_containers, 1U);
    EXPECT_EQ(would.report.renamed, done.report.renamed);
}

TEST(UpgradeWorld, AnOldContainerBecomesANewOneEvenWhenItsChunksAreOfToday) {
    const test::TemporaryFolder folder;
    const auto today = plain();
    const auto world = make_world(folder / "world", {today, today}, 0);
    const auto done = upgrade(world);
    EXPECT_EQ(done.old_containers, 1U);
    EXPECT_EQ(done.changed, 0U);
    EXPECT_TRUE(done.problems.empty());
    EXPECT_EQ(content(folder / "world/chunks/0.0.region.bin").at(23), 1) << "the container version";
    EXPECT_EQ(upgrade(world).old_containers, 0U);
    const auto store = world.open({});
    storage::ReadContext context;
    const auto document = (*store)->read({1, 0}, context);
    ASSERT_TRUE(document && *document);
    EXPECT_EQ(as_text(**document), as_text(today));
}

TEST(UpgradeWorld, ARegionFileThatCannotBeMigratedDoesNotEndTheWalk) {
    const test::TemporaryFolder folder;
    const auto old = old_document();
    const auto world = make_world(folder / "world", {old, old, old}, 0);
    const auto good = content(folder / "world/chunks/0.0.region.bin");
    auto bad = good;
    bad.replace(32 + 2 * 4, 4, "\x7F\xFF\xFF\xFF"); // the first segment of the third chunk
    put(folder / "world/chunks/0.0.region.bin", as_bytes(bad));
    put(folder / "world/chunks/1.0.region.bin", as_bytes(good));
    const auto done = upgrade(world);
    EXPECT_EQ(done.chunks, 6U);
    EXPECT_EQ(done.changed, 3U);
    EXPECT_EQ(done.old_containers, 1U);
    EXPECT_EQ(done.report.sections_from_old_versions, 30);
    ASSERT_EQ(done.problems.size(), 4U);
    EXPECT_EQ(done.problems[0].subject(), "region 0.0");
    EXPECT_NE(done.problems[0].problem.find("chunk 2,0"), std::string::npos) << done.problems[0].text();
    EXPECT_EQ(done.problems[1].subject(), "chunk 0,0");
    EXPECT_EQ(done.problems[2].subject(), "chunk 1,0");
    EXPECT_EQ(done.problems[3].subject(), "region 0.0, chunk 2,0");
    EXPECT_EQ(content(folder / "world/chunks/0.0.region.bin"), bad);
    EXPECT_EQ(content(folder / "world/chunks/1.0.region.bin").at(23), 1) << "the container version";
}

TEST(UpgradeWorld, WhatCannotBeReadIsLeftAloneAndReported) {
    const test::TemporaryFolder folder;
    const Buffer nonsense{1, 2, 3};
    const auto world = make_world(folder / "world", {nonsense, damaged_document(), old_document()});
    const auto done = upgrade(world);
    EXPECT_EQ(done.chunks, 3U);
    EXPECT_EQ(done.changed, 1U);
    ASSERT_EQ(done.problems.size(), 2U);
    EXPECT_EQ(done.problems[0].subject(), "chunk 0,0");
    EXPECT_EQ(done.problems[1].subject(), "chunk 1,0");
    EXPECT_EQ(done.report.sections_left, 1);
    const auto store = world.open({});
    storage::ReadContext context;
    const auto kept = (*store)->read({1, 0}, context);
    ASSERT_TRUE(kept && *kept);
    EXPECT_EQ(as_text(**kept), as_text(damaged_document()));
}

TEST(UpgradeWorld, CountsTheChunksWhoseSectionsMovedAndTellsOfKeysThatStay) {
    const test::TemporaryFolder folder;
    const auto inner = [] { // sections that still are in BlockChunk
        Buffer bytes;
        bson::Writer root(bytes);
        root.document("Components").document("BlockChunk").int32("Version", 2);
        root.binary("Data",
                    test::block_chunk_image(2, std::vector<std::int32_t>(1024, 33),
                                            std::vector<std::int32_t>(1024, 5), documents::ten_sections(2)));
        root.end().document("WorldChunk").end().end().finish();
        return bytes;
    }();
    auto strange = old_sections();
    strange[2].blocks[9] = "A|Mod=7";
    const auto world =
        make_world(folder / "world", {inner, inner, old_document(), documents::document(strange)});
    const auto done = upgrade(world);
    EXPECT_EQ(done.chunks, 4U);
    EXPECT_EQ(done.changed, 4U);
    EXPECT_EQ(done.sections_moved, 2U);
    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_EQ(done.problems[0].chunk, (ChunkPos{3, 0}));
    EXPECT_NE(done.problems[0].problem.find("'A|Mod=7'"), std::string::npos) << done.problems[0].text();
}

} // namespace
} // namespace orbis::jobs
