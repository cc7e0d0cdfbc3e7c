#include "query/query_test.hpp"

#include "bytes/atomic_file.hpp"
#include "library/library_worlds_test.hpp"
#include "query/count_rewrite.hpp"
#include "query/database.hpp"
#include "query/save_answer.hpp"
#include "query/table.hpp"
#include "world/location.hpp"

#include <array>
#include <fstream>
#include <random>
#include <sqlite3.h>
#include <thread>

namespace orbis::query {
namespace {

using Rows = std::vector<std::string>;

TEST_F(QueryTest, FindsBlocksByKeyAndPosition) {
    open_world({plain(), furnished()});
    EXPECT_EQ(ask("SELECT x, y, z FROM blocks WHERE key = 'Furniture_Chest'"), Rows{"33|33|2"});
    EXPECT_EQ(ask("SELECT key FROM blocks WHERE x = 33 AND y = 33 AND z = 2"), Rows{"Furniture_Chest"});
    EXPECT_EQ(ask("SELECT key FROM blocks WHERE x = 33 AND y = 300 AND z = 2"), Rows{});
    EXPECT_EQ(ask("SELECT key FROM blocks WHERE key = 'Empty' AND x = 33 AND y = 300 AND z = 2"),
              Rows{"Empty"})
        << "air is there where it is named";
    EXPECT_EQ(ask_one("SELECT count(*) FROM blocks WHERE key = 'Empty' AND y = 319"), "2048");
    EXPECT_EQ(ask("SELECT world, chunk_x, chunk_z FROM blocks WHERE key GLOB 'Furn*'"), Rows{"world|1|0"});
    EXPECT_EQ(ask("SELECT key FROM blocks WHERE x = '33' AND y = 33.0 AND z >= '2' AND z < 2.5"),
              Rows{"Furniture_Chest"});
    EXPECT_EQ(ask("SELECT x FROM blocks WHERE key = 'furniture_CHEST' COLLATE NOCASE"), Rows{"33"});
    EXPECT_EQ(ask("SELECT x FROM blocks WHERE key LIKE 'furniture_CHEST'"), Rows{"33"});
    for (const std::string beyond :
         {"x <= 33", "x < 34", "x >= 33", "x > 32", "y <= 33", "y >= 33", "z <= 2"})
        EXPECT_EQ(ask("SELECT x FROM blocks WHERE key = 'Furniture_Chest' AND " + beyond), Rows{"33"})
            << beyond;
    EXPECT_EQ(ask_one("SELECT max(x) FROM blocks WHERE x <= 32"), "32") << "the first of a chunk";
    EXPECT_EQ(ask_one("SELECT min(x) FROM blocks WHERE x >= 31"), "31") << "the last of one";
    EXPECT_EQ(
        ask_one("SELECT count(x) FROM blocks WHERE key > 'Furniture_Chesa' AND key <= 'Furniture_Chest'"),
        "1");
    EXPECT_EQ(ask_one("SELECT count(x) FROM blocks WHERE key < 'Furniture_Chest' AND key >= 'Furniture'"),
              "0");
    EXPECT_EQ(ask_one("SELECT count(x) FROM blocks WHERE key >= 'Empty' AND key <= 'Empty'"), "0")
        << "air is there only where it is named";
    for (const std::string never : {"key = 5", "key = NULL", "key GLOB 5", "key = x'41'", "key GLOB NULL"})
        EXPECT_EQ(ask_one("SELECT count(x) FROM blocks WHERE " + never), "0") << never;
}

TEST_F(QueryTest, CountsCellsByKey) {
    open_world({plain(), with_block(5), furnished()});
    const auto counts = ask("SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY key");
    const auto cells = ask("SELECT key, count(*) FROM blocks WHERE +y < 1000 GROUP BY key ORDER BY key");
    EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_counts"), std::to_string(3 * k_cells * k_sections));
    Rows without_air;
    for (const auto& row : counts)
        if (!row.starts_with("Empty|")) without_air.push_back(row);
    EXPECT_EQ(cells, without_air);
    EXPECT_FALSE(cells.empty());
}

/// Where a key is in the document of a chunk. Before it are the two bytes of its length, behind it the two of
/// the number of its cells.
std::size_t place_of(std::string_view key, const Buffer& document) {
    const auto found = as_text(document).find(key);
    EXPECT_NE(found, std::string_view::npos);
    return found;
}

constexpr std::string_view k_chest = "Furniture_Chest";

TEST_F(QueryTest, CellsAreCountedWhereAPaletteStatesTooMany) {
    auto chunk = furnished();
    chunk[place_of(k_chest, chunk) + k_chest.size()] = 2; // one chest becomes 513
    open_world({chunk, furnished()});
    EXPECT_EQ(ask("SELECT chunk_x, cells FROM block_counts WHERE key = 'Furniture_Chest'"),
              (Rows{"0|1", "1|1"}));
    EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_counts"), std::to_string(2 * k_cells * k_sections));
    EXPECT_EQ(ask_one("SELECT count(*) FROM blocks WHERE key = 'Furniture_Chest'"), "2");
    EXPECT_TRUE(problems_.empty());
}

/// As the game keeps them: `orbis verify` says where they are wrong.
TEST_F(QueryTest, CountsAreThoseThatAPaletteStates) {
    auto chunk = furnished();
    const auto number = [&](std::string_view key) -> std::uint8_t& {
        return chunk[place_of(key, chunk) + key.size() + 1]; // the lower byte
    };
    auto& chests = number(k_chest);
    ASSERT_EQ(chests, 1);
    const auto air = as_text(chunk).rfind("Empty", place_of(k_chest, chunk) + 200);
    ASSERT_NE(air, std::string_view::npos);
    chests = 2;
    --chunk[air + 6];
    open_world({chunk});
    EXPECT_EQ(ask_one("SELECT cells FROM block_counts WHERE key = 'Furniture_Chest'"), "2");
    EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_counts"), std::to_string(k_cells * k_sections));
    EXPECT_EQ(ask_one("SELECT count(x) FROM blocks WHERE key = 'Furniture_Chest'"), "1");
}

TEST_F(QueryTest, ADamagedPaletteIsNamedAndTheRestAnswers) {
    auto chunk = furnished();
    chunk[place_of(k_chest, chunk) - 2] = 0xFF; // a key that is longer than its palette
    open_world({chunk, furnished()});
    for (const std::string more : {"", " AND rotation >= 0"})
        EXPECT_EQ(ask("SELECT x, y, z FROM blocks WHERE key = 'Furniture_Chest'" + more), Rows{"33|33|2"});
    EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_counts WHERE key = 'Furniture_Chest'"), "1");
    ASSERT_EQ(problems_.size(), 1U) << "each is told once";
    EXPECT_NE(problems_.front().find("chunk 0,0"), std::string::npos) << problems_.front();
    EXPECT_NE(problems_.front().find("section 1, Block"), std::string::npos) << problems_.front();
}

TEST_F(QueryTest, ListsContainersItemsEntitiesAndComponents) {
    open_world({plain(), furnished()});
    EXPECT_EQ(ask("SELECT x, y, z, key, capacity, stacks, pieces FROM containers ORDER BY y"),
              (Rows{"33|33|2|Furniture_Chest|18|2|13",
                    "36|40|4|Empty|" + ask_one("SELECT capacity FROM containers WHERE y = 40") + "|1|12"}));
    EXPECT_EQ(ask("SELECT id, quantity, slot, block FROM items WHERE y = 33"),
              (Rows{"Tool_Axe_Iron|1|0|Furniture_Chest", "Ingredient_Stick|12|2|Furniture_Chest"}));
    EXPECT_EQ(ask("SELECT sum(quantity) FROM items WHERE id = 'Ingredient_Stick'"), Rows{"24"});
    EXPECT_EQ(ask("SELECT type, name, x, y, z FROM entities WHERE x IS NOT NULL"),
              Rows{"Pig|Berta|3.5|34|7.25"});
    EXPECT_EQ(ask("SELECT name FROM block_components WHERE y = 33"), Rows{"ItemContainerBlock"});
    EXPECT_EQ(ask("SELECT json_extract(data, '$.ItemContainer.Capacity') FROM block_components WHERE y = 33"),
              Rows{"18"});
}

TEST_F(QueryTest, ListsChunksFromTheIndexAlone) {
    make_world(folder_ / "world", {plain(), plain(), plain()});
    // What is behind the index is of no interest to whoever asks for positions.
    const auto file = folder_ / "world" / "chunks" / "0.0.region.bin";
    ASSERT_TRUE(std::filesystem::exists(file));
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(4136).write("damage", 6);
    open(folder_ / "world");
    EXPECT_EQ(ask("SELECT x, z, region FROM chunks ORDER BY x DESC"),
              (Rows{"2|0|0.0", "1|0|0.0", "0|0|0.0"}));
    EXPECT_EQ(ask_one("SELECT count(*) FROM chunks WHERE x > 0 AND z = 0"), "2");
    EXPECT_TRUE(problems_.empty());
    EXPECT_EQ(ask_one("SELECT count(sections) FROM chunks"), "2")
        << "a chunk that cannot be read is left out";
    ASSERT_EQ(problems_.size(), 1U);
    EXPECT_NE(problems_.front().find("chunk 0,0"), std::string::npos) << problems_.front();
    EXPECT_EQ(ask_one("SELECT count(*) FROM sections"), "20");
    EXPECT_EQ(problems_.size(), 1U) << "each is told once";
    EXPECT_NE(ask_one("SELECT count(*) FROM findings WHERE severity = 'damage' AND chunk_x = 0"), "0");
}

TEST_F(QueryTest, TellsOfWorldsAndTheirConfiguration) {
    open_world({plain()});
    EXPECT_EQ(ask("SELECT world, kind, chunks FROM worlds"), Rows{"world|region files|1"});
    EXPECT_EQ(ask("SELECT count(*) FROM players"), Rows{"0"});
    EXPECT_TRUE(problems_.empty()) << problems_.front();
}

TEST_F(QueryTest, APathAsAnArgumentReadsAnotherWorld) {
    make_world(folder_ / "other", {furnished()});
    open_world({plain()});
    const auto other = (folder_ / "other").string();
    EXPECT_EQ(ask_one("SELECT count(*) FROM containers"), "0");
    EXPECT_EQ(ask_one(fmt::format("SELECT count(*) FROM containers('{}')", other)), "2");
    EXPECT_EQ(ask(fmt::format("SELECT x, y, z, key FROM blocks('{}') EXCEPT SELECT x, y, z, key FROM blocks",
                              other)),
              Rows{"1|33|2|Furniture_Chest"});
    const auto missing = ask_one(fmt::format("SELECT * FROM chunks('{}')", (folder_ / "nowhere").string()));
    EXPECT_NE(missing.find("nowhere"), std::string::npos) << missing;
    EXPECT_EQ(ask_one("SELECT count(*) FROM chunks"), "1") << "the error is that of one statement";
}

TEST_F(QueryTest, NothingCanBeWritten) {
    open_world({plain()});
    for (const std::string sql :
         {"DELETE FROM chunks", "INSERT INTO chunks(x) VALUES (1)", "UPDATE blocks SET key = 'x'",
          "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)", "DROP TABLE chunks", "ATTACH 'x.db' AS x",
          "PRAGMA user_version = 3", "VACUUM INTO 'x.db'", "BEGIN", "SELECT load_extension('x')",
          "CREATE VIRTUAL TABLE t USING blocks", "ANALYZE"}) {
        const auto answer = ask_one(sql);
        EXPECT_TRUE(answer.starts_with("error: ")) << sql << ": " << answer;
    }
    EXPECT_FALSE(std::filesystem::exists("x.db"));
    EXPECT_EQ(ask_one("SELECT count(*) FROM chunks"), "1");
}

TEST_F(QueryTest, AStatementThatIsNoneSaysSo) {
    open_world({plain()});
    EXPECT_NE(ask_one("SELECT * FORM chunks").find("near \"FORM\": syntax error, at character 10"),
              std::string::npos);
    EXPECT_NE(ask_one("FROB x").find("syntax error, at character 1 of"), std::string::npos);
    EXPECT_EQ(ask_one("  ;"), "error: there is no statement (give one, such as SELECT count(*) FROM chunks)");
    EXPECT_EQ(ask_one("SELECT 1; SELECT 2"),
              "error: there is more than one statement (give them one at a time)");
    EXPECT_EQ(ask_one("SELECT 1;  "), "1");
    EXPECT_EQ(ask_one(std::string("SELECT 1\0", 9)), "error: the statement has a zero byte in it");
}

TEST_F(QueryTest, AStatementCanBeStopped) {
    open_world({plain(), plain()});
    auto statement = database_->prepare(
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
    ASSERT_TRUE(statement);
    const std::jthread stopper([this] { database_->interrupt(); });
    const auto answer = statement->next();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().text(), "the statement was stopped");
    database_->session().go_on();
    EXPECT_EQ(ask_one("SELECT count(*) FROM chunks"), "2");
}

TEST_F(QueryTest, ThreadsAnswerTheSame) {
    std::vector<Buffer> chunks;
    for (int i = 0; i < 40; ++i) chunks.push_back(i % 3 == 0 ? furnished() : with_block(i));
    open_world(chunks);
    const std::vector<std::string> questions{"SELECT x, y, z, key FROM blocks WHERE key GLOB 'F*'",
                                             "SELECT * FROM items",
                                             "SELECT chunk_x, section, key, cells FROM block_counts"};
    std::vector<Rows> alone;
    for (const auto& question : questions) alone.push_back(ask(question));
    open(folder_ / "world", 3);
    for (std::size_t i = 0; i < questions.size(); ++i) EXPECT_EQ(ask(questions[i]), alone[i]);
    EXPECT_EQ(done_, 40U);
    EXPECT_EQ(ask("SELECT x FROM items LIMIT 1").size(), 1U) << "the rest is not waited for";
}

TEST_F(QueryTest, RowsComeInTheOrderOfPositions) {
    std::vector<Buffer> chunks(36, furnished()); // two rows, of which the second has four
    open_world(chunks, 2);
    const auto plan = [this](const std::string& sql) {
        std::string all;
        for (const auto& row : ask("SELECT x FROM " + sql)) all += row + ' ';
        return all;
    };
    EXPECT_EQ(plan("items ORDER BY chunk_x, chunk_z, y, z, x"),
              plan("items ORDER BY +chunk_x, chunk_z, y, z, x"));
    EXPECT_EQ(plan("blocks WHERE y > 30 AND y < 34 ORDER BY world, chunk_x, chunk_z, y, z, x"),
              plan("blocks WHERE y > 30 AND y < 34 ORDER BY world, chunk_x, +chunk_z, y, z, x"));
    EXPECT_EQ(ask("SELECT chunk_x FROM items ORDER BY chunk_x DESC").front(), "31");
    EXPECT_EQ(ask("SELECT DISTINCT chunk_x, chunk_z FROM items ORDER BY chunk_x, chunk_z LIMIT 3"),
              (Rows{"0|0", "0|1", "1|0"}));
}

/// Conditions that tables are told of give the same answer as those that SQLite alone checks.
TEST_F(QueryTest, WhatIsLeftOutIsWhatNobodyAskedFor) {
    open_world({furnished(), with_block(7), plain(), furnished()});
    std::mt19937 random(5);
    const auto pick = [&random](const std::vector<std::string>& from) {
        return from[random() % from.size()];
    };
    const std::vector<std::string> signs{"=", "<", "<=", ">", ">=", "<>", "IS"};
    const std::vector<std::string> numbers{"-1", "0",    "31",    "32",     "33", "33.5",
                                           "64", "NULL", "1e300", "-1e300", "x"};
    const std::vector<std::string> keys{
        "'Furniture_Chest'", "'Empty'", "'Rock_Stone'", "''", "NULL", "33", "x'41'"};
    const std::vector<std::string> patterns{"'F*'", "'*e*'", "'[A-G]*'", "''", "NULL", "5"};
    for (int round = 0; round < 40; ++round) {
        const auto condition = [&](bool is_told) {
            std::mt19937 same(static_cast<unsigned>(round));
            std::swap(random, same);
            std::string text;
            for (int i = 0; i < 2; ++i) {
                const std::string plus = is_told ? "" : "+";
                if (i != 0) text += random() % 4 == 0 ? " OR " : " AND ";
                switch (random() % 4) {
                case 0: text += fmt::format("{}key IN ({}, {})", plus, pick(keys), pick(keys)); break;
                case 1:
                    text +=
                        fmt::format("{}key {} {}", plus, random() % 2 == 0 ? "GLOB" : "LIKE", pick(patterns));
                    break;
                case 2: text += fmt::format("{}key {} {}", plus, pick(signs), pick(keys)); break;
                default:
                    text += fmt::format("{}{} {} {}", plus, pick({"x", "y", "z", "chunk_x", "chunk_z"}),
                                        pick(signs), pick(numbers));
                }
            }
            std::swap(random, same);
            return text;
        };
        const auto told = condition(true);
        // Air is there only where it is named, which SQLite alone cannot decide.
        if (told.find("Empty") != std::string::npos) continue;
        const auto sql = [](const std::string& where) {
            return "SELECT count(x), sum(x), sum(y * 7 + z) FROM blocks WHERE " + where;
        };
        ASSERT_EQ(ask_one(sql(told)), ask_one(sql(condition(false)))) << told;
    }
}

/// SQLite asks a table once for each side of an OR, and then has to know which rows it has seen.
TEST_F(QueryTest, RowsThatAreFoundTwiceCountOnce) {
    open_world({furnished(), with_block(7), plain()});
    const auto count = [this](const std::string& table, const std::string& where) {
        return ask_one(fmt::format("SELECT count(z), total(z) FROM {} WHERE {}", table, where));
    };
    for (const auto& [table, first, second] :
         std::vector<std::array<std::string, 3>>{{"blocks", "key GLOB '[A-G]*'", "key GLOB '*e*'"},
                                                 {"blocks", "x < 40", "chunk_z = 0"},
                                                 {"items", "id GLOB 'Tool*'", "x >= 0"},
                                                 {"containers", "key GLOB 'F*'", "x >= 0"},
                                                 {"entities", "type = 'Pig'", "chunk_x >= 0"},
                                                 {"block_components", "name GLOB 'I*'", "x >= 0"},
                                                 {"chunks", "x > 0", "z = 0"}})
        EXPECT_EQ(count(table, first + " OR " + second),
                  count(table, fmt::format("iif({}, 1, {})", first, second)))
            << table;
}

TEST_F(QueryTest, CountsAreAskedOfSections) {
    open_world({furnished(), with_block(7), plain()});
    EXPECT_EQ(quicker_count("select COUNT( * ) from Blocks where key = 'it''s' AND chunk_x>=-3;"),
              "SELECT coalesce(sum(cells), 0) AS \"count(*)\" FROM block_counts WHERE (key = 'it''s' AND "
              "chunk_x >= - 3) AND key <> 'Empty'");
    EXPECT_EQ(quicker_count("SELECT key, count(*) FROM fluids('a') GROUP BY key"),
              "SELECT key, coalesce(sum(cells), 0) AS \"count(*)\" FROM fluid_totals('a') WHERE key <> "
              "'Empty' GROUP BY key");
    EXPECT_EQ(quicker_count("SELECT count(*) FROM blocks WHERE key = 'a' OR key = 'b'"),
              "SELECT coalesce(sum(cells), 0) AS \"count(*)\" FROM block_counts WHERE (key = 'a' OR key = "
              "'b') AND key <> 'Empty'")
        << "totals are told apart by their key, and each side is asked for by itself";
    EXPECT_EQ(quicker_count("SELECT key, SUM(cells) AS n FROM block_counts GROUP BY key ORDER BY n DESC"),
              "SELECT key, SUM(cells) AS n FROM block_totals GROUP BY key ORDER BY n DESC");
    for (const std::string other :
         {"SELECT count(*) FROM blocks WHERE key = 'Empty'",
          "SELECT count(*) FROM blocks WHERE y < 3",
          "SELECT count(*), 1 FROM blocks",
          "SELECT count(*) FROM blocks WHERE key = 'a' GROUP BY key",
          "SELECT count(*) FROM chunks",
          "SELECT key, count(*) FROM blocks",
          "SELECT count(*) FROM blocks b",
          "SELECT count(*) FROM blocks WHERE",
          "SELECT count(*) FROM blocks WHERE key = \"x\"",
          "SELECT count(*) FROM blocks -- all",
          "SELECT count(*) FROM blocks WHERE key = 'x",
          "SELECT count(*) FROM blocks; SELECT 1",
          "SELECT count(*) FROM blocks, fluids",
          "",
          "SELECT key, sum(cells) FROM block_counts",
          "SELECT key, cells FROM block_counts GROUP BY key",
          "SELECT sum(cells), count(*) FROM block_counts",
          "SELECT sum(cells) FROM block_counts WHERE cells > 1",
          "SELECT sum(cells) FROM block_counts WHERE section = 1",
          "SELECT sum(cells) FROM block_counts WHERE chunk_x = 1",
          "SELECT sum(cells) FROM block_counts WHERE key = 'a' OR key = 'b'",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key HAVING count(*) = 1",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY max(cells)",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key, section",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY section",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY key, chunk_x",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY key, chunk_z LIMIT 1",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY path",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY count(*)",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key ORDER BY 'a'",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key LIMIT 1 EXCEPT SELECT 1, 2",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key LIMIT 1; SELECT 1",
          "SELECT key, sum(cells) FROM block_counts GROUP BY key UNION SELECT 1, 2"})
        EXPECT_EQ(quicker_count(other), std::nullopt) << other;
    for (const std::string where :
         {"", " WHERE key GLOB 'F*'", " WHERE key <> 'Furniture_Chest'",
          " WHERE chunk_x = 1 AND NOT key LIKE '%s%'", " WHERE world = 'world' OR chunk_z IN (1, 2)",
          " WHERE key BETWEEN 'A' AND 'G'"}) {
        ASSERT_TRUE(quicker_count("SELECT count(*) FROM blocks" + where)) << where;
        EXPECT_EQ(ask("SELECT count(*) FROM blocks" + where), ask("SELECT count(x) FROM blocks" + where))
            << where;
        EXPECT_EQ(ask("SELECT key, count(*) FROM blocks" + where + " GROUP BY key"),
                  ask("SELECT key, count(x) FROM blocks" + where + " GROUP BY key"))
            << where;
    }
    for (const std::string where : {"", " WHERE key GLOB 'F*'", " WHERE key = 'Empty'",
                                    " WHERE world = 'world' AND key <> 'Empty'", " WHERE key = 'nothing'"})
        for (const std::string table : {"block_counts", "fluid_counts"})
            for (const std::string group :
                 {"", " GROUP BY key", " GROUP BY world, key ORDER BY sum(cells), key LIMIT 3"}) {
                const auto asked = "SELECT sum(cells) FROM " + table;
                ASSERT_TRUE(quicker_count(asked + where + group)) << where;
                const auto plain = where.empty() ? " WHERE +section < 10" : where + " AND +section < 10";
                ASSERT_FALSE(quicker_count(asked + plain + group));
                EXPECT_EQ(ask(asked + where + group), ask(asked + plain + group)) << table << where << group;
            }
    EXPECT_EQ(database_->prepare("SELECT count(*) FROM blocks").value().columns(),
              std::vector<std::string>{"count(*)"});
}

TEST_F(QueryTest, AnAnswerBecomesAFileOfItsOwn) {
    open_world({furnished()});
    const auto file = folder_ / "answer.db";
    const auto save = [&](const std::string& sql) {
        auto statement = database_->prepare(sql);
        EXPECT_TRUE(statement);
        return save_answer(*statement, file);
    };
    EXPECT_EQ(save("SELECT id, quantity, NULL AS \"a\"\"b\", 1.5, x'00ff' AS bytes FROM items").value(), 3U);
    sqlite3* opened = nullptr;
    ASSERT_EQ(sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_stmt* read = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(opened,
                                 "SELECT count(\"a\"\"b\"), sum(quantity), max(hex(bytes)) FROM answer", -1,
                                 &read, nullptr),
              SQLITE_OK);
    ASSERT_EQ(sqlite3_step(read), SQLITE_ROW);
    EXPECT_EQ(sqlite3_column_int(read, 0), 0);
    EXPECT_EQ(sqlite3_column_int(read, 1), 25);
    EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(read, 2)), "00FF");
    sqlite3_finalize(read);
    sqlite3_close(opened);

    const auto again = save("SELECT 1");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Errc::exists);
    const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder_.path()), {}); };
    EXPECT_EQ(files(), 2) << "the world and the answer, nothing else";

    std::filesystem::remove(file);
    EXPECT_FALSE(save("SELECT 1 UNION ALL SELECT abs(-9223372036854775807 - 1)"));
    EXPECT_EQ(files(), 1) << "half an answer is none";
    std::ofstream(file.string() + std::string(k_temporary_suffix)) << "of a run that was killed";
    EXPECT_EQ(save("SELECT 1").value(), 1U);
    EXPECT_EQ(files(), 2);
}

TEST_F(QueryTest, EveryTableAnswers) {
    open_world({furnished()});
    for (const auto& table : tables()) {
        std::string columns;
        for (const auto& column : table.columns)
            columns += fmt::format("{}\"{}\"", columns.empty() ? "" : ", ", column.name);
        for (const auto& row : ask(fmt::format("SELECT {} FROM {} LIMIT 100", columns, table.name)))
            EXPECT_FALSE(row.starts_with("error")) << table.name << ": " << row;
    }
    EXPECT_TRUE(problems_.empty()) << problems_.front();
}

} // namespace
} // namespace orbis::query
