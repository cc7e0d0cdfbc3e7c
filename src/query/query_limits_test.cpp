#include "chunk/chunk.hpp"
#include "query/containers.hpp"
#include "query/database.hpp"
#include "query/depths.hpp"
#include "query/filter.hpp"
#include "query/find.hpp"
#include "query/query_test.hpp"
#include "query/save_answer.hpp"
#include "query/table.hpp"
#include "support/region_images.hpp"

#include <cstdint>
#include <fstream>
#include <limits>
#include <sqlite3.h>
#include <string>
#include <vector>

/// Filters, damage and sizes at their limits.
namespace orbis::query {
namespace {

constexpr auto k_least_number = std::numeric_limits<std::int64_t>::min();
constexpr auto k_most_number = std::numeric_limits<std::int64_t>::max();

TEST(Filter, ARangeHasBothOfItsEnds) {
    Range range;
    EXPECT_TRUE(range.contains(k_least_number));
    EXPECT_TRUE(range.contains(k_most_number));
    range.at_least(3);
    range.at_most(5);
    range.at_least(2);
    range.at_most(6);
    EXPECT_EQ(range, (Range{3, 5})) << "it only becomes narrower";
    for (const auto& [value, is_inside] :
         {std::pair{2, false}, std::pair{3, true}, std::pair{5, true}, std::pair{6, false}})
        EXPECT_EQ(range.contains(value), is_inside) << value;
    EXPECT_FALSE(range.is_empty());
    EXPECT_FALSE((Range{4, 4}.is_empty()));
    EXPECT_TRUE((Range{5, 4}.is_empty()));
}

TEST(Filter, TextsAreComparedAsSqliteDoes) {
    using Kind = TextTest::Kind;
    struct Row {
        Kind kind;
        std::vector<std::string> values;
        std::string text;
        bool fits;
    };
    for (const auto& [kind, values, text, fits] : std::vector<Row>{
             {Kind::one_of, {"a", "c"}, "a", true},  {Kind::one_of, {"a", "c"}, "c", true},
             {Kind::one_of, {"a", "c"}, "b", false}, {Kind::one_of, {"a"}, "A", false},
             {Kind::one_of, {}, "a", false},         {Kind::at_least, {"b"}, "b", true},
             {Kind::at_least, {"b"}, "a", false},    {Kind::at_least, {"b"}, "c", true},
             {Kind::at_most, {"b"}, "b", true},      {Kind::at_most, {"b"}, "c", false},
             {Kind::at_most, {"b"}, "a", true},      {Kind::above, {"b"}, "b", false},
             {Kind::above, {"b"}, "bb", true},       {Kind::above, {"b"}, "a", false},
             {Kind::below, {"b"}, "b", false},       {Kind::below, {"b"}, "a", true},
             {Kind::below, {"b"}, "c", false},       {Kind::glob, {"Ro*"}, "Rock", true},
             {Kind::glob, {"ro*"}, "Rock", false},   {Kind::glob, {"R?ck"}, "Rock", true},
             {Kind::glob, {"R?ck"}, "Rocks", false}, {Kind::like, {"ro%"}, "Rock", true},
             {Kind::like, {"r_ck"}, "Rock", true},   {Kind::like, {"r_c"}, "Rock", false},
         })
        EXPECT_EQ((TextTest{kind, values}.admits(text)), fits) << static_cast<int>(kind) << " " << text;
    Filter filter;
    EXPECT_TRUE(filter.admits_key("anything"));
    EXPECT_FALSE(filter.names_key("Empty"));
    filter.keys = {{Kind::at_least, {"Empty"}}, {Kind::like, {"Empty"}}};
    EXPECT_FALSE(filter.names_key("Empty")) << "only a name or a pattern names it";
    EXPECT_TRUE(filter.admits_key("Empty"));
    EXPECT_FALSE(filter.admits_key("Empties")) << "each of them must admit it";
    filter.keys = {{Kind::glob, {"Empty"}}};
    EXPECT_TRUE(filter.names_key("Empty"));
    filter.keys = {{Kind::one_of, {"a", "Empty"}}};
    EXPECT_TRUE(filter.names_key("Empty"));
    EXPECT_FALSE(filter.names_key("b"));
    filter.worlds = {{Kind::one_of, {"w"}}};
    EXPECT_TRUE(filter.admits_world("w"));
    EXPECT_FALSE(filter.admits_world("x"));
}

TEST(Filter, SectionsAndChunksAreThoseOfTheBlocks) {
    const auto sections = [](Range y, Range section = {}) {
        Filter filter;
        filter.y = y;
        filter.section = section;
        return filter.sections();
    };
    EXPECT_EQ(sections({}), (Range{0, 9}));
    EXPECT_EQ(sections({0, 31}), (Range{0, 0}));
    EXPECT_EQ(sections({31, 32}), (Range{0, 1}));
    EXPECT_EQ(sections({32, 319}), (Range{1, 9}));
    EXPECT_EQ(sections({-5, 319}), (Range{0, 9}));
    EXPECT_EQ(sections({300, 900}), (Range{9, 9}));
    EXPECT_TRUE(sections({-9, -1}).is_empty());
    EXPECT_TRUE(sections({320, 900}).is_empty());
    EXPECT_EQ(sections({0, 0}), (Range{0, 0}));
    EXPECT_EQ(sections({}, {2, 3}), (Range{2, 3}));
    EXPECT_EQ(sections({64, 319}, {0, 4}), (Range{2, 4}));
    Filter filter;
    filter.x = {-33, 31};
    filter.z = {32, 32};
    EXPECT_EQ(filter.chunks_x(), (Range{-2, 0}));
    EXPECT_EQ(filter.chunks_z(), (Range{1, 1}));
    filter.chunk_x = {-1, 7};
    EXPECT_EQ(filter.chunks_x(), (Range{-1, 0}));
    EXPECT_TRUE(filter.admits_chunk({-1, 1}));
    EXPECT_TRUE(filter.admits_chunk({0, 1}));
    for (const ChunkPos other : {ChunkPos{-2, 1}, ChunkPos{1, 1}, ChunkPos{0, 0}, ChunkPos{0, 2}})
        EXPECT_FALSE(filter.admits_chunk(other)) << other.x << "," << other.z;
    filter.columns = std::uint64_t{1} << 3 | std::uint64_t{1} << 63;
    EXPECT_TRUE(filter.uses(3));
    EXPECT_FALSE(filter.uses(2));
    EXPECT_FALSE(filter.uses(62));
    EXPECT_TRUE(filter.uses(63));
    EXPECT_TRUE(filter.uses(70)) << "the last bit is for all after it";
}

TEST(Tables, AreInTheirOrderAndTellWhatTheyAre) {
    std::vector<std::string> names;
    for (const auto& table : tables()) {
        names.emplace_back(table.name);
        EXPECT_FALSE(table.about.empty()) << table.name;
        EXPECT_EQ(table.is_hidden, table.name.ends_with("_totals")) << table.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"worlds", "config", "players", "markers", "warps", "chunks",
                                               "sections", "block_counts", "fluid_counts", "block_totals",
                                               "fluid_totals", "blocks", "fluids", "block_components",
                                               "containers", "items", "entities", "findings"}));
}

class LimitsTest : public QueryTest {
protected:
    /// A world of these chunks, and one more whose components are damaged.
    void open_damaged(std::string_view component) {
        auto damaged = furnished();
        const auto at = as_text(damaged).find(component);
        ASSERT_NE(at, std::string_view::npos);
        // The type of its first field becomes one that is none.
        damaged[at + component.size() + 1 + 4] = 0x7E;
        open_world({furnished(), damaged});
    }
};

TEST_F(LimitsTest, DamageOfAPartIsToldByEveryTableThatReadsIt) {
    for (const auto& [component, tables] :
         {std::pair<std::string, std::vector<std::string>>{
              "BlockComponentChunk", {"block_components", "containers", "items", "chunks"}},
          std::pair<std::string, std::vector<std::string>>{"EntityChunk", {"entities", "chunks"}}}) {
        open_damaged(component);
        for (const auto& table : tables) {
            open(folder_ / "world");
            problems_.clear();
            const auto rows = ask(fmt::format("SELECT * FROM {}", table));
            ASSERT_FALSE(rows.empty() || rows[0].starts_with("error")) << table << ": " << rows[0];
            ASSERT_EQ(problems_.size(), 1U) << component << " of " << table;
            EXPECT_NE(problems_[0].find("chunk 1,0"), std::string::npos) << problems_[0];
            EXPECT_NE(problems_[0].find(component), std::string::npos) << problems_[0];
        }
    }
    auto& session = open(folder_ / "world").session();
    problems_.clear();
    FindQuestion question;
    question.blocks = false;
    question.entities = true;
    ASSERT_TRUE(find(session, question, [](const Hit&) {}));
    EXPECT_EQ(problems_.size(), 1U);
    open_damaged("BlockComponentChunk");
    problems_.clear();
    std::size_t containers = 0;
    ASSERT_TRUE(for_each_container(database_->session(), {}, [&](const Container&) { ++containers; }));
    EXPECT_EQ(containers, 2U) << "those of the other chunk";
    EXPECT_EQ(problems_.size(), 1U);
}

TEST_F(LimitsTest, DamagedBlocksAreToldByThoseWhoCountThem) {
    auto damaged = furnished();
    const auto at = as_text(damaged).find("Furniture_Chest");
    ASSERT_NE(at, std::string_view::npos);
    damaged[at - 2] = 0xFF; // a key that is longer than its palette
    make_world(folder_ / "world", {damaged, furnished()});
    for (const std::string sql :
         {"SELECT count(ticking) FROM sections", "SELECT sum(cells) FROM block_counts",
          "SELECT sum(cells) FROM fluid_counts", "SELECT count(x) FROM blocks",
          "SELECT count(x) FROM fluids"}) {
        open(folder_ / "world");
        problems_.clear();
        (void)ask(sql);
        EXPECT_EQ(problems_.size(), 1U) << sql;
    }
    auto& session = open(folder_ / "world").session();
    problems_.clear();
    const auto depths = count_by_height(session, {});
    ASSERT_TRUE(depths);
    EXPECT_EQ(depths->chunks, 2U);
    EXPECT_EQ(problems_.size(), 1U);
}

TEST_F(LimitsTest, ARegionThatCannotBeReadIsToldAndTheOthersAnswer) {
    make_world(folder_ / "world", {plain(), plain()});
    std::ofstream(folder_ / "world/chunks/5.5.region.bin") << "noise";
    for (const auto& [sql, answer] :
         {std::pair{"SELECT count(*) FROM chunks", "2"}, std::pair{"SELECT chunks FROM worlds", "2"},
          std::pair{"SELECT count(x) FROM chunks WHERE x BETWEEN 0 AND 161 "
                    "AND z BETWEEN 160 AND 161",
                    "0"}}) {
        open(folder_ / "world");
        problems_.clear();
        EXPECT_EQ(ask_one(sql), answer) << sql;
        ASSERT_EQ(problems_.size(), 1U) << sql;
        EXPECT_NE(problems_[0].find("5.5.region.bin"), std::string::npos) << problems_[0];
    }
    open(folder_ / "world");
    problems_.clear();
    EXPECT_EQ(ask_one("SELECT count(x) FROM chunks WHERE x < 32 AND x >= 0 AND z = 0"), "2");
    EXPECT_TRUE(problems_.empty()) << "nobody looked there";
}

/// Cells that name no entry of their palette are air, and so are those of an entry that is called so.
TEST_F(LimitsTest, AirIsCountedInPalettesOfAllSizes) {
    for (const int keys : {1, 10, 100, 400}) {
        auto chunk = chunk::Chunk::create();
        for (int i = 0; i < keys; ++i)
            ASSERT_TRUE(
                chunk.set_block({i % 32, 3 + i / 1024, i / 32 % 32}, {fmt::format("Block_{}", i), {}, {}}));
        ASSERT_TRUE(chunk.set_fluid({1, 2, 3}, {"Water", 4}));
        Buffer out;
        const auto encoded = chunk.encode(out).value();
        make_world(folder_ / "world", {Buffer(encoded.begin(), encoded.end())});
        open(folder_ / "world");
        const auto air = std::to_string(k_cells - keys);
        const auto all = std::to_string(k_cells * k_sections - keys);
        EXPECT_EQ(ask_one("SELECT cells FROM block_counts WHERE key = 'Empty' AND section = 0"), air) << keys;
        EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_counts WHERE key = 'Empty'"), all) << keys;
        EXPECT_EQ(ask_one("SELECT cells FROM block_totals WHERE key = 'Empty'"), all) << keys;
        EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_counts WHERE key <> 'Empty'"), std::to_string(keys));
        EXPECT_EQ(ask_one("SELECT count(x) FROM blocks WHERE key = 'Empty' AND y < 32"), air) << keys;
        EXPECT_EQ(ask_one("SELECT cells FROM fluid_counts WHERE key = 'Empty' AND section = 0"),
                  std::to_string(k_cells - 1));
        EXPECT_EQ(ask_one("SELECT sum(cells) FROM fluid_counts WHERE key = 'Water'"), "1");
        EXPECT_EQ(ask_one("SELECT count(key) FROM block_counts WHERE section = 0"), std::to_string(keys + 1));
    }
}

/// Totals that take much memory are handed out in parts, which SQLite adds up.
TEST_F(LimitsTest, TotalsOfManyLongKeysAreTheSame) {
    std::vector<Buffer> chunks;
    for (int number = 0; number < 2; ++number) {
        auto chunk = chunk::Chunk::create();
        for (int i = 0; i < 90; ++i)
            ASSERT_TRUE(chunk.set_block({i % 32, i / 32, number},
                                        {fmt::format("Key_{}_{}", i, std::string(60'000, 'k')), {}, {}}));
        Buffer out;
        const auto encoded = chunk.encode(out).value();
        chunks.emplace_back(encoded.begin(), encoded.end());
    }
    open_world(chunks);
    EXPECT_EQ(
        ask("SELECT count(DISTINCT key), sum(cells), min(cells) FROM block_totals WHERE key <> 'Empty'"),
        std::vector<std::string>{"90|180|1"});
    EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_totals WHERE key GLOB 'Key_7_*'"), "2");
    EXPECT_EQ(ask("SELECT world, sum(cells) FROM block_counts GROUP BY world"),
              std::vector<std::string>{fmt::format("world|{}", 2 * k_cells * k_sections)});
    EXPECT_EQ(
        ask("SELECT substr(key, 1, 6), sum(cells) FROM block_counts WHERE key GLOB 'Key_8_*' GROUP BY key"),
        std::vector<std::string>{"Key_8_|2"});
    EXPECT_TRUE(problems_.empty());
}

TEST_F(LimitsTest, AStatementEndsWithItsSemicolon) {
    for (const auto& [sql, is_whole] :
         {std::pair{"SELECT 1;", true}, std::pair{"SELECT 1", false}, std::pair{"SELECT ';'", false},
          std::pair{"SELECT ';';", true}, std::pair{"", false}})
        EXPECT_EQ(is_complete(sql), is_whole) << sql;
}

TEST_F(LimitsTest, AnErrorSaysWhereItIsAndTheNextStatementIsSound) {
    open_world({plain()});
    EXPECT_EQ(
        ask_one("SELECT nobody FROM chunks"),
        "error: no such column: nobody, at character 8 of the statement (orbis sql PATH .tables lists the "
        "tables, .schema their columns)");
    EXPECT_EQ(ask_one("CREATE TABLE t(x)"),
              "error: this statement would do more than read (only SELECT, VALUES "
              "and WITH are possible here)");
    // One that is counted quicker in another way keeps its own words.
    EXPECT_EQ(ask_one("SELECT count(*) FROM blocks WHERE key = 'a' AND"),
              "error: incomplete input (orbis sql PATH .tables lists the tables, .schema their columns)");
    EXPECT_EQ(ask_one("SELECT count(*) FROM blocks('" + (folder_ / "nowhere").string() + "')").substr(0, 6),
              "error:");
    EXPECT_EQ(ask_one("SELECT count(*) FROM chunks"), "1");
    EXPECT_NE(ask_one("SELECT zeroblob(70000000)").find("too big"), std::string::npos);
    EXPECT_EQ(ask_one("SELECT length(zeroblob(60000000))"), "60000000");
}

TEST_F(LimitsTest, AnAnswerKeepsTheTypesAndSaysWhyItCannotBeSaved) {
    open_world({plain()});
    const auto file = folder_ / "answer.db";
    auto statement =
        database_->prepare("SELECT 9223372036854775807 AS i, -0.5 AS r, 'a' || char(0) || 'b' AS t, "
                           "x'0001' AS b, NULL AS n UNION ALL SELECT 2, 2.5, '', x'', 0");
    ASSERT_TRUE(statement);
    EXPECT_EQ(save_answer(*statement, file).value(), 2U);
    sqlite3* opened = nullptr;
    ASSERT_EQ(sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_stmt* read = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(opened,
                                 "SELECT group_concat(typeof(i) || i || typeof(r) || r || typeof(t) || "
                                 "length(CAST(t AS BLOB)) || typeof(b) || hex(b) || typeof(n)) FROM answer",
                                 -1, &read, nullptr),
              SQLITE_OK);
    ASSERT_EQ(sqlite3_step(read), SQLITE_ROW);
    EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(read, 0)),
                 "integer9223372036854775807real-0.5text3blob0001null,integer2real2.5text0blobinteger");
    sqlite3_finalize(read);
    sqlite3_close(opened);
    auto again = database_->prepare("SELECT 1");
    const auto refused = save_answer(*again, folder_ / "no/folder/answer.db");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::io);
    EXPECT_EQ(refused.error().problem, "the file cannot be created");
    EXPECT_EQ(refused.error().file, (folder_ / "no/folder/answer.db").string());
    std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "link.db");
    EXPECT_EQ(save_answer(*again, folder_ / "link.db").error().code, Errc::exists)
        << "what a link leads to is not ours";
}

} // namespace
} // namespace orbis::query
