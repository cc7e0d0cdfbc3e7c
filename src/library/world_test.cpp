#include "library/library_worlds_test.hpp"

#include <atomic>
#include <thread>

namespace orbis::library_tests {
namespace {

TEST(World, GivesItsChunksInOrder) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), with_block(5), plain()});
    std::vector<ChunkPos> seen;
    for (const auto& chunk : world.chunks()) seen.push_back(chunk.position());
    EXPECT_EQ(seen, (std::vector<ChunkPos>{{0, 0}, {1, 0}, {2, 0}}));
    EXPECT_EQ(world.positions(), seen);
    EXPECT_TRUE(world.problems().empty());
}

TEST(World, GivesOnlyTheChunksOfAnArea) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), plain(), plain()});
    const auto count = [&](Area area) {
        int chunks = 0;
        for (const auto& chunk : world.chunks(area)) chunks += area.contains(chunk.position()) ? 1 : 100;
        return chunks;
    };
    EXPECT_EQ(count(Area::of({40, 0, 0}, {31, 0, -5})), 2);
    EXPECT_EQ(count({{-100'000, -100'000}, {1, 100'000}}), 2) << "too large to be looked up one by one";
    EXPECT_EQ(count({{5, 5}, {1, 1}}), 0);
}

TEST(World, ChunksThatWereCopiedStayValid) {
    const test::TemporaryFolder folder;
    std::vector<Chunk> kept;
    std::vector<Section> sections;
    {
        const auto world = opened(folder / "world", {plain(), with_block(5), furnished()});
        for (const auto& chunk : world.chunks()) {
            kept.push_back(chunk);
            sections.push_back(chunk.section(1));
        }
    }
    ASSERT_EQ(kept.size(), 3U);
    EXPECT_EQ(kept[0].block({5, 32, 0}).key, "Empty");
    EXPECT_EQ(kept[1].block({5, 32, 0}).key, "Rock_Marble");
    EXPECT_EQ(sections[1].keys()[sections[1].blocks()[5]], "Rock_Marble");
    EXPECT_EQ(kept[2].containers().size(), 2U);
    kept.clear();
    EXPECT_EQ(sections[2].block(CellIndex(1, 33, 2)).key, "Furniture_Chest");
}

TEST(World, PassesOverDamagedChunksAndRemembersThem) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), Buffer{1, 2, 3}, damaged_document(), plain()});
    for (int round = 0; round < 2; ++round) {
        int chunks = 0;
        for (const auto& chunk : world.chunks()) {
            ++chunks;
            EXPECT_EQ(chunk.section(0).keys().back(), "Empty");
        }
        EXPECT_EQ(chunks, 3) << "a part of a chunk may be damaged, and the rest is read";
        const auto problems = world.problems();
        ASSERT_EQ(problems.size(), 2U) << "each is remembered once";
        EXPECT_EQ(problems[0].chunk, (ChunkPos{1, 0}));
        EXPECT_EQ(problems[1].chunk, (ChunkPos{2, 0}));
        EXPECT_NE(problems[1].text().find("section 0, Block"), std::string::npos);
    }
    EXPECT_FALSE(world.chunk({1, 0}));
    EXPECT_FALSE(world.chunk({2, 0})->problems().empty());
}

TEST(World, TellsOfProblemsAsTheyAreMet) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {Buffer{1, 2, 3}, plain()});
    std::vector<Error> told;
    world.on_problem([&told](const Error& problem) { told.push_back(problem); });
    world.for_each_chunk([](const Chunk&) {}, {2, std::nullopt});
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].chunk, (ChunkPos{0, 0}));
}

TEST(World, SaysWhichChunkIsNotThere) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain()});
    const auto missing = world.chunk({7, -3});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);
    EXPECT_EQ(missing.error().chunk, (ChunkPos{7, -3}));
    EXPECT_FALSE(world.contains({7, -3}).value());
    EXPECT_TRUE(world.contains({0, 0}).value());
    EXPECT_EQ(world.block({0, 0, 0})->key, "Rock_Stone");
    EXPECT_FALSE(world.block({-1, 0, 0}));
}

TEST(World, WorksOnAllChunksOnSeveralThreads) {
    const test::TemporaryFolder folder;
    const std::vector<Buffer> documents(40, furnished());
    const auto world = opened(folder / "world", documents);
    for (const std::size_t threads : {1U, 4U}) {
        std::atomic<std::size_t> items = 0;
        world.for_each_chunk(
            [&](const Chunk& chunk) {
                for (const auto& container : chunk.containers()) items += container.items().size();
            },
            {threads, std::nullopt});
        EXPECT_EQ(items, 40U * 3);
        std::vector<std::int32_t> order;
        world.gather_chunks([](const Chunk& chunk) { return chunk.x(); },
                            [&order](ChunkPos pos, int x) {
                                EXPECT_EQ(pos.x, x);
                                order.push_back(x);
                                return order.size() < 30;
                            },
                            {threads, std::nullopt});
        EXPECT_EQ(order.size(), 30U) << "it was asked to end there";
        EXPECT_TRUE(std::ranges::is_sorted(order));
    }
}

TEST(World, OneChunkCanBeUsedByManyThreads) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {furnished()});
    for (int round = 0; round < 20; ++round) {
        const auto chunk = world.chunk({0, 0}).value();
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&chunk] {
                EXPECT_EQ(chunk.section(0).blocks()[77], 0);
                EXPECT_EQ(chunk.section(0).keys()[0], "Rock_Stone");
                EXPECT_EQ(chunk.containers().size(), 2U);
                EXPECT_EQ(chunk.entities().size(), 2U);
                EXPECT_EQ(chunk.block({1, 33, 2}).key, "Furniture_Chest");
            });
    }
}

TEST(World, SaysHowChunksAreStored) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), plain()});
    int chunks = 0;
    world.for_each_stored([&](ChunkPos pos, const Result<StoredChunk>& stored) {
        ASSERT_TRUE(stored);
        EXPECT_EQ(pos, (ChunkPos{chunks++, 0}));
        EXPECT_EQ(stored->bytes, plain().size());
        EXPECT_EQ(stored->place->file, "0.0.region.bin");
    });
    EXPECT_EQ(chunks, 2);
    EXPECT_FALSE(world.stored({9, 9})->has_value());
}

TEST(World, APathWithoutAWorldIsAnError) {
    const test::TemporaryFolder folder;
    EXPECT_FALSE(open_world((folder / "nothing").string()));
    EXPECT_FALSE(open_universe((folder / "nothing").string()));
    EXPECT_FALSE(find_worlds((folder / "nothing").string()));
}

} // namespace
} // namespace orbis::library_tests
