#include "bson/writer.hpp"
#include "jobs/select/selection.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <set>

namespace orbis::jobs {
namespace {

using namespace test_worlds;

Selection parsed(std::string_view text) {
    auto selection = Selection::parse(text);
    EXPECT_TRUE(selection) << text << ": " << selection.error().text();
    return selection ? *selection : Selection();
}

TEST(Selection, ChunksRegionsAndRectanglesAreInclusive) {
    EXPECT_TRUE(parsed("3,-4").contains({3, -4}));
    EXPECT_FALSE(parsed("3,-4").contains({3, -3}));
    const auto region = parsed("region:-1,0");
    EXPECT_TRUE(region.contains({-32, 0}));
    EXPECT_TRUE(region.contains({-1, 31}));
    EXPECT_FALSE(region.contains({0, 0}));
    EXPECT_FALSE(region.contains({-1, 32}));
    for (const auto* text : {"chunks:-2,5..3,4", "chunks:3,4..-2,5"}) {
        const auto rectangle = parsed(text);
        EXPECT_TRUE(rectangle.contains({-2, 4}));
        EXPECT_TRUE(rectangle.contains({3, 5}));
        EXPECT_FALSE(rectangle.contains({4, 5}));
        EXPECT_FALSE(rectangle.contains({3, 6}));
    }
    const auto blocks = parsed("blocks:-1,0..32,31");
    EXPECT_TRUE(blocks.contains({-1, 0}));
    EXPECT_TRUE(blocks.contains({1, 0}));
    EXPECT_FALSE(blocks.contains({2, 0}));
    EXPECT_FALSE(blocks.contains({1, 1}));
    EXPECT_TRUE(parsed("blocks:-1,-1").contains({-1, -1}));
}

TEST(Selection, ACircleHasTheChunksWithAnyBlockInIt) {
    RC_ASSERT(rc::check("as a look at every block says", [] {
        const auto x = *rc::gen::inRange(-100, 100);
        const auto z = *rc::gen::inRange(-100, 100);
        const auto radius = *rc::gen::inRange(0, 90);
        const auto circle = Selection::parse(fmt::format("blocks:{},{}~{}", x, z, radius)).value();
        std::set<ChunkPos> expected;
        for (int dx = -radius; dx <= radius; ++dx)
            for (int dz = -radius; dz <= radius; ++dz)
                if (dx * dx + dz * dz <= radius * radius)
                    expected.insert(BlockPos{x + dx, 0, z + dz}.chunk());
        for (int cx = -8; cx <= 8; ++cx)
            for (int cz = -8; cz <= 8; ++cz)
                RC_ASSERT(circle.contains({cx, cz}) == expected.contains({cx, cz}));
    }));
    EXPECT_TRUE(parsed("chunks:10,10~5").contains({13, 14}));
    EXPECT_FALSE(parsed("chunks:10,10~5").contains({14, 14}));
}

TEST(Selection, AStatementIsATextOfItsOwn) {
    const auto selection = Selection::parse(std::vector<std::string>{
        "0,0 5,5", "  sql:SELECT x, z FROM chunks WHERE x < 3+2", "!sql+7:VALUES (1, 2)"});
    ASSERT_TRUE(selection) << selection.error().text();
    ASSERT_EQ(selection->terms().size(), 4U);
    EXPECT_EQ(selection->terms()[2].statement, "SELECT x, z FROM chunks WHERE x < 3+2");
    EXPECT_EQ(selection->terms()[2].margin, 0);
    EXPECT_FALSE(selection->terms()[2].inverted);
    EXPECT_EQ(selection->terms()[3].statement, "VALUES (1, 2)");
    EXPECT_EQ(selection->terms()[3].margin, 7);
    EXPECT_TRUE(selection->terms()[3].inverted);
    EXPECT_FALSE(selection->positions(100)) << "only an answer tells them";
    for (const auto* text :
         {"0,0 sql:SELECT 1, 2", "sql:", "sql: ", "sql+x:SELECT 1, 2", "sql+-1:SELECT 1, 2",
          "sql+:SELECT 1, 2", "sql+9999999999:SELECT 1, 2", "sql+2", "sql"})
        EXPECT_FALSE(Selection::parse(text)) << text;
}

TEST(Selection, StatementsAreAnsweredBySomebodyElse) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder / "world", {Buffer{1, 2, 3}});
    const auto store = world.open({}).value();
    auto selection = Selection::parse(std::vector<std::string>{"sql+1:SELECT", "5,5"}).value();
    NoProgress progress;
    EXPECT_FALSE(make_selector(selection, world, *store, 1, progress)) << "nobody can answer it";
    AskedChunks answer{{{0, 0}}, {}, {}};
    selection.answer_by([&](const std::string& statement, const world::World&, const storage::Store&,
                            std::size_t, Progress&) -> Result<AskedChunks> {
        EXPECT_EQ(statement, "SELECT");
        return answer;
    });
    const auto selected = [&](ChunkPos pos) {
        return make_selector(selection, world, *store, 1, progress).value().contains(pos);
    };
    EXPECT_TRUE(selected({0, 0}));
    EXPECT_TRUE(selected({1, 1})) << "by its margin";
    EXPECT_FALSE(selected({2, 0}));
    EXPECT_TRUE(selected({5, 5})) << "by the other term";
    answer.unreadable.push_back({9, 9});
    answer.problems.push_back(error(Errc::bad_frame, "damaged").at(ChunkPos{9, 9}));
    EXPECT_TRUE(selected({9, 9})) << "what cannot be read counts as selected";
    EXPECT_FALSE(selected({9, 8})) << "and has no margin";
    answer.complete = false;
    EXPECT_FALSE(make_selector(selection, world, *store, 1, progress)->complete());
}

TEST(Selection, AMarginIsAFrameOfChunks) {
    RC_ASSERT(rc::check("as a look at every neighbour says", [] {
        const auto margin = *rc::gen::inRange(0, 4);
        const auto shape = *rc::gen::elementOf(std::vector<std::string>{
            "2,-3", "blocks:17,-40~70", "chunks:1,1~3", "chunks:-2,0..1,3", "blocks:5,5..90,6"});
        const auto without = Selection::parse(shape).value();
        const auto with = Selection::parse(fmt::format("{}+{}", shape, margin)).value();
        for (int cx = -9; cx <= 9; ++cx)
            for (int cz = -9; cz <= 9; ++cz) {
                bool expected = false;
                for (int dx = -margin; dx <= margin; ++dx)
                    for (int dz = -margin; dz <= margin; ++dz)
                        expected = expected || without.contains({cx + dx, cz + dz});
                RC_ASSERT(with.contains({cx, cz}) == expected);
            }
    }));
}

TEST(Selection, SmallShapesCanBeListed) {
    for (const auto* text : {"3,-4", "chunks:-2,5..3,4+2", "blocks:17,-40~150", "chunks:1,1~6+1 3,3"}) {
        const auto selection = parsed(text);
        const auto listed = selection.positions(1000);
        ASSERT_TRUE(listed) << text;
        std::vector<ChunkPos> expected;
        for (int x = -30; x <= 30; ++x)
            for (int z = -30; z <= 30; ++z)
                if (selection.contains({x, z})) expected.push_back({x, z});
        EXPECT_TRUE(std::ranges::equal(*listed, expected)) << text;
    }
    for (const auto* text : {"chunks:0,0..9,9", "chunks:1,1~6", "blocks:17,-40~150"}) { // just not too many
        const auto size = parsed(text).positions(1000)->size();
        ASSERT_TRUE(parsed(text).positions(size)) << text;
        EXPECT_EQ(parsed(text).positions(size)->size(), size) << text;
        EXPECT_FALSE(parsed(text).positions(size - 1)) << text;
    }
    for (const auto* text : {"!3,4", "all", "inhabited", "blocks:0,0~2000000000", "chunks:0,0..100,100"})
        EXPECT_FALSE(parsed(text).positions(1000)) << text;
    const auto most = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(parsed("2147483647,2147483647+1").positions(100)->size(), 4U) << "cut at the end of the range";
    EXPECT_TRUE(parsed("2147483647,2147483647+1").positions(100)->contains({most, most}));
}

TEST(Selection, TermsAreAUnionAndAnExclamationMarkTurnsOneRound) {
    const auto selection = parsed(" 1,1\t!chunks:-5,-5..5,5+1 \n 2,2");
    EXPECT_TRUE(selection.contains({1, 1}));
    EXPECT_TRUE(selection.contains({2, 2}));
    EXPECT_FALSE(selection.contains({3, 3}));
    EXPECT_FALSE(selection.contains({6, 6})) << "the margin counts before the mark";
    EXPECT_TRUE(selection.contains({7, 0}));
    EXPECT_TRUE(parsed("all").contains({1 << 26, -(1 << 26)}));
    EXPECT_FALSE(parsed("!all").contains({0, 0}));
    EXPECT_EQ(Selection::parse(std::vector<std::string>{"1,1 2,2", "3,3"})->terms().size(), 3U);
}

TEST(Selection, NumbersAtTheEndsOfTheirRangeDoNotOverflow) {
    const auto least = std::numeric_limits<std::int32_t>::min();
    const auto most = std::numeric_limits<std::int32_t>::max();
    const auto circle = parsed("chunks:-2147483648,-2147483648~2147483647+1048576");
    EXPECT_TRUE(circle.contains({least, least}));
    EXPECT_FALSE(circle.contains({most, most}));
    EXPECT_TRUE(parsed("blocks:2147483647,-2147483648~2147483647+1").contains({most >> 5, least >> 5}));
    EXPECT_FALSE(parsed("blocks:0,0~5").contains({most, least}));
    EXPECT_TRUE(parsed("region:67108863,-67108864").contains({most, least}));
}

TEST(Selection, WhatIsNoSelectionSaysWhatWasExpected) {
    for (const auto* text : {"",
                             "  ",
                             "3",
                             "3,",
                             "3,x",
                             "3,4,5",
                             "3,4..",
                             "3,4..5",
                             "3,4..5,6..7,8",
                             "chunks:",
                             "blocks:1,2~",
                             "blocks:1,2~-3",
                             "region:1,2~3",
                             "region:67108864,0",
                             "spawn~",
                             "spawn~x",
                             "spawns",
                             "block:",
                             "!",
                             "+3",
                             "house:3,4",
                             "99999999999,0",
                             "3,4+99999999",
                             "1,1 nonsense",
                             "!!3,4",
                             "inhabited~5"}) {
        const auto selection = Selection::parse(text);
        ASSERT_FALSE(selection) << text;
        EXPECT_EQ(selection.error().code, Errc::usage) << text;
        EXPECT_NE(selection.error().problem.find("expected"), std::string::npos) << text;
        EXPECT_FALSE(selection.error().advice.empty()) << text;
    }
    for (const auto* text :
         {"3,4", "3,4..5,6", "3,4+1", "chunks:3,4", "blocks:1,2", "blocks:1,2~3", "blocks:1,2..3,4",
          "region:1,2", "spawn", "spawn~5", "players~5", "all", "beds", "inhabited+2"}) {
        EXPECT_TRUE(Selection::parse(text)) << text;
        for (const auto* more : {"x", ",", "~", "..", "+", "!"})
            EXPECT_FALSE(Selection::parse(std::string(text) + more)) << text << more;
    }
    RC_ASSERT(rc::check("no text is a crash", [](const std::string& text) {
        const auto selection = Selection::parse(text);
        if (selection && std::ranges::all_of(selection->terms(), &SelectionTerm::is_geometry))
            (void)selection->contains({0, 0});
    }));
}

TEST(Selection, WildcardsMatchAsPeopleExpect) {
    EXPECT_TRUE(matches_wildcard("Ore_*", "Ore_Iron_Stone"));
    EXPECT_TRUE(matches_wildcard("*Chest*", "*Furniture_Chest_State_Open"));
    EXPECT_TRUE(matches_wildcard("a*b*c", "aXbYbZc"));
    EXPECT_TRUE(matches_wildcard("*", ""));
    EXPECT_FALSE(matches_wildcard("Ore_*", "More_Ore_"));
    EXPECT_FALSE(matches_wildcard("a*b", "abc"));
    EXPECT_FALSE(matches_wildcard("", "a"));
    EXPECT_TRUE(matches_wildcard("Soil_Grass", "Soil_Grass"));
}

TEST(ChunkSet, NearFindsWhatALookAtEveryChunkFinds) {
    RC_ASSERT(rc::check("as a look at every chunk says", [] {
        const auto coordinate = rc::gen::inRange(-10, 10);
        const auto pairs =
            *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(coordinate, coordinate));
        std::vector<ChunkPos> chunks;
        for (const auto& [x, z] : pairs) chunks.push_back({x, z});
        const ChunkSet set(chunks);
        const auto margin = *rc::gen::inRange(0, 6);
        for (int x = -12; x <= 12; ++x)
            for (int z = -12; z <= 12; ++z) {
                const bool expected = std::ranges::any_of(chunks, [&](ChunkPos pos) {
                    return std::abs(pos.x - x) <= margin && std::abs(pos.z - z) <= margin;
                });
                RC_ASSERT(set.near({x, z}, margin) == expected);
            }
    }));
    const auto least = std::numeric_limits<std::int32_t>::min();
    EXPECT_TRUE(ChunkSet({{least, least}}).near({least, least}, 5));
}

/// A chunk with one block component, in today's form.
Buffer with_component(const std::function<void(bson::Writer&)>& component, bool with_entity = false) {
    Buffer out;
    bson::Writer root(out);
    root.document("Components");
    root.document("ChunkColumn").array("Sections").end().end();
    root.document("BlockComponentChunk").document("BlockComponents");
    root.document("2084").document("Components");
    component(root);
    root.end().end().end().end();
    root.document("EntityChunk").array("Entities");
    if (with_entity) root.document("0").document("Components").end().end();
    root.end().end();
    root.document("WorldChunk").end();
    root.end().finish();
    return out;
}

std::array<std::uint8_t, 16> uuid(int version) {
    std::array<std::uint8_t, 16> bytes{};
    bytes[6] = static_cast<std::uint8_t>(version << 4 | 1);
    return bytes;
}

class ResolveTest : public testing::Test {
protected:
    ResolveTest() {
        const auto empty = [](std::string_view name) {
            return with_component([name](bson::Writer& out) { out.document(name).end(); });
        };
        const auto placed = [](int version) {
            return with_component([version](bson::Writer& out) {
                out.document("PlacedByInteraction").binary("WhoPlacedUuid", uuid(version), 4).end();
            });
        };
        auto loot = [](std::string_view name) {
            return with_component(
                [name](bson::Writer& out) { out.document(name).string("Droplist", "Zone1_Loot").end(); });
        };
        world_ = make_world(folder_ / "universe" / "worlds" / "w",
                            {
                                empty("container"),                    // 0,0
                                empty("ItemContainerBlock"),           // 1,0
                                loot("ItemContainerBlock"),            // 2,0
                                empty("crafting"),                     // 3,0
                                empty("ProcessingBenchBlock"),         // 4,0
                                empty("RespawnBlock"),                 // 5,0
                                with_component([](bson::Writer& out) { // 6,0
                                    out.document("RespawnBlock").binary("OwnerUUID", uuid(4), 4).end();
                                }),
                                placed(4),                                  // 7,0
                                placed(3),                                  // 8,0
                                empty("BlockMapMarker"),                    // 9,0
                                with_component([](bson::Writer&) {}, true), // 10,0
                                plain(),                                    // 11,0: blocks and an entity
                                empty("FarmingBlock"),                      // 12,0
                                Buffer{1, 2, 3},                            // 13,0: no chunk
                            });
        store_ = world_.open({}).value();
    }

    /// The x of the chosen chunks.
    std::vector<int> chosen(std::string_view text) {
        problems_.clear();
        NoProgress quiet;
        std::vector<int> out;
        const auto set = resolve(parsed(text), world_, *store_, 2, quiet, problems_);
        EXPECT_TRUE(set) << set.error().text();
        for (const auto pos : *set) out.push_back(pos.x);
        return out;
    }
    using Ints = std::vector<int>;

    test::TemporaryFolder folder_;
    world::World world_;
    std::shared_ptr<storage::Store> store_;
    std::vector<Error> problems_;
};

TEST_F(ResolveTest, ChunksAreChosenByWhatIsInThem) {
    // 13,0 cannot be read and is always among them.
    EXPECT_EQ(chosen("containers"), (Ints{0, 1, 2, 13}));
    EXPECT_EQ(chosen("benches"), (Ints{3, 4, 13}));
    EXPECT_EQ(chosen("beds"), (Ints{5, 6, 13}));
    EXPECT_EQ(chosen("placed"), (Ints{7, 13}));
    EXPECT_EQ(chosen("entities"), (Ints{10, 11, 13}));
    EXPECT_EQ(chosen("block:Soil_Grass"), (Ints{11, 13}));
    EXPECT_EQ(chosen("block:Plant_*_Block"), (Ints{11, 13}));
    EXPECT_EQ(chosen("block:Ore_*"), (Ints{13}));
    EXPECT_EQ(chosen("block:Empty"), chosen("all")) << "also where a section has nothing else";
    EXPECT_EQ(chosen("inhabited"), (Ints{0, 1, 3, 4, 6, 7, 9, 13}));
    ASSERT_EQ(problems_.size(), 1U);
    EXPECT_EQ(problems_[0].subject(), "chunk 13,0");
}

TEST_F(ResolveTest, EachNameOfAComponentCountsInTodaysAndInTheOldForm) {
    const auto old_state = [](std::string_view name) {
        Buffer out;
        bson::Writer root(out);
        root.document("Components").document("BlockStateChunk").array("States");
        root.document("0").document("Components").document(name).document("Position");
        root.int32("X", 3).int32("Y", 70).int32("Z", 31).end().end().end().end();
        root.end().end().document("WorldChunk").end().end().finish();
        return out;
    };
    for (const auto& [name, word] :
         {std::pair("container", "containers"), std::pair("ItemContainerBlock", "containers"),
          std::pair("crafting", "benches"), std::pair("BenchBlock", "benches"),
          std::pair("processingBench", "benches"), std::pair("ProcessingBenchBlock", "benches"),
          std::pair("RespawnBlock", "beds"), std::pair("BlockMapMarker", "inhabited"),
          std::pair("FarmingBlock", "")}) {
        const auto today = with_component([&](bson::Writer& out) { out.document(name).end(); });
        world_ = make_world(folder_ / name, {today, old_state(name)});
        store_ = world_.open({}).value();
        for (const std::string_view each : {"containers", "benches", "beds", "placed"})
            EXPECT_EQ(chosen(each), each == word ? (Ints{0, 1}) : Ints{}) << name << " " << each;
        const bool is_of_players = *word != 0 && std::string_view(name) != "RespawnBlock"; // that of nobody
        EXPECT_EQ(chosen("inhabited"), is_of_players ? (Ints{0, 1}) : Ints{}) << name;
    }
}

TEST_F(ResolveTest, IdsOfPlayersAreKnownInTheirOlderFormToo) {
    const auto placed = [](std::size_t at, std::uint8_t subtype) {
        std::array<std::uint8_t, 16> bytes{};
        bytes[at] = 0x41;
        return with_component([=](bson::Writer& out) {
            out.document("PlacedByInteraction").binary("WhoPlacedUuid", bytes, subtype).end();
        });
    };
    world_ = make_world(folder_ / "older", {placed(1, 3), placed(6, 3), placed(1, 4), placed(6, 4)});
    store_ = world_.open({}).value();
    EXPECT_EQ(chosen("placed"), (Ints{0, 3})) << "each half of an older one stands from its end";
}

TEST_F(ResolveTest, ABlockThatNoCellHoldsAnyMoreIsNotThere) {
    auto without = with_block(7);
    const auto other = with_block(8);
    const auto cell = std::ranges::mismatch(without, other);
    *cell.in1 = *cell.in2; // the palette still has its key
    ASSERT_NE(as_text(without).find("Rock_Marble"), std::string_view::npos);
    world_ = make_world(folder_ / "palettes", {without, other});
    store_ = world_.open({}).value();
    EXPECT_EQ(chosen("block:Rock_Marble"), (Ints{1}));
}

TEST_F(ResolveTest, WhatCannotBeReadIsAmongThemAlsoBehindAnExclamationMark) {
    EXPECT_EQ(chosen("!containers"), (Ints{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
    EXPECT_EQ(chosen("placed+2"), (Ints{5, 6, 7, 8, 9, 11, 12, 13}));
    EXPECT_EQ(chosen("placed 1,0"), (Ints{1, 7, 13}));
}

TEST_F(ResolveTest, GeometryReadsNoChunk) {
    EXPECT_EQ(chosen("chunks:12,-5..200,5"), (Ints{12, 13}));
    EXPECT_TRUE(problems_.empty());
    EXPECT_EQ(parsed("chunks:12,-5..200,5").parts(), chunk::Parts{});
}

TEST_F(ResolveTest, PlayersSpawnAndMarkersComeFromTheFilesOfTheUniverse) {
    put(folder_ / "universe" / "players" / "1.json",
        as_bytes(R"({"Components":{"Player":{"PlayerData":{"World":"w"}},
                 "Transform":{"Position":{"X":400.0,"Y":1.0,"Z":5.0}}}})"));
    put(folder_ / "universe" / "worlds" / "w" / "resources" / "BlockMapMarkers.json",
        as_bytes(R"({"Markers":{"1":{"Position":{"X":270,"Y":2,"Z":3}}}})"));
    put(folder_ / "universe" / "worlds" / "w" / "config.json",
        as_bytes(R"({"SpawnProvider":{"Id":"Global","SpawnPoint":{"X":70.0,"Y":1.0,"Z":1.0}}})"));
    world_ = world::find_location(folder_ / "universe")->worlds.at(0);
    EXPECT_EQ(chosen("players"), (Ints{12}));
    EXPECT_EQ(chosen("players~20+1"), (Ints{10, 11, 12, 13}));
    EXPECT_EQ(chosen("spawn~30"), (Ints{1, 2, 3}));
    EXPECT_EQ(chosen("!spawn~30+4"), (Ints{8, 9, 10, 11, 12, 13}));
    EXPECT_TRUE(problems_.empty());
    EXPECT_EQ(chosen("inhabited"), (Ints{0, 1, 3, 4, 6, 7, 8, 9, 12, 13}));
}

TEST_F(ResolveTest, ManyPlayersAreAsGoodAsManyCircles) {
    std::string circles;
    for (int i = 0; i < 40; ++i) {
        const int x = i * 97 % 400;
        const int z = i * 53 % 300 - 150;
        circles += fmt::format("blocks:{},{}~45+1 ", x, z);
        put(folder_ / "universe" / "players" / fmt::format("{}.json", i),
            as_bytes(fmt::format(R"({{"Components":{{"Player":{{"PlayerData":{{"World":"w"}}}},
                     "Transform":{{"Position":{{"X":{}.5,"Y":1.0,"Z":{}.5}}}}}}}})",
                                 x, z)));
    }
    NoProgress quiet;
    const auto expected = parsed(circles);
    const auto selector = make_selector(parsed("players~45+1"), world_, *store_, 1, quiet);
    const auto others = make_selector(parsed("!players~45+1"), world_, *store_, 1, quiet);
    ASSERT_TRUE(selector && others && selector->complete());
    for (int x = -10; x < 25; ++x)
        for (int z = -15; z < 15; ++z) {
            EXPECT_EQ(selector->contains({x, z}), expected.contains({x, z})) << x << "," << z;
            EXPECT_NE(others->contains({x, z}), expected.contains({x, z})) << x << "," << z;
        }
}

TEST_F(ResolveTest, AFileThatCannotBeReadLeavesTheSelectionIncomplete) {
    put(folder_ / "universe" / "players" / "1.json", as_bytes("{"));
    NoProgress quiet;
    for (const auto* text : {"players~100", "inhabited", "spawn"}) {
        const auto selector = make_selector(parsed(text), world_, *store_, 1, quiet);
        ASSERT_TRUE(selector);
        EXPECT_FALSE(selector->complete()) << text;
        EXPECT_FALSE(selector->problems().empty()) << text;
    }
    EXPECT_TRUE(make_selector(parsed("containers"), world_, *store_, 1, quiet)->complete());
}

/// Keeps what the user is told.
class WarnedProgress final : public Progress {
public:
    void begin(std::string_view, std::uint64_t) override {}
    void step() override {}
    void warn(const Error& what) override { warnings.push_back(what); }
    std::vector<Error> warnings;
};

TEST_F(ResolveTest, ABlockThatNobodyHasIsToldUnlessItMayBeRight) {
    const auto warned = [&](std::string_view text) {
        WarnedProgress progress;
        EXPECT_TRUE(make_selector(parsed(text), world_, *store_, 1, progress));
        return progress.warnings;
    };
    EXPECT_TRUE(warned("block:Rock_Stoen").empty()) << "a chunk that cannot be read may have it";
    world_ = make_world(folder_ / "sound", {plain()});
    store_ = world_.open({}).value();
    const auto unknown = warned("block:Rock_Stoen");
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_EQ(unknown[0].code, Errc::not_found);
    EXPECT_EQ(
        unknown[0].problem.find("no chunk has the block Rock_Stoen, and the game has none of that name"), 0U)
        << unknown[0].problem;
    EXPECT_NE(unknown[0].problem.find("Rock_Stone"), std::string::npos) << unknown[0].problem;
    EXPECT_EQ(unknown[0].advice, "orbis blocks PATH lists the blocks of a world");
    EXPECT_TRUE(warned("block:Rock_Stone").empty()) << "the game has it, and so have chunks";
    EXPECT_TRUE(warned("block:Rock_Marble").empty()) << "the game has it";
    EXPECT_TRUE(warned("block:Mod_*").empty()) << "a pattern";
    EXPECT_TRUE(warned("block:Empty").empty());
    EXPECT_TRUE(warned("containers").empty());
}

} // namespace
} // namespace orbis::jobs
