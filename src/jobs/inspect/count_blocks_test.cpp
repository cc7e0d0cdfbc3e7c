#include "jobs/inspect/count_blocks.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "storage/walk.hpp"

namespace orbis::jobs {
namespace {

using namespace test_worlds;

TEST(CountBlocks, AddsUpTheCellsOfAllChunks) {
    const test::TemporaryFolder folder;
    const auto today = plain();
    const auto world = make_world(folder / "world", {today, today});
    const auto store = world.open({});
    ASSERT_TRUE(store);
    NoProgress quiet;
    EXPECT_EQ(storage::count_chunks(**store), 2U);
    for (const std::size_t threads : {1U, 3U}) {
        const auto counts = count_blocks(**store, false, threads, quiet);
        EXPECT_EQ(counts.chunks, 2U);
        EXPECT_TRUE(counts.problems.empty());
        ASSERT_EQ(counts.keys.size(), 4U);
        EXPECT_EQ(counts.keys.at("Rock_Stone").cells, 2U * 32768);
        EXPECT_EQ(counts.keys.at("Soil_Grass").cells, 2U);
        EXPECT_EQ(counts.keys.at("Plant_Crop_Wheat_Block").cells, 2U);
        EXPECT_EQ(counts.keys.at("Empty").cells, 2U * (9 * 32768 - 2));
    }
}

TEST(CountBlocks, KnowsTheHeightOfEveryCell) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder / "world", {plain()});
    const auto store = world.open({});
    ASSERT_TRUE(store);
    NoProgress quiet;
    const auto counts = count_blocks(**store, true, 2, quiet);
    const auto& stone = counts.keys.at("Rock_Stone").by_y;
    ASSERT_EQ(stone.size(), 320U);
    for (std::size_t y = 0; y < 320; ++y) EXPECT_EQ(stone[y], y < 32 ? 1024U : 0U) << y;
    EXPECT_EQ(counts.keys.at("Plant_Crop_Wheat_Block").by_y[32], 1U);
    EXPECT_EQ(counts.keys.at("Empty").by_y[32], 1022U);
    EXPECT_EQ(counts.keys.at("Empty").by_y[319], 1024U);
    const auto three = make_world(folder / "three", {plain(), plain(), plain()}).open({}).value();
    for (const std::size_t threads : {1U, 2U}) {
        const auto sums = count_blocks(*three, true, threads, quiet);
        EXPECT_EQ(sums.keys.at("Rock_Stone").by_y[31], 3 * 1024U) << "of all chunks";
        EXPECT_EQ(sums.keys.at("Empty").by_y[319], 3 * 1024U);
    }
}

TEST(CountBlocks, WhatNoCellHasIsNotCounted) {
    const test::TemporaryFolder folder;
    auto chunk = chunk::Chunk::decode(Bytes(plain())).value();
    for (int y = 0; y < k_sections; ++y) {
        auto* section = chunk.edit_section(y).value();
        for (int cell = 0; cell < 32768; ++cell) section->blocks.set(CellIndex(cell), "Rock_Stone");
    }
    Buffer full;
    const auto encoded = chunk.encode(full).value();
    const auto store =
        make_world(folder / "world", {Buffer(encoded.begin(), encoded.end())}).open({}).value();
    NoProgress quiet;
    for (const bool by_y : {false, true}) {
        const auto counts = count_blocks(*store, by_y, 1, quiet);
        ASSERT_EQ(counts.keys.size(), 1U);
        EXPECT_EQ(counts.keys.at("Rock_Stone").cells, 320U * 1024U);
    }
}

TEST(CountBlocks, TakesTheAttributesOffOldKeys) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder / "world", {old_document()});
    const auto store = world.open({});
    ASSERT_TRUE(store);
    NoProgress quiet;
    const auto counts = count_blocks(**store, false, 1, quiet);
    EXPECT_EQ(counts.keys.at("Wood_Softwood_Stairs").cells, 2U);
    EXPECT_EQ(counts.keys.at("Mod_Block").cells, 1U);
    EXPECT_FALSE(counts.keys.contains("Fluid_Lava")) << "a fluid is no block";
}

TEST(CountBlocks, ReportsWhatItCannotReadAndCountsTheRest) {
    const test::TemporaryFolder folder;
    const auto sound = plain();
    const Buffer nonsense{1, 2, 3};
    const auto world = make_world(folder / "world", {sound, damaged_document(), nonsense});
    const auto store = world.open({});
    ASSERT_TRUE(store);
    NoProgress quiet;
    const auto counts = count_blocks(**store, false, 2, quiet);
    EXPECT_EQ(counts.chunks, 2U);
    EXPECT_EQ(counts.keys.at("Rock_Stone").cells, 32768U);
    EXPECT_EQ(counts.keys.at("Soil_Grass").cells, 2U);
    ASSERT_EQ(counts.problems.size(), 2U);
    EXPECT_EQ(counts.problems[0].subject(), "chunk 1,0");
    EXPECT_NE(counts.problems[0].problem.find("section 0, Block"), std::string::npos)
        << counts.problems[0].problem;
    EXPECT_EQ(counts.problems[1].subject(), "chunk 2,0");
}

TEST(CountBlocks, CellsOfADamagedSectionAreNotCounted) {
    const test::TemporaryFolder folder;
    const auto store = make_world(folder / "w", {damaged_document()}).open({}).value();
    NoProgress quiet;
    const auto counts = count_blocks(*store, false, 1, quiet);
    std::uint64_t cells = 0;
    for (const auto& [key, count] : counts.keys) cells += count.cells;
    EXPECT_EQ(cells, 9U * k_cells);
    EXPECT_EQ(counts.problems.size(), 1U);
    EXPECT_EQ(counts.chunks, 1U);
}

} // namespace
} // namespace orbis::jobs
