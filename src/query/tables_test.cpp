#include "bson/extended_json.hpp"
#include "bson/writer.hpp"
#include "chunk/chunk.hpp"
#include "query/query_test.hpp"
#include "query/table.hpp"
#include "storage/store.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <random>

namespace orbis::query {
namespace {

using Answer = std::vector<std::string>;

/// A chunk with a few thousand cells in palettes of all sizes, and all that a cell can have.
Buffer rich(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t most) { return static_cast<int>(random() % most); };
    auto chunk = chunk::Chunk::create();
    static constexpr std::array<std::uint32_t, 4> k_keys{1, 6, 60, 700};
    std::vector<std::uint16_t> light(k_cells);
    for (int y = 0; y < 4; ++y) {
        for (auto& cell : light) cell = static_cast<std::uint16_t>(random());
        auto* section = chunk.edit_section(y).value();
        section->global_light.set(chunk::Light::ConstExpanded(light.data(), k_cells),
                                  static_cast<std::int16_t>(y % 2));
        for (int i = 0; i < 900; ++i) {
            const BlockPos at{below(32), y * 32 + below(32), below(32)};
            const auto key = fmt::format("Block_{}", random() % k_keys[static_cast<std::size_t>(y)]);
            const auto filler = i % 5 == 0 ? chunk::Filler::of_offset(0, 1, 0) : chunk::Filler{};
            EXPECT_TRUE(
                chunk.set_block(at, {key, chunk::Rotation{static_cast<std::uint8_t>(below(64))}, filler}));
            if (i % 3 == 0) {
                EXPECT_TRUE(chunk.set_support(at, static_cast<std::uint8_t>(below(16))));
            }
            if (i % 4 == 0) {
                EXPECT_TRUE(chunk.set_ticking(at, true));
            }
            if (i % 7 == 0) {
                EXPECT_TRUE(chunk.set_fluid(
                    at, {i % 2 == 0 ? "Water" : "Lava", static_cast<std::uint8_t>(1 + below(8))}));
            }
        }
    }
    for (int column = 0; column < k_columns; ++column) {
        chunk.edit_heights().value()->set(ColumnIndex(column), static_cast<std::int16_t>(below(300)));
        chunk.edit_tints().value()->set(ColumnIndex(column), below(1'000'000));
        chunk.edit_environments().value()->set_runs(
            ColumnIndex(column), std::array{chunk::EnvironmentRun{below(64), "Env_Low"},
                                            chunk::EnvironmentRun{64 + below(40), "Env_Middle"},
                                            chunk::EnvironmentRun{.key = "Env_High"}});
    }
    Buffer out;
    const auto encoded = chunk.encode(out).value();
    return {encoded.begin(), encoded.end()};
}

class TablesTest : public QueryTest {
protected:
    /// Region files with these chunks in the world of that name.
    void put_world(const std::filesystem::path& name, const std::map<ChunkPos, Buffer>& chunks) {
        world::made::MadeWorld made(folder_ / name);
        for (const auto& [pos, document] : chunks) made.put(pos, document);
    }
    /// Worlds whose tables all have rows, with chunks on both sides of 0.
    void open_universe() {
        std::filesystem::create_directories(folder_ / "u" / "players");
        put_world("u/worlds/alpha", {{{-1, -1}, furnished_sparsely({-1, -1}, 1)},
                                     {{0, 0}, furnished_sparsely({0, 0}, 2)},
                                     {{40, -33}, furnished_sparsely({40, -33}, 3)}});
        put_world("u/worlds/beta",
                  {{{0, 0}, furnished_sparsely({0, 0}, 4)}, {{-1, 2}, furnished_sparsely({-1, 2}, 5)}});
        std::ofstream(folder_ / "u" / "players" / "1.json")
            << R"({"Components":{"Player":{"PlayerData":{"World":"beta","PerWorldData":{}}},
                   "Transform":{"Position":{"X":10.5,"Y":64.25,"Z":-20.5}},"Nameplate":{"Text":"Ann"}}})";
        std::ofstream(folder_ / "u" / "warps.json")
            << R"({"Warps":[{"Id":"inn","World":"alpha","X":1.5,"Y":2.0,"Z":-3.5},
                            {"Id":"mine","World":"alpha","X":2.5,"Y":3.0,"Z":-4.5}]})";
        std::filesystem::create_directories(folder_ / "u/worlds/beta/resources");
        std::ofstream(folder_ / "u/worlds/beta/resources/SharedUserMapMarkers.json")
            << R"({"UserMarkers":[{"Id":"m","X":-70.5,"Z":9.0,"Name":"Mine"},{"Id":"n","X":1,"Z":2}]})";
        open(folder_ / "u");
    }
    /// Few blocks, so that many statements can go through all of them; a chest, a furnace, a pig, and a light
    /// that is stale.
    static Buffer furnished_sparsely(ChunkPos pos, std::uint32_t seed) {
        auto chunk = chunk::Chunk::create();
        std::mt19937 random(seed);
        for (int i = 0; i < 60; ++i) {
            const BlockPos at{static_cast<int>(random() % 32), static_cast<int>(random() % 320),
                              static_cast<int>(random() % 32)};
            EXPECT_TRUE(chunk.set_block(at, {fmt::format("Block_{}", random() % 9), {}, {}}));
            if (i % 3 == 0) {
                EXPECT_TRUE(chunk.set_fluid(at, {i % 2 == 0 ? "Water_Source" : "Lava_Source", 1}));
            }
        }
        static constexpr std::array<world::sample::Item, 3> k_items{
            {{"Tool_Axe_Iron", 1, 50}, {"Ingredient_Stick", 12}, {"Ingredient_Stick", 5}}};
        EXPECT_TRUE(chunk.set_block({1, 33, 2}, {"Furniture_Chest", {}, {}}));
        auto* components = chunk.edit_block_components().value();
        EXPECT_TRUE(
            components->set(chunk::BlockIndex(BlockPos{1, 33, 2}), world::sample::chest(18, k_items)));
        EXPECT_TRUE(components->set(chunk::BlockIndex(BlockPos{31, 319, 31}),
                                    world::sample::processing_bench(std::span(k_items).first(1), {})));
        auto* entities = chunk.edit_entities().value();
        EXPECT_TRUE(
            entities->add(world::made::entity("Pig", "Berta", pos.x * 32 + 3.5, 34, pos.z * 32 + 7.25)));
        // One may have left the chunk that stores it.
        EXPECT_TRUE(
            entities->add(world::made::entity("Cow", "", pos.x * 32 - 20.5, 120, pos.z * 32 + 50.75)));
        Buffer out;
        const auto encoded = chunk.encode(out).value();
        return {encoded.begin(), encoded.end()};
    }
};

/// What a chunk says of one cell, in the order of the columns of `blocks`.
std::vector<std::string> columns_of(const chunk::Chunk& chunk, ChunkPos pos, BlockPos at) {
    const CellIndex cell(at.x, at.y, at.z);
    const auto& section = chunk.section(at.y / k_side);
    const auto block = section.block_at(cell);
    const auto light = section.global_light.at(cell);
    const auto fluid = section.fluid_at(cell);
    const auto text = [](auto number) { return std::to_string(number); };
    return {"world",
            text(pos.x * k_side + at.x),
            text(at.y),
            text(pos.z * k_side + at.z),
            std::string(block.key),
            text(block.rotation.index),
            text(block.filler.stored),
            text(light.red()),
            text(light.green()),
            text(light.blue()),
            text(light.sky()),
            fluid.level == 0 ? "NULL" : std::string(fluid.key),
            text(fluid.level),
            text(section.support_at(cell)),
            section.ticking.contains(cell) ? "1" : "0",
            std::string(chunk.environment(at)),
            text(chunk.tints().at(at.column())),
            text(chunk.heights().at(at.column())),
            text(pos.x),
            text(pos.z)};
}

std::string joined(const std::vector<std::string>& values) {
    return fmt::format("{}", fmt::join(values, "|"));
}

TEST_F(TablesTest, EveryColumnOfABlockIsWhatItsChunkSays) {
    const ChunkPos pos{-2, 3};
    const auto document = rich(1);
    put_world("world", {{pos, document}});
    open(folder_ / "world");
    const auto chunk = chunk::Chunk::decode(Bytes(document)).value();
    ASSERT_EQ(chunk.section(0).blocks.kind(), chunk::PaletteKind::half_byte);
    ASSERT_EQ(chunk.section(2).blocks.kind(), chunk::PaletteKind::byte);
    ASSERT_EQ(chunk.section(3).blocks.kind(), chunk::PaletteKind::wide);
    Answer whole;
    std::array<Answer, 20> by_column;
    std::size_t air_in_a_layer = 0;
    for (int y = 0; y < k_side * k_sections; ++y)
        for (int z = 0; z < k_side; ++z)
            for (int x = 0; x < k_side; ++x) {
                const auto columns = columns_of(chunk, pos, {x, y, z});
                if (columns[4] == "Empty") {
                    air_in_a_layer += y == 100 ? 1 : 0;
                    continue;
                }
                whole.push_back(joined(columns));
                for (std::size_t i = 0; i < columns.size(); ++i) by_column[i].push_back(columns[i]);
            }
    EXPECT_EQ(ask("SELECT * FROM blocks"), whole);
    const auto blocks = std::ranges::find(tables(), "blocks", &Table::name);
    ASSERT_EQ(blocks->columns.size(), by_column.size());
    for (std::size_t i = 0; i < by_column.size(); ++i)
        EXPECT_EQ(ask(fmt::format("SELECT {} FROM blocks", blocks->columns[i].name)), by_column[i])
            << blocks->columns[i].name << " alone, for which little of the chunk is read";
    EXPECT_EQ(ask_one("SELECT count(x) FROM blocks WHERE key IN ('Empty', 'No_Such') AND y = 100"),
              std::to_string(air_in_a_layer));
    EXPECT_TRUE(problems_.empty());
}

TEST_F(TablesTest, EveryColumnOfAFluidIsWhatItsChunkSays) {
    const ChunkPos pos{-2, 3};
    auto old = documents::ten_sections(4);
    for (auto& cell : old[1].blocks) cell = "Empty";
    old[1].blocks[7] = "Fluid_Lava";
    old[1].blocks[1025] = "Fluid_Lava";
    for (const auto& document : {rich(2), documents::document(old)}) {
        std::filesystem::remove_all(folder_ / "world");
        put_world("world", {{pos, document}});
        open(folder_ / "world");
        const auto chunk = chunk::Chunk::decode(Bytes(document)).value();
        Answer expected;
        std::map<std::string, int> counts;
        for (int y = 0; y < k_side * k_sections; ++y)
            for (int z = 0; z < k_side; ++z)
                for (int x = 0; x < k_side; ++x) {
                    const auto fluid = chunk.fluid({x, y, z});
                    ++counts[fmt::format("{}|{}", y / k_side, fluid.key)];
                    if (fluid.key == "Empty") continue;
                    expected.push_back(fmt::format("world|{}|{}|{}|{}|{}|-2|3", pos.x * k_side + x, y,
                                                   pos.z * k_side + z, fluid.key, fluid.level));
                }
        ASSERT_FALSE(expected.empty());
        EXPECT_EQ(ask("SELECT * FROM fluids"), expected);
        Answer lava;
        for (const auto& row : expected)
            if (row.find("|Lava") != std::string::npos || row.find("Fluid_Lava") != std::string::npos)
                lava.push_back(row);
        EXPECT_EQ(ask("SELECT * FROM fluids WHERE key GLOB '*Lava*'"), lava);
        Answer counted;
        for (const auto& [key, cells] : counts) counted.push_back(fmt::format("{}|{}", key, cells));
        EXPECT_EQ(ask("SELECT section || '|' || key, cells FROM fluid_counts ORDER BY 1"), counted);
        EXPECT_EQ(ask_one("SELECT count(x) FROM fluids WHERE key = 'Empty' AND y = 31"),
                  std::to_string(k_columns - std::stoi(ask_one("SELECT count(x) FROM fluids WHERE y = 31"))));
    }
}

/// Keys of old sections become equal once their attributes are taken off; a section of many keys keeps them
/// in another way.
TEST_F(TablesTest, CellsAreCountedOnceForEachKey) {
    for (const std::size_t keys : {10U, 63U, 64U, 65U, 200U}) {
        auto sections = documents::ten_sections(3);
        for (std::size_t cell = 0; cell < test::k_image_cells; ++cell)
            sections[1].blocks[cell] = cell % 3 == 0
                                           ? fmt::format("Block_{}", cell % keys)
                                           : fmt::format("Block_{}|Yaw={}", cell % keys, 90 * (1 + cell % 2));
        const auto old = documents::document(sections);
        make_world(folder_ / "world", {old, rich(3), plain()});
        open(folder_ / "world");
        std::map<std::string, int> counts;
        std::map<std::string, int> totals;
        for (int x = 0; const auto& document : {old, rich(3), plain()}) {
            const auto chunk = chunk::Chunk::decode(Bytes(document)).value();
            for (int y = 0; y < k_sections; ++y)
                for (int cell = 0; cell < k_cells; ++cell) {
                    const auto key = chunk.section(y).block_at(CellIndex(cell)).key;
                    ++counts[fmt::format("{}|{}|{}", x, y, key)];
                    ++totals[std::string(key)];
                }
            ++x;
        }
        Answer expected;
        for (const auto& [key, cells] : counts) expected.push_back(fmt::format("{}|{}", key, cells));
        auto found = ask("SELECT chunk_x, section, key, cells FROM block_counts");
        std::ranges::sort(found);
        std::ranges::sort(expected);
        EXPECT_EQ(found, expected) << keys;
        Answer expected_totals;
        for (const auto& [key, cells] : totals) expected_totals.push_back(fmt::format("{}|{}", key, cells));
        auto found_totals = ask("SELECT key, cells FROM block_totals");
        std::ranges::sort(found_totals);
        std::ranges::sort(expected_totals);
        EXPECT_EQ(found_totals, expected_totals) << keys;
        EXPECT_EQ(ask_one("SELECT sum(cells) FROM block_counts WHERE key = 'Block_7'"),
                  std::to_string(totals["Block_7"]));
    }
}

TEST_F(TablesTest, SectionsTellHowTheyAreStored) {
    auto document = edited(rich(4), [](chunk::Chunk& chunk) {
        auto* section = chunk.edit_section(1).value();
        section->local_counter = 5; // neither light is as new as its counter
        section->global_counter = 9;
        section->counters_changed = true;
    });
    put_world("world", {{{-2, 3}, document}});
    open(folder_ / "world");
    const auto chunk = chunk::Chunk::decode(Bytes(document)).value();
    static constexpr std::array k_names{"empty", "half byte", "byte", "two bytes"};
    Answer expected;
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        expected.push_back(fmt::format("world|-2|{}|3|6|{}|{}|{}|{}|{}|{:d}|{:d}", y, section.migration_count,
                                       k_names[static_cast<std::size_t>(section.blocks.kind())],
                                       section.blocks.entries().size(), section.fluids.entries().size(),
                                       section.ticking.count(), section.local_light_valid(),
                                       section.global_light_valid()));
    }
    EXPECT_FALSE(chunk.section(1).global_light_valid());
    EXPECT_TRUE(chunk.section(5).global_light_valid());
    EXPECT_EQ(ask("SELECT * FROM sections"), expected);
    EXPECT_EQ(ask("SELECT * FROM sections WHERE section >= 2 AND section < 4"),
              Answer(expected.begin() + 2, expected.begin() + 4));
}

TEST_F(TablesTest, ChunksTellWhereTheyAreAndWhatTheyHold) {
    const auto document = furnished();
    put_world("world", {{{-2, 3}, document}, {{5, 6}, plain()}});
    open(folder_ / "world");
    const auto store = world::find_location(folder_ / "world").value().worlds.at(0).open({}).value();
    const auto blob = store->blob_info({-2, 3}).value().value();
    const auto chunk = chunk::Chunk::decode(Bytes(document)).value();
    const auto file = store->file_of({-2, 3});
    EXPECT_EQ(
        ask("SELECT world, x, z, region, file, offset, bytes, compressed, segments, version, sections, "
            "entities, block_components FROM chunks WHERE x < 0"),
        Answer{fmt::format("world|-2|3|-1.0|{}|{}|{}|{}|{}|3|10|{}|{}", file, blob.offset, document.size(),
                           blob.frame_size, blob.segments, chunk.entities().holders().size(),
                           chunk.block_components().entries().size())});
    for (const auto& [column, value] :
         std::vector<std::pair<std::string, std::string>>{{"file", file},
                                                          {"offset", std::to_string(blob.offset)},
                                                          {"bytes", std::to_string(document.size())},
                                                          {"segments", std::to_string(blob.segments)},
                                                          {"version", "3"},
                                                          {"sections", "10"},
                                                          {"entities", "2"},
                                                          {"block_components", "4"}})
        EXPECT_EQ(ask(fmt::format("SELECT {} FROM chunks WHERE x < 0", column)), Answer{value})
            << column << " alone";
    const auto saved = ask_one("SELECT saved FROM chunks WHERE x < 0");
    EXPECT_TRUE(saved.starts_with("20") && saved.size() >= 19) << saved;
}

TEST_F(TablesTest, ItemsEntitiesAndComponentsHaveAllOfTheirColumns) {
    auto document = edited(plain(), [](chunk::Chunk& chunk) {
        Buffer holder;
        bson::Writer to(holder);
        to.document("Components").document("ItemContainerBlock").string("Droplist", "Loot_Cave");
        to.document("ItemContainer").int32("Capacity", 9).document("Items");
        to.document("4").string("Id", "Sword").int32("Quantity", 2).real("Durability", 7.5);
        to.document("Metadata").string("Name", "Biter").end().end();
        to.document("left").string("Id", "Bone").int32("Quantity", -3).end();
        to.document("6").string("Id", "").end();
        to.document("7").string("Id", "Sword").int32("Quantity", 5).end();
        to.end().end().end().end();
        to.finish();
        EXPECT_TRUE(
            chunk.edit_block_components().value()->set(chunk::BlockIndex(BlockPos{1, 33, 2}), holder));
        EXPECT_TRUE(chunk.set_block({1, 33, 2}, {"Furniture_Chest", {}, {}}));
        EXPECT_TRUE(chunk.edit_entities().value()->add(world::made::entity("Pig", "Berta", -3.5, 34, 7.25)));
    });
    put_world("world", {{{-2, 3}, document}});
    open(folder_ / "world");
    EXPECT_EQ(
        ask("SELECT * FROM items"),
        (Answer{"world|-63|33|98|Sword|2|ItemContainer|4|7.5|{\"Name\": \"Biter\"}|Furniture_Chest|0|-2|3",
                "world|-63|33|98|Bone|0|ItemContainer|NULL|0|NULL|Furniture_Chest|1|-2|3",
                "world|-63|33|98|Sword|5|ItemContainer|7|0|NULL|Furniture_Chest|3|-2|3"}));
    EXPECT_EQ(ask("SELECT id, number FROM items WHERE id = 'Sword'"), (Answer{"Sword|0", "Sword|3"}));
    EXPECT_EQ(ask("SELECT * FROM containers"),
              Answer{"world|-63|33|98|Furniture_Chest|9|3|7|Loot_Cave|-2|3"});
    EXPECT_EQ(ask("SELECT stacks FROM containers WHERE key = 'Furniture_Chest'"), Answer{"3"});
    EXPECT_EQ(ask("SELECT stacks FROM containers WHERE key = 'Empty'"), Answer{});
    EXPECT_EQ(ask("SELECT pieces FROM containers"), Answer{"7"}) << "without its key, no block is read";
    EXPECT_EQ(ask("SELECT world, x, y, z, type, name, number, chunk_x, chunk_z FROM entities"),
              (Answer{"world|NULL|NULL|NULL|Entity|Bob|0|-2|3", "world|-3.5|34|7.25|Pig|Berta|1|-2|3"}));
    EXPECT_EQ(ask("SELECT number FROM entities WHERE type = 'Pig'"), Answer{"1"})
        << "it counts all of its chunk";
    EXPECT_EQ(ask("SELECT json_extract(data, '$.Nameplate.Text') FROM entities"), (Answer{"Bob", "Berta"}));
    EXPECT_EQ(ask("SELECT world, x, y, z, name, chunk_x, chunk_z FROM block_components ORDER BY y"),
              (Answer{"world|-60|2|97|FarmingBlock|-2|3", "world|-63|33|98|ItemContainerBlock|-2|3"}));
    EXPECT_EQ(ask("SELECT data IS NULL FROM block_components"), (Answer{"0", "0"}));
}

TEST_F(TablesTest, FindingsAreThoseOfVerify) {
    auto stale = edited(plain(), [](chunk::Chunk& chunk) {
        EXPECT_TRUE(chunk.set_block({4, 101, 4}, {"Door_Oak", {}, chunk::Filler::of_offset(0, 1, 0)}));
    });
    put_world("a/world", {{{-2, 3}, stale}, {{0, 0}, plain()}, {{1, 0}, damaged_document()}});
    open(folder_ / "a" / "world");
    const auto dangling =
        ask("SELECT world, chunk_x, chunk_z, severity, count, number FROM findings WHERE code = "
            "'filler.dangling'");
    ASSERT_EQ(dangling.size(), 1U) << joined(ask("SELECT code FROM findings"));
    EXPECT_TRUE(dangling[0].starts_with("world|-2|3|wrong|1|")) << dangling[0];
    EXPECT_NE(ask_one("SELECT offset FROM findings WHERE code = 'component.unreadable'"), "NULL");
    EXPECT_EQ(ask("SELECT DISTINCT chunk_x FROM findings WHERE severity = 'damage'"), Answer{"1"});
    EXPECT_EQ(ask_one("SELECT min(number), count(*) - max(number) FROM findings WHERE chunk_x = 1"), "0|1");
    EXPECT_EQ(ask_one("SELECT count(*) FROM findings WHERE chunk_x = 1 AND message <> '' AND part <> ''"),
              ask_one("SELECT count(part) FROM findings WHERE chunk_x = 1"));
}

TEST_F(TablesTest, WorldsTheirSettingsAndPlacesAreThoseOfTheirFiles) {
    std::filesystem::create_directories(folder_ / "u" / "players");
    make_world(folder_ / "u/worlds/beta", {plain(), plain()});
    make_world(folder_ / "u/worlds/alpha", {plain()});
    std::ofstream(folder_ / "u/worlds/beta/config.json")
        << R"({"Version": 4, "DisplayName": "The Place", "Seed": -77, "GameMode": "Adventure",
               "IsTicking": true, "IsPvpEnabled": false, "Speed": 1.5, "Nothing": null,
               "WorldGen": {"Type": "Void", "Deep": {"List": [4, "five"]}}})";
    std::ofstream(folder_ / "u" / "warps.json")
        << R"({"Warps":[{"Id":"inn","World":"alpha","X":1.5,"Y":2.0,"Z":-3.5},
                        {"Id":"mine","World":"alpha","X":2.5,"Y":3.0,"Z":-4.5}]})";
    std::ofstream(folder_ / "u" / "players" / "1.json")
        << R"({"Components":{"Player":{"PlayerData":{"World":"beta","PerWorldData":{}}},
               "Transform":{"Position":{"X":10.5,"Y":64.25,"Z":-20.5}},"Nameplate":{"Text":"Ann"}}})";
    std::filesystem::create_directories(folder_ / "u/worlds/beta/resources");
    std::ofstream(folder_ / "u/worlds/beta/resources/SharedUserMapMarkers.json")
        << R"({"UserMarkers":[{"Id":"m","X":-70.5,"Z":9.0,"Name":"Mine"},{"Id":"n","X":1,"Z":2}]})";
    open(folder_ / "u");
    EXPECT_EQ(ask("SELECT world, kind, chunks, display_name, seed, generator, game_mode FROM worlds"),
              (Answer{"alpha|region files|1|NULL|NULL|NULL|NULL",
                      "beta|region files|2|The Place|-77|Void|Adventure"}));
    EXPECT_EQ(ask("SELECT name, value, typeof(value) FROM config WHERE world = 'beta'"),
              (Answer{"Version|4|integer", "DisplayName|The Place|text", "Seed|-77|integer",
                      "GameMode|Adventure|text", "IsTicking|1|integer", "IsPvpEnabled|0|integer",
                      "Speed|1.5|real", "Nothing|NULL|null", "WorldGen.Type|Void|text",
                      "WorldGen.Deep.List.0|4|integer", "WorldGen.Deep.List.1|five|text"}));
    EXPECT_EQ(ask("SELECT * FROM warps"), (Answer{"alpha|inn|1.5|2|-3.5|0", "alpha|mine|2.5|3|-4.5|1"}));
    EXPECT_EQ(ask("SELECT * FROM players"), Answer{"beta|Ann|10.5|64.25|-20.5|0"});
    EXPECT_EQ(ask("SELECT world, name, x, z, number FROM markers"),
              (Answer{"beta|Mine|-70.5|9|0", "beta|NULL|1|2|1"}));
    EXPECT_EQ(ask("SELECT name FROM warps WHERE world = 'beta'"), Answer{});
    EXPECT_TRUE(problems_.empty()) << problems_.front();
}

/// A condition that a table is told of gives the rows that SQLite alone would choose, for every column that a
/// table understands, at the values that are there and beside them.
TEST_F(TablesTest, AConditionLeavesOutNothingThatMeetsIt) {
    open_universe();
    for (const auto& table : tables())
        for (const auto& column : table.columns) {
            if (column.role == Role::other || table.name == "findings") continue; // those take long
            const bool is_text = column.role == Role::world || column.role == Role::key;
            auto values = ask(fmt::format("SELECT DISTINCT {} FROM {} WHERE {} IS NOT NULL ORDER BY +{}",
                                          column.name, table.name, column.name, column.name));
            while (values.size() > 3) // the ends, and one between them
                values.erase(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
            Answer conditions;
            for (const auto& value : values) {
                if (value == "Empty") continue; // air is there only where it is named
                const auto quoted = is_text ? fmt::format("'{}'", value) : value;
                for (const auto* sign : {"=", "<", "<=", ">", ">="}) {
                    conditions.push_back(fmt::format("{} {}", sign, quoted));
                    if (is_text) continue;
                    conditions.push_back(fmt::format("{} {} + 0.5", sign, quoted));
                    conditions.push_back(fmt::format("{} {} - {}", sign, quoted, conditions.size() % 40));
                }
                if (!is_text) continue;
                conditions.push_back(fmt::format("GLOB '{}*'", value.substr(0, value.size() / 2)));
                conditions.push_back(fmt::format("LIKE '%{}'", value.substr(value.size() / 2)));
                conditions.push_back(fmt::format("IN ('{}', 'Nothing')", value));
            }
            for (const auto& condition : conditions) {
                const auto sql = fmt::format("SELECT count(1), total(length({})) FROM {} WHERE ",
                                             table.columns.back().name, table.name);
                ASSERT_EQ(ask_one(fmt::format("{}{} {}", sql, column.name, condition)),
                          ask_one(fmt::format("{}+{} {}", sql, column.name, condition)))
                    << table.name << ": " << column.name << ' ' << condition;
            }
        }
    EXPECT_TRUE(problems_.empty()) << problems_.front();
}

/// Chunks that cannot be read stand around one that can: who asks for nothing of theirs is told nothing of
/// them.
TEST_F(TablesTest, OnlyChunksThatMayMeetAConditionAreRead) {
    std::map<ChunkPos, Buffer> chunks;
    for (const int x : {-3, -2, -1})
        for (const int z : {4, 5, 6}) chunks[{x, z}] = Buffer{1, 2, 3};
    chunks[{-2, 5}] = furnished_sparsely({-2, 5}, 1);
    put_world("world", chunks);
    const auto is_quiet = [this](const std::string& sql) {
        open(folder_ / "world");
        problems_.clear();
        const auto rows = ask(sql);
        return !rows.empty() && !rows[0].starts_with("error") && problems_.empty();
    };
    // Blocks -64 to -33 and 160 to 191 are those of the chunk in the middle.
    for (const std::string x : {"x >= -64 AND x <= -33", "x > -65 AND x < -32", "x > -64.5 AND x < -32.5",
                                "x = -40", "chunk_x = -2", "chunk_x > -3 AND chunk_x < -1",
                                "chunk_x >= -2 AND chunk_x <= -2", "chunk_x IN (-2)"})
        for (const std::string z : {"z >= 160 AND z <= 191", "z > 159 AND z < 192", "z = 170", "chunk_z = 5",
                                    "chunk_z > 4 AND chunk_z < 6", "chunk_z BETWEEN 5 AND 5"}) {
            if (z == "z = 170" && x == "x = -40") continue; // perhaps nothing is there
            EXPECT_TRUE(is_quiet(fmt::format("SELECT count(y) FROM blocks WHERE {} AND {}", x, z))) << x << z;
        }
    EXPECT_FALSE(is_quiet("SELECT count(y) FROM blocks WHERE x >= -65 AND x <= -33 AND chunk_z = 5"));
    EXPECT_FALSE(is_quiet("SELECT count(y) FROM blocks WHERE x >= -64 AND x <= -32 AND chunk_z = 5"));
    EXPECT_TRUE(is_quiet("SELECT x FROM items WHERE chunk_x = -2 AND chunk_z = 5 LIMIT 1"));
    EXPECT_TRUE(is_quiet("SELECT sum(cells) FROM block_counts WHERE chunk_x = -2 AND chunk_z = 5"));
}

TEST_F(TablesTest, RowsComeInTheOrderThatIsAskedFor) {
    open_universe();
    static constexpr std::array k_order{"world", "chunk_x", "chunk_z", "y", "z", "x"};
    for (const std::string table : {"items", "fluids", "block_components", "entities", "block_counts"}) {
        const auto& columns = std::ranges::find(tables(), table, &Table::name)->columns;
        for (std::size_t first = 0; first < k_order.size(); ++first)
            for (std::size_t end = first + 1; end <= k_order.size(); ++end)
                for (const std::string from : {"", " WHERE world = 'beta'"}) {
                    Answer names;
                    for (auto i = first; i < end; ++i)
                        if (std::ranges::find(columns, k_order[i], &Column::name) != columns.end())
                            names.emplace_back(k_order[i]);
                    const auto told = fmt::format("{}", fmt::join(names, ", "));
                    const auto sorted = fmt::format("+{}", fmt::join(names, ", +"));
                    if (names.empty()) continue;
                    const auto sql = fmt::format("SELECT {} FROM {}{} ORDER BY ", told, table, from);
                    ASSERT_EQ(ask(sql + told), ask(sql + sorted)) << sql << told;
                    ASSERT_EQ(ask(sql + told + " DESC"), ask(sql + sorted + " DESC")) << sql << told;
                }
    }
}

TEST_F(TablesTest, AWorldThatCannotBeOpenedIsNamedAndTheOthersAnswer) {
    std::filesystem::create_directories(folder_ / "u" / "players");
    make_world(folder_ / "u/worlds/alpha", {plain()});
    make_world(folder_ / "u/worlds/beta", {plain()});
    std::filesystem::remove_all(folder_ / "u/worlds/beta/chunks");
    std::ofstream(folder_ / "u/worlds/beta/config.json")
        << R"({"Version": 4, "ChunkStorage": {"Type": "RocksDb"}})";
    std::filesystem::create_directories(folder_ / "u/worlds/beta/db");
    std::ofstream(folder_ / "u/worlds/beta/db/CURRENT") << "no database";
    open(folder_ / "u");
    EXPECT_EQ(ask("SELECT world FROM chunks"), Answer{"alpha"});
    EXPECT_EQ(problems_.size(), 1U);
    open(folder_ / "u/worlds/beta");
    EXPECT_TRUE(ask_one("SELECT world FROM chunks").starts_with("error: "));
}

} // namespace
} // namespace orbis::query
