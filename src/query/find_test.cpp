#include "library/library_worlds_test.hpp"
#include "query/block_runs.hpp"
#include "query/chunk_rows.hpp"
#include "query/containers.hpp"
#include "query/database.hpp"
#include "query/depths.hpp"
#include "query/find.hpp"
#include "query/select_chunks.hpp"
#include "support/wait_for.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <random>

namespace orbis::query {
namespace {

using namespace library_tests;

/// A chunk with a door of two cells, a second door whose upper cell is of another key, and ore at several
/// heights.
Buffer with_doors() {
    return edited(plain(), [](chunk::Chunk& chunk) {
        const auto up = chunk::Filler::of_offset(0, 1, 0);
        EXPECT_TRUE(chunk.set_block({4, 100, 4}, {"Door_Oak", {}, {}}));
        EXPECT_TRUE(chunk.set_block({4, 101, 4}, {"Door_Oak", {}, up}));
        EXPECT_TRUE(chunk.set_block({9, 100, 4}, {"Door_Oak", {}, {}}));
        EXPECT_TRUE(chunk.set_block({9, 101, 4}, {"Door_Oak", {}, up}));
        for (const int y : {40, 41, 70}) EXPECT_TRUE(chunk.set_block({1, y, 1}, {"Ore_Gold_Stone", {}, {}}));
    });
}

class FindTest : public testing::Test {
protected:
    Session& open(const std::vector<Buffer>& chunks, std::size_t threads = 1) {
        make_world(folder_ / "world", chunks);
        SessionOptions options;
        options.threads = threads;
        options.on_problem = [this](const Error& problem) { problems_.push_back(problem); };
        session_ = std::make_unique<Session>(world::find_location(folder_ / "world").value(), options);
        return *session_;
    }
    static FindQuestion question(std::vector<std::string> patterns) {
        FindQuestion asked;
        asked.filter.keys.push_back({TextTest::Kind::glob, std::move(patterns)});
        return asked;
    }
    std::vector<std::string> ask(const FindQuestion& asked) {
        std::vector<std::string> hits;
        const auto counts = find(*session_, asked, [&](const Hit& hit) {
            hits.push_back(fmt::format("{} {} {} {} {}|{}|{}", name(hit.kind), hit.at[0], hit.at[1],
                                       hit.at[2], hit.key, hit.detail, hit.pieces));
        });
        EXPECT_TRUE(counts) << counts.error().text();
        counts_.clear();
        for (const auto& count : *counts)
            counts_ += fmt::format("{} {} {} {};", name(count.kind), count.key, count.hits, count.pieces);
        return hits;
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<Session> session_;
    std::vector<Error> problems_;
    std::string counts_;
};

using Texts = std::vector<std::string>;

TEST_F(FindTest, ABlockOfSeveralCellsIsOneHit) {
    open({with_doors()});
    EXPECT_EQ(ask(question({"Door_*"})), (Texts{"block 4 100 4 Door_Oak||1", "block 9 100 4 Door_Oak||1"}));
    EXPECT_EQ(counts_, "block Door_Oak 2 2;");
    auto upper = question({"Door_Oak"});
    upper.filter.y = {101, 200};
    EXPECT_EQ(ask(upper), Texts{}) << "its base is below the box";
}

TEST_F(FindTest, FindsItemsAndEntitiesToo) {
    open({plain(), furnished()});
    EXPECT_EQ(ask(question({"Ingredient_Stick", "Furniture_C*", "Berta"})),
              (Texts{"block 33 33 2 Furniture_Chest||1", "item 33 33 2 Ingredient_Stick|Furniture_Chest|12",
                     "item 36 40 4 Ingredient_Stick|Empty|12", "entity 3.5 34 7.25 Pig|Berta|1"}));
    EXPECT_EQ(counts_, "item Ingredient_Stick 2 24;block Furniture_Chest 1 1;entity Pig 1 1;");
    auto items = question({"*"});
    items.blocks = items.entities = false;
    items.filter.x = {30, 34};
    EXPECT_EQ(ask(items), (Texts{"item 33 33 2 Tool_Axe_Iron|Furniture_Chest|1",
                                 "item 33 33 2 Ingredient_Stick|Furniture_Chest|12"}));
    auto entities = question({"Pig"});
    entities.filter.x = {3, 3};
    EXPECT_EQ(ask(entities), Texts{"entity 3.5 34 7.25 Pig|Berta|1"})
        << "it stands outside of the chunk that stores it";
    entities.filter.x = {4, 9};
    EXPECT_EQ(ask(entities), Texts{});
}

TEST_F(FindTest, TheNearestComeFirstAndAllAreCounted) {
    open({with_doors(), with_doors()});
    auto near = question({"Ore_Gold*", "Door_Oak"});
    near.near = {{36.0, 101.0, 4.0}};
    near.limit = 3;
    EXPECT_EQ(ask(near), (Texts{"block 36 100 4 Door_Oak||1", "block 41 100 4 Door_Oak||1",
                                "block 9 100 4 Door_Oak||1"}));
    EXPECT_EQ(counts_, "block Ore_Gold_Stone 6 6;block Door_Oak 4 4;");
    near.near.reset();
    EXPECT_EQ(ask(near).size(), 3U);
    EXPECT_EQ(counts_, "block Ore_Gold_Stone 6 6;block Door_Oak 4 4;");
    near.counts_all = false;
    EXPECT_EQ(ask(near).size(), 3U) << "it ends with the limit";
}

TEST_F(FindTest, ABlockIsAsFarAsItsMiddle) {
    open({edited(plain(), [](chunk::Chunk& chunk) {
        for (const int x : {4, 5, 7}) EXPECT_TRUE(chunk.set_block({x, 100, 4}, {"Lamp", {}, {}}));
    })});
    auto near = question({"Lamp"});
    near.near = {{4.9, 100.5, 4.5}};
    near.limit = 1;
    EXPECT_EQ(ask(near), Texts{"block 4 100 4 Lamp||1"});
    near.near = {{6.5, 100.5, 4.5}}; // between two of them
    EXPECT_EQ(ask(near), Texts{"block 5 100 4 Lamp||1"}) << "the first of those that are as near";
}

TEST_F(FindTest, AnEntityIsFoundInABoxBesideTheChunkThatStoresIt) {
    const auto with_pig = [](double x, double z) {
        return edited(plain(), [&](chunk::Chunk& chunk) {
            EXPECT_TRUE(chunk.edit_entities().value()->add(world::made::entity("Pig", "", x, 34, z)));
        });
    };
    open({with_pig(40.5, 7), plain(), with_pig(63.5, 7)});
    auto asked = question({"Pig"});
    asked.filter.x = {33, 50};
    EXPECT_EQ(ask(asked), Texts{"entity 40.5 34 7 Pig||1"}) << "stored west of the box";
    asked.filter.x = {51, 63};
    EXPECT_EQ(ask(asked), Texts{"entity 63.5 34 7 Pig||1"}) << "stored east of the box";
}

TEST_F(FindTest, ABlockOfOldWorldsIsOneHitToo) {
    auto sections = documents::ten_sections(3);
    sections[2].blocks.assign(test::k_image_cells, "Empty");
    sections[2].blocks[0] = "Door_Oak";
    sections[2].blocks[k_columns] = "Door_Oak|Filler=0,1,0";
    open({documents::document(sections)});
    EXPECT_EQ(ask(question({"Door_Oak"})), Texts{"block 0 64 0 Door_Oak||1"});
}

TEST_F(FindTest, AgreesWithTheTables) {
    open({plain(), with_doors(), furnished()}, 3);
    auto database = Database::open(world::find_location(folder_ / "world").value(), {}).value();
    auto statement =
        database->prepare("SELECT count(*) FROM blocks WHERE key GLOB '*o*' AND filler = 0").value();
    ASSERT_TRUE(*statement.next());
    auto asked = question({"*o*"});
    asked.items = asked.entities = false;
    EXPECT_EQ(static_cast<std::int64_t>(ask(asked).size()), std::get<std::int64_t>(statement.field(0)));
}

TEST_F(FindTest, OnlyChosenChunksAreRead) {
    open({with_doors(), Buffer{1, 2, 3}});
    auto asked = question({"Door_Oak"});
    EXPECT_EQ(ask(asked).size(), 2U);
    EXPECT_EQ(problems_.size(), 1U) << "the damaged chunk is named";
    problems_.clear();
    session_.reset();
    open({with_doors(), Buffer{1, 2, 3}});
    asked.filter.only = [](const world::World&, ChunkPos pos) { return pos.x == 0; };
    EXPECT_EQ(ask(asked).size(), 2U);
    EXPECT_TRUE(problems_.empty());
}

TEST_F(FindTest, ListsContainersWithAllStacks) {
    open({plain(), furnished()});
    Texts found;
    ASSERT_TRUE(for_each_container(*session_, {}, [&](const Container& container) {
        auto text = fmt::format("{:n} {} {}", container.pos, container.key, container.capacity);
        for (const auto& stack : container.stacks)
            text += fmt::format(";{} {} {} {}", stack.id, stack.quantity, stack.slot.value_or(-1),
                                stack.durability);
        found.push_back(text);
    }));
    std::size_t lower = 0;
    Filter below;
    below.y = {0, 39};
    ASSERT_TRUE(for_each_container(*session_, below, [&](const Container& container) {
        EXPECT_EQ(container.pos.y, 33);
        ++lower;
    }));
    EXPECT_EQ(lower, 1U) << "the bench is higher";
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0], "33,33,2 Furniture_Chest 18;Tool_Axe_Iron 1 0 50;Ingredient_Stick 12 2 0");
    EXPECT_TRUE(found[1].starts_with("36,40,4 Empty ")) << found[1];
    EXPECT_TRUE(found[1].find(";Ingredient_Stick 12 ") != std::string::npos) << found[1];
}

TEST_F(FindTest, CountsByHeight) {
    open({with_doors(), plain(), with_doors()}, 2);
    Filter filter;
    filter.keys.push_back({TextTest::Kind::glob, {"Ore_*", "Door_*"}});
    const auto found = count_by_height(*session_, filter);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->chunks, 3U);
    ASSERT_EQ(found->keys.size(), 2U);
    const auto& gold = found->keys.at("Ore_Gold_Stone");
    EXPECT_EQ(std::accumulate(gold.begin(), gold.end(), std::uint64_t{0}), 6U);
    EXPECT_EQ(gold[40], 2U);
    EXPECT_EQ(gold[41], 2U);
    EXPECT_EQ(gold[70], 2U);
    filter.keys = {{TextTest::Kind::glob, {"Rock_Stone"}}};
    const auto stone = count_by_height(*session_, filter).value().keys.at("Rock_Stone");
    EXPECT_EQ(stone[0], 3U * k_columns) << "cells of a run count in the layers that it goes through";
    EXPECT_EQ(stone[1], 3U * k_columns);
}

/// A chunk with lamps and chests here and there, and cows, one of which does not say where it is.
Buffer with_things(std::uint32_t seed) {
    return edited(plain(), [seed](chunk::Chunk& chunk) {
        std::mt19937 random(seed);
        const auto below = [&random](std::uint32_t most) { return static_cast<int>(random() % most); };
        static constexpr std::array<world::sample::Item, 3> k_items{
            {{"Lamp_Oil", 3}, {"Bone", 1}, {"Lamp_Oil", 4}}};
        for (int i = 0; i < 12; ++i) {
            EXPECT_TRUE(chunk.set_block({below(32), 40 + below(200), below(32)}, {"Lamp", {}, {}}));
            const BlockPos at{below(32), 40 + below(200), below(32)};
            EXPECT_TRUE(chunk.edit_block_components().value()->set(
                chunk::BlockIndex(at),
                world::sample::chest(9, std::span(k_items).first(1 + random() % k_items.size()))));
            EXPECT_TRUE(chunk.edit_entities().value()->add(
                world::made::entity(i % 2 == 0 ? "Cow" : "Pig", i % 3 == 0 ? "Lampert" : "",
                                    below(640) / 10.0, below(3000) / 10.0, below(320) / 10.0)));
        }
    });
}

/// A hit with what a box and a distance need.
struct Found {
    HitKind kind;
    std::array<double, 3> at;
    std::string key;
    std::int64_t pieces;
    friend bool operator==(const Found&, const Found&) = default;
};

TEST_F(FindTest, ABoxAndADistanceChooseAmongAllHits) {
    open({with_things(1), with_things(2), with_things(3)}, 1);
    const auto run = [this](const FindQuestion& asked) {
        std::vector<Found> hits;
        EXPECT_TRUE(find(*session_, asked, [&](const Hit& hit) {
            hits.push_back({hit.kind, hit.at, std::string(hit.key), hit.pieces});
        }));
        return hits;
    };
    const auto all = run(question({"Lamp*", "Cow", "Bone"}));
    ASSERT_GT(all.size(), 60U);
    EXPECT_EQ(std::ranges::count(all, HitKind::block, &Found::kind), 36);
    std::mt19937 random(7);
    const auto range = [&random](std::int64_t most) {
        Range made;
        made.least = static_cast<std::int64_t>(random()) % most;
        made.most = made.least + static_cast<std::int64_t>(random()) % most;
        return made;
    };
    for (int round = 0; round < 60; ++round) {
        auto asked = question({"Lamp*", "Cow", "Bone"});
        if (round % 4 != 1) asked.filter.x = range(96);
        if (round % 4 != 2) asked.filter.y = range(300);
        if (round % 4 != 3) asked.filter.z = range(32);
        asked.blocks = round % 5 != 1;
        asked.items = round % 5 != 2;
        asked.entities = round % 5 != 3;
        std::vector<Found> expected;
        for (const auto& hit : all) {
            const std::array ranges{asked.filter.x, asked.filter.y, asked.filter.z};
            bool is_inside = true;
            for (std::size_t axis = 0; axis < 3; ++axis)
                is_inside =
                    is_inside && ranges[axis].contains(static_cast<std::int64_t>(std::floor(hit.at[axis])));
            const bool is_wanted = hit.kind == HitKind::block  ? asked.blocks
                                   : hit.kind == HitKind::item ? asked.items
                                                               : asked.entities;
            if (is_inside && is_wanted) expected.push_back(hit);
        }
        ASSERT_EQ(run(asked), expected) << round;

        const std::array<double, 3> near{static_cast<double>(random() % 96), 100.0,
                                         static_cast<double>(random() % 32)};
        asked.near = near;
        asked.limit = round % 3 == 0 ? 0 : 1 + random() % 9;
        const auto distance = [&near](const Found& hit) {
            double sum = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto apart = hit.at[axis] + (hit.kind == HitKind::entity ? 0.0 : 0.5) - near[axis];
                sum += apart * apart;
            }
            return sum;
        };
        std::ranges::stable_sort(expected, {}, distance);
        if (asked.limit != 0 && expected.size() > asked.limit)
            expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(asked.limit), expected.end());
        ASSERT_EQ(run(asked), expected) << round;
    }
}

TEST_F(FindTest, ABoxEndsWhereTheNextBlockBegins) {
    open({edited(plain(), [](chunk::Chunk& chunk) {
        for (const double x : {9.0, 9.99, 10.0})
            EXPECT_TRUE(chunk.edit_entities().value()->add(world::made::entity("Pig", "", x, 34, 7)));
    })});
    auto asked = question({"Pig"});
    asked.filter.x = {9, 9};
    EXPECT_EQ(ask(asked), (Texts{"entity 9 34 7 Pig||1", "entity 9.99 34 7 Pig||1"}));
}

TEST_F(FindTest, ABlockAndAnItemOfOneKeyAreCountedApart) {
    static constexpr std::array<world::sample::Item, 1> k_lamps{{{"Lamp", 3}}};
    open({edited(plain(), [](chunk::Chunk& chunk) {
        EXPECT_TRUE(chunk.set_block({1, 100, 1}, {"Lamp", {}, {}}));
        EXPECT_TRUE(chunk.edit_block_components().value()->set(chunk::BlockIndex(BlockPos{2, 100, 1}),
                                                               world::sample::chest(9, k_lamps)));
    })});
    ask(question({"Lamp"}));
    EXPECT_EQ(counts_, "block Lamp 1 1;item Lamp 1 3;");
}

TEST_F(FindTest, AnEntityWithoutAPlaceIsFoundWhereNoBoxIsAskedFor) {
    open({plain()}); // whose only entity has a name and nothing else
    EXPECT_EQ(ask(question({"Bob"})), Texts{"entity 0 0 0 Entity|Bob|1"});
    for (const int axis : {0, 1, 2}) {
        auto boxed = question({"Bob"});
        (axis == 0 ? boxed.filter.x : axis == 1 ? boxed.filter.y : boxed.filter.z) = {-10, 10};
        EXPECT_EQ(ask(boxed), Texts{}) << axis;
    }
}

TEST_F(FindTest, HeightsAreThoseOfTheTable) {
    open({with_things(1), with_doors(), with_things(2)});
    auto database = Database::open(world::find_location(folder_ / "world").value(), {}).value();
    Filter filter;
    filter.keys.push_back({TextTest::Kind::glob, {"[DLSR]*"}});
    const auto found = count_by_height(*session_, filter).value();
    std::map<std::string, ByHeight> expected;
    auto statement =
        database->prepare("SELECT key, y, count(x) FROM blocks WHERE key GLOB '[DLSR]*' GROUP BY key, y")
            .value();
    while (*statement.next())
        expected[std::string(std::get<std::string_view>(statement.field(0)))]
                [static_cast<std::size_t>(std::get<std::int64_t>(statement.field(1)))] =
                    static_cast<std::uint64_t>(std::get<std::int64_t>(statement.field(2)));
    EXPECT_EQ(found.keys, expected);
    EXPECT_GE(expected.size(), 4U);
}

TEST(WantedKeys, AreTheSameHoweverManyCame) {
    Filter filter;
    filter.keys.push_back({TextTest::Kind::glob, {"*7"}});
    WantedKeys wanted(filter);
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 70'000; ++i)
            ASSERT_EQ(wanted.contains(fmt::format("Block_{}", i)), i % 10 == 7) << i;
}

/// A batch without rows that says that it keeps a lot, and counts how many do so at once.
class LargeBatch final : public ChunkBatch {
public:
    LargeBatch(std::atomic<int>& now, std::atomic<int>& most) : now_(now), most_(most) {}
    Result<void> fill(const OpenWorld&, ChunkPos, chunk::ChunkReader&) override {
        const int held = ++now_;
        for (int seen = most_; held > seen && !most_.compare_exchange_weak(seen, held);) {
        }
        return {};
    }
    bool next() override {
        --now_;
        return false;
    }
    void column(std::size_t, Cell) const override {}
    [[nodiscard]] std::size_t memory() const override { return 1 << 30; }

private:
    std::atomic<int>& now_;
    std::atomic<int>& most_;
};

TEST_F(FindTest, ThreadsDoNotReadAheadOfWhatTakesALotOfMemory) {
    open(std::vector<Buffer>(60, plain()), 2);
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    const auto scan =
        chunk_rows(*session_, {}, [&]() { return std::make_unique<LargeBatch>(now, most); }).value();
    ASSERT_TRUE(test::wait_for([&] { return now > 0; }));
    EXPECT_FALSE(scan->next().value());
    EXPECT_LE(most, 2) << "one for each thread, which could not know of the other";
}

class SelectChunksTest : public testing::Test {
protected:
    Result<jobs::AskedChunks> ask(const std::string& statement) {
        NoProgress quiet;
        return select_chunks(statement, world_, *store_, 2, quiet);
    }
    test::TemporaryFolder folder_;
    world::World world_ = make_world(folder_ / "world", {plain(), furnished(), Buffer{1, 2, 3}});
    std::shared_ptr<storage::Store> store_ = world_.open({}).value();
};

TEST_F(SelectChunksTest, RowsArePositions) {
    const auto found = ask("SELECT chunk_x, chunk_z FROM items UNION SELECT -5, 7");
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(jobs::ChunkSet(found->chunks).chunks()[0], (ChunkPos{-5, 7}));
    EXPECT_EQ(found->chunks.size(), 2U);
    EXPECT_EQ(found->unreadable, std::vector<ChunkPos>({{2, 0}}));
    EXPECT_EQ(found->problems.size(), 1U);
    EXPECT_TRUE(found->complete);
    EXPECT_TRUE(ask("SELECT x, z FROM chunks")->unreadable.empty()) << "nothing was read";
}

/// Counts what it is told.
class CountedProgress final : public Progress {
public:
    void begin(std::string_view, std::uint64_t of) override { totals.push_back(of); }
    void step() override { ++steps; }
    std::vector<std::uint64_t> totals;
    std::uint64_t steps = 0;
};

TEST_F(SelectChunksTest, EveryChunkThatIsReadIsAStep) {
    CountedProgress progress;
    ASSERT_TRUE(select_chunks("SELECT chunk_x, chunk_z FROM items", world_, *store_, 1, progress));
    EXPECT_EQ(progress.totals, std::vector<std::uint64_t>{3});
    EXPECT_EQ(progress.steps, 3U);
}

TEST_F(SelectChunksTest, OtherRowsAreErrors) {
    for (const std::string statement :
         {"SELECT x FROM chunks", "SELECT x, z, 1 FROM chunks", "SELECT x, region FROM chunks",
          "SELECT x, NULL FROM chunks", "SELECT x + 0.5, z FROM chunks", "SELECT 2147483648, 0",
          "SELECT 0, -2147483649", "SELECT x, z FORM chunks", "DROP TABLE chunks", ""}) {
        const auto found = ask(statement);
        ASSERT_FALSE(found) << statement;
        EXPECT_EQ(found.error().code, Errc::usage) << statement;
    }
    EXPECT_TRUE(ask("SELECT 2147483647, -2147483648"));
    EXPECT_TRUE(ask("SELECT 1, 2 WHERE 1 = 0")->chunks.empty());
}

TEST_F(SelectChunksTest, APlayersFileThatCannotBeReadMayHideMore) {
    const auto place = folder_ / "universe" / "worlds" / "w";
    make_world(place, {plain()});
    std::filesystem::create_directories(folder_ / "universe" / "players");
    std::ofstream(folder_ / "universe" / "players" / "00000000-0000-0000-0000-000000000001.json")
        << "{ broken";
    const auto location = world::find_location(folder_ / "universe").value();
    NoProgress quiet;
    const auto store = location.worlds.at(0).open({}).value();
    const auto found =
        select_chunks("SELECT x / 32, z / 32 FROM players", location.worlds.at(0), *store, 1, quiet);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_FALSE(found->complete);
    EXPECT_FALSE(found->problems.empty());
}

} // namespace
} // namespace orbis::query
