#include "bytes/content_hash.hpp"
#include "bytes/zstd.hpp"
#include "chunk/chunk_documents_test.hpp"
#include "jobs/verify/finding.hpp"
#include "map/colours.hpp"
#include "map/find_changes.hpp"
#include "map/map_folder_test.hpp"
#include "map/region_facts.hpp"
#include "map/script_file.hpp"
#include "map/world_facts.hpp"
#include "map/world_index.hpp"
#include "support/shared.hpp"
#include "world/sample/holders.hpp"

#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace orbis::map {
namespace {

namespace fs = std::filesystem;
using made::content;
using made::few_layers;

/// The value of the only file of a folder.
std::string only_script(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1U) << folder;
    auto text = content(files.at(0));
    const auto start = fmt::format("orbis(\"{}/{}\",", folder.filename().string(), files[0].stem().string());
    EXPECT_TRUE(text.starts_with(start)) << text.substr(0, 60);
    EXPECT_TRUE(text.ends_with(");\n"));
    return text.substr(start.size(), text.size() - start.size() - 3);
}

void expect_part(const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << "expected " << part << "\nin " << text;
}

class WorldFactsTest : public made::MapTest {
protected:
    static Buffer full_chunk() {
        auto chunk = chunk::Chunk::create();
        EXPECT_TRUE(chunk.set_block({3, 40, 4}, {"Furniture_Crude_Chest_Small", {}, {}}));
        EXPECT_TRUE(chunk.set_block({5, 40, 4}, {"Mod_Unheard_Of", {}, {}}));
        EXPECT_TRUE(chunk.set_block({5, 41, 4}, {"Mod_Unheard_Of", {}, {}}));
        EXPECT_TRUE(chunk.set_ticking({5, 41, 4}, true));
        EXPECT_TRUE(chunk.recompute_heights(
            [](std::string_view key) { return world::Assets::built_in().is_transparent(key); }));
        auto* components = chunk.edit_block_components().value();
        EXPECT_TRUE(
            components->set(chunk::BlockIndex(BlockPos{3, 40, 4}), world::made::chest("Food_Bread", 7)));
        EXPECT_TRUE(components->set(chunk::BlockIndex(BlockPos{5, 40, 4}), world::made::chest("", 0)));
        auto* entities = chunk.edit_entities().value();
        EXPECT_TRUE(entities->add(world::made::entity("Goblin", "Bob", -30.123456, 41, 5.5)));
        EXPECT_TRUE(entities->add(world::made::entity("Goblin", "", -29, 41, 6)));
        EXPECT_TRUE(entities->add(bson::empty_document())); // it says nothing of where it is
        Buffer out;
        const auto encoded = chunk.encode(out).value();
        return {encoded.begin(), encoded.end()};
    }
};

TEST_F(WorldFactsTest, SaysWhatAChunkHolds) {
    world_.put({-1, 0}, full_chunk());
    auto options = few_layers();
    options.findings = true;
    ASSERT_TRUE(update("map", options));
    const auto facts = only_script(map("map") / "facts");
    expect_part(facts, R"({"markers":[{"kind":"spawn","name":"","x":1.5,"y":70,"z":-3.5}])");
    expect_part(facts, R"("containers":{"block":[0,2],"x":[-29,-27],"y":[40,40],"z":[4,4],"first":[0,1,1],)"
                       R"("item":[1],"count":[7]})");
    expect_part(facts, R"("entities":{"type":[3,3],"name":[4,-1],"x":[-30.12,-29],"y":[41,41],"z":[5.5,6]})");
    expect_part(facts,
                R"("names":["Furniture_Crude_Chest_Small","Food_Bread","Mod_Unheard_Of","Goblin","Bob"])");
    expect_part(facts, R"({"key":"Mod_Unheard_Of","cells":2,"chunks":[-1,0,2,42117],"all":true})");
    const auto inspect = only_script(map("map") / "inspect");
    expect_part(inspect, R"("x":[-1],"z":[0],"values":{"bytes":[)");
    expect_part(inspect, R"("entities":[3],"ticking":[1],"components":[2],"unknown":[2],"version":[)");
    expect_part(inspect, R"("findings":[)");
    const auto index = content(map("map") / "world.js");
    expect_part(index,
                R"("bounds":{"min":[-32,0],"max":[0,32]},"chunks":1,"levels":1,"spawn":[1.5,70,-3.5])");
    expect_part(index, R"({"key":"Mod_Unheard_Of","colour":"#)");
    expect_part(index, R"("guessed":true,"cells":1})");
}

TEST_F(WorldFactsTest, SaysWhichBlockOfAKeyIsTheHighest) {
    auto chunk = chunk::Chunk::create();
    for (const BlockPos pos : {BlockPos{9, 100, 20}, {30, 100, 20}, {4, 100, 21}, {0, 99, 0}, {1, 3, 1}})
        ASSERT_TRUE(chunk.set_block(pos, {"Ore_Gold_Stone", {}, {}}));
    Buffer out;
    world_.put({2, -1}, chunk.encode(out).value());
    ASSERT_TRUE(update("map", few_layers()));
    const auto place = 100 * 1024 + 20 * 32 + 9;
    expect_part(
        only_script(map("map") / "facts"),
        fmt::format(R"({{"key":"Ore_Gold_Stone","cells":5,"chunks":[2,-1,5,{}],"all":true}})", place));
}

TEST_F(WorldFactsTest, TheLowestCellOfAllIsAPlaceLikeOthers) {
    auto chunk = chunk::Chunk::create();
    for (const BlockPos pos : {BlockPos{0, 0, 0}, {5, 0, 0}, {3, 0, 9}})
        ASSERT_TRUE(chunk.set_block(pos, {"Ore_Gold_Stone", {}, {}}));
    Buffer out;
    world_.put({0, 0}, chunk.encode(out).value());
    ASSERT_TRUE(chunk.set_block({9, 33, 0}, {"Ore_Gold_Stone", {}, {}}));
    world_.put({1, 0}, chunk.encode(out).value());
    ASSERT_TRUE(update("map", few_layers()));
    expect_part(only_script(map("map") / "facts"),
                fmt::format(R"({{"key":"Ore_Gold_Stone","cells":7,"chunks":[0,0,3,0,1,0,4,{}],"all":true}})",
                            33 * 1024 + 9));
}

TEST_F(WorldFactsTest, TheLegendHasFluidsWithTheColoursThatAreDrawn) {
    auto chunk = chunk::Chunk::create();
    for (int x = 0; x < 8; ++x) ASSERT_TRUE(chunk.set_block({x, 10, 0}, {"Rock_Stone", {}, {}}));
    for (int x = 0; x < 5; ++x)
        for (int y = 11; y < 15; ++y) ASSERT_TRUE(chunk.set_fluid({x, y, 0}, {"Water_Source", 1}));
    static constexpr std::string_view k_environment = "Dungeon_GoblinLair_Duke"; // it tints water
    chunk.edit_environments().value()->fill(k_environment);
    ASSERT_TRUE(chunk.set_fluid({6, 12, 0}, {"Lava_Source", 1}));
    ASSERT_TRUE(chunk.set_fluid({7, 5, 0}, {"Poison_Source", 1})); // below the ground
    ASSERT_TRUE(chunk.recompute_heights(
        [](std::string_view key) { return world::Assets::built_in().is_transparent(key); }));
    Buffer out;
    world_.put({0, 0}, chunk.encode(out).value());
    ASSERT_TRUE(update("map", few_layers()));
    const Colours colours(world::Assets::built_in());
    expect_part(content(map("map") / "world.js"),
                fmt::format(R"("fluids":[{{"key":"Water_Source","cells":5,"colours":["{}"]}},)"
                            R"({{"key":"Lava_Source","cells":1,"colours":["{}"]}}])",
                            world::to_text(*colours.water_tint(k_environment)),
                            world::to_text(colours.fluid("Lava_Source").particle)));
}

TEST_F(WorldFactsTest, BlocksToRespawnAtAreMarkersAndBlocksWithoutItemsNoContainers) {
    auto chunk = chunk::Chunk::create();
    auto* components = chunk.edit_block_components().value();
    ASSERT_TRUE(components->set(chunk::BlockIndex(BlockPos{3, 40, 4}), world::sample::respawn()));
    ASSERT_TRUE(components->set(chunk::BlockIndex(BlockPos{4, 40, 4}), world::sample::bench()));
    ASSERT_TRUE(components->set(chunk::BlockIndex(BlockPos{5, 40, 4}), bson::empty_document()));
    const std::string longer(300, 'n');
    ASSERT_TRUE(chunk.edit_entities().value()->add(world::made::entity("Goblin", longer, 1, 41, 5)));
    Buffer out;
    world_.put({-1, 2}, chunk.encode(out).value());
    ASSERT_TRUE(update("map", few_layers()));
    const auto facts = only_script(map("map") / "facts");
    expect_part(facts, R"({"kind":"respawn","name":"","x":-28.5,"y":40,"z":68.5}])");
    expect_part(facts, R"("containers":{"block":[],)");
    expect_part(facts, fmt::format(R"("names":["Goblin","{}"])", longer.substr(0, 200)));
    expect_part(only_script(map("map") / "inspect"), R"("components":[3],)");
}

TEST_F(WorldFactsTest, OfAFluidTheCommonestSixColoursAreInTheLegend) {
    std::map<std::string, std::string> tints; // an environment for each colour
    for (const auto& environment : world::Assets::built_in().environments.all())
        if (environment.water_tint) tints[world::to_text(*environment.water_tint)] = environment.key;
    ASSERT_GE(tints.size(), 7U);
    const int used = std::min(static_cast<int>(tints.size()), 8);
    auto chunk = chunk::Chunk::create();
    std::string expected;
    int columns = 0;
    for (int z = 0; const auto& [colour, environment] : tints) { // one column, then two and so on
        if (z == used) break;
        for (int x = 0; x < z + 1; ++x) {
            ASSERT_TRUE(chunk.set_block({x, 10, z}, {"Rock_Stone", {}, {}}));
            for (int y = 11; y < 15; ++y) ASSERT_TRUE(chunk.set_fluid({x, y, z}, {"Water_Source", 1}));
            chunk.edit_environments().value()->set_runs(
                ColumnIndex(x, z), std::array{chunk::EnvironmentRun{.key = environment}});
            ++columns;
        }
        if (z >= used - 6)
            expected = fmt::format("\"{}\"{}{}", colour, expected.empty() ? "" : ",", expected);
        ++z;
    }
    ASSERT_TRUE(chunk.recompute_heights(
        [](std::string_view key) { return world::Assets::built_in().is_transparent(key); }));
    Buffer out;
    world_.put({0, 0}, chunk.encode(out).value());
    ASSERT_TRUE(update("map", few_layers()));
    expect_part(content(map("map") / "world.js"),
                fmt::format(R"({{"key":"Water_Source","cells":{},"colours":[{}]}})", columns, expected));
}

TEST(WorldFindings, HaveAsManyLinesAsAPageCanShowAndAllAreCounted) {
    WorldFindings findings;
    jobs::Finding of_chunk;
    of_chunk.chunk = ChunkPos{1, 2};
    const jobs::Finding of_world;
    for (int i = 0; i < 4003; ++i) findings.add(of_chunk);
    EXPECT_EQ(findings.lines.size(), 4000U);
    EXPECT_EQ(findings.left_out, 3U);
    for (int i = 0; i < 1002; ++i) findings.add(of_world);
    EXPECT_EQ(findings.lines.size(), 5000U) << "those of chunks leave room for those of the world";
    EXPECT_EQ(findings.left_out, 5U);
    EXPECT_EQ(findings.chunks.size(), 1U);
    EXPECT_EQ(findings.chunks.at({1, 2}).count, 4003U);
}

/// Keys of old sections become equal once their attributes are taken off.
TEST_F(WorldFactsTest, OfEntriesThatAreOneKeyTheHighestAndFirstCellIsThePlace) {
    const auto document = [](int lower, int upper) {
        auto sections = chunk::test_documents::ten_sections(4);
        for (auto& section : sections) section.blocks.assign(test::k_image_cells, "Empty");
        sections[1].blocks[static_cast<std::size_t>(lower)] = "Ore_Gold_Stone";
        sections[1].blocks[static_cast<std::size_t>(upper)] = "Ore_Gold_Stone|Yaw=90";
        return chunk::test_documents::document(sections);
    };
    world_.put({0, 0}, document(100, 70));            // one layer: the first of it
    world_.put({1, 0}, document(100, 5 * 1024 + 70)); // the upper layer, whichever entry has it
    world_.put({2, 0}, document(5 * 1024 + 70, 100));
    ASSERT_TRUE(update("map", few_layers()));
    const int upper = k_cells + 5 * 1024 + 70;
    expect_part(
        only_script(map("map") / "facts"),
        fmt::format(
            R"({{"key":"Ore_Gold_Stone","cells":6,"chunks":[0,0,2,{},1,0,2,{},2,0,2,{}],"all":true}})",
            k_cells + 70, upper, upper));
}

TEST_F(WorldFactsTest, FindingsHaveTheirSeverityAndThoseOfTheWorldAreTold) {
    world_.put({-1, 0}, full_chunk());
    fs::remove(world_.folder() / "config.json");
    auto options = few_layers();
    options.findings = true;
    ASSERT_TRUE(update("map", options));
    const auto inspect = only_script(map("map") / "inspect");
    expect_part(inspect, R"({"code":"config.missing","severity":"damage",)");
    expect_part(inspect, R"("findings":[2],"severity":[1]},)");
    EXPECT_EQ(inspect.find(folder_.path().string()), std::string::npos) << "a map says nothing of its source";
    EXPECT_EQ(inspect.find(R"({"id":"severity")"), std::string::npos);
}

TEST_F(WorldFactsTest, FilesThatCannotBeReadAreNamedWithoutTheirFolders) {
    world_.put({0, 0}, 7);
    std::ofstream(world_.folder() / "chunks" / "3.-2.region.bin") << "noise";
    ASSERT_TRUE(update("map", few_layers()));
    const auto inspect = only_script(map("map") / "inspect");
    expect_part(inspect, R"("problems":[{"file":"3.-2.region.bin","message":")");
    EXPECT_EQ(inspect.find(folder_.path().string()), std::string::npos);
}

TEST_F(WorldFactsTest, OfACommonBlockOnlyTheFirstThousandChunksAreListed) {
    Buffer out;
    auto chunk = chunk::Chunk::create();
    EXPECT_TRUE(chunk.set_block({5, 40, 4}, {"Rock_Stone", {}, {}}));
    const auto encoded = chunk.encode(out).value();
    for (int i = 0; i < 1001; ++i) world_.put({i % 40, i / 40}, encoded);
    auto options = few_layers();
    options.layers.resize(1);
    ASSERT_TRUE(update("map", options));
    const auto facts = only_script(map("map") / "facts");
    expect_part(facts, R"({"key":"Rock_Stone","cells":1001,"chunks":[0,0,1,41093,1,0,1,41093,)");
    expect_part(facts, R"("all":false})");
}

/// The numbers of a column, counted.
std::size_t column_size(const std::string& facts, std::string_view list, std::string_view column) {
    const auto start = facts.find(fmt::format("\"{}\":{{", list));
    const auto at = facts.find(fmt::format("\"{}\":[", column), start);
    const auto end = facts.find(']', at);
    if (start == facts.npos || at == facts.npos || end == facts.npos) return 0;
    return 1
           + static_cast<std::size_t>(std::ranges::count(std::string_view(facts).substr(at, end - at), ','));
}

TEST_F(WorldFactsTest, AHundredThousandEntitiesAndContainersAreAllThere) {
    constexpr int k_each = 100; // in each of 1,000 chunks
    auto chunk = chunk::Chunk::create();
    for (int i = 0; i < k_each; ++i) {
        const BlockPos pos{i % 32, 50, i / 32};
        ASSERT_TRUE(chunk.edit_entities().value()->add(
            world::made::entity(i % 2 == 0 ? "Goblin" : "Sheep", "", 0.25 + i, 50, 1)));
        ASSERT_TRUE(chunk.set_block(pos, {"Furniture_Crude_Chest_Small", {}, {}}));
        ASSERT_TRUE(chunk.edit_block_components().value()->set(chunk::BlockIndex(pos),
                                                               world::made::chest("Food_Bread", 1 + i % 9)));
    }
    Buffer out;
    const auto encoded = chunk.encode(out).value();
    for (int i = 0; i < 1000; ++i) world_.put({i % 50 - 25, i / 50}, encoded);
    auto options = few_layers(2);
    options.layers.resize(1);
    const auto done = update("map", options);
    ASSERT_TRUE(done) << done.error().text();
    const auto facts = only_script(map("map") / "facts");
    for (const char* column : {"type", "name", "x", "y", "z"})
        EXPECT_EQ(column_size(facts, "entities", column), 100'000U) << column;
    for (const char* column : {"block", "x", "y", "z", "item", "count"})
        EXPECT_EQ(column_size(facts, "containers", column), 100'000U) << column;
    EXPECT_EQ(column_size(facts, "containers", "first"), 100'001U);
    expect_part(facts, R"("names":["Furniture_Crude_Chest_Small","Food_Bread",)");
}

TEST(RegionFacts, ReadBackAsTheyWereAndOnlyWhole) {
    RegionFacts region({-3, 7});
    ChunkFacts facts;
    facts.slot = {17};
    facts.hash = 99;
    facts.bytes = 12345;
    facts.unknown = 4;
    facts.containers.push_back({region.intern("Chest"), {1, 2, 3}, {{region.intern("Bread"), 5}}});
    facts.entities.push_back({region.intern("Goblin"), k_no_name, 0.5, -1.25, 1e9});
    facts.markers.push_back({region.intern("respawn"), region.intern("Bed"), {7, 8, 9}});
    facts.keys.push_back({region.intern("Zinc"), 3, 1, 327'679});
    facts.fluids.push_back({region.intern("Water"), 0x1234ff, 8});
    facts.keys.push_back({region.intern("Acorn"), 4, 0, -1});
    facts.environments.push_back(region.intern("Env"));
    (void)region.intern("not used any more");
    region.put(facts);
    const auto file = region.save();
    auto back = RegionFacts::load(file);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->pos(), (RegionPos{-3, 7}));
    EXPECT_EQ(back->chunks(), region.chunks());
    EXPECT_EQ(back->name(back->chunks().at({17}).keys.at(0).key), "Acorn");
    EXPECT_EQ(back->names(), 9U);
    EXPECT_EQ(back->save(), file);
    RegionFacts other({-3, 7});
    other.take(*back, back->chunks().at({17}));
    EXPECT_EQ(other.save(), file) << "whichever way the facts came together";
    for (std::size_t length = 0; length < file.size(); ++length)
        EXPECT_FALSE(RegionFacts::load(Bytes(file).first(length))) << length;
    for (std::size_t i = 0; i < file.size(); ++i) { // never a crash
        auto broken = file;
        broken[i] ^= 0x55;
        (void)RegionFacts::load(broken);
    }
}

TEST(RegionFacts, OfAFileWithAnotherNameAreNotTaken) {
    const test::TemporaryFolder folder;
    const auto file = RegionFacts({1, 2}).save();
    const auto hash = content_hash(file);
    for (const auto named : {hash, hash + 1}) {
        const auto path = folder / MapState::region_path({1, 2}, named);
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << as_text(file);
    }
    EXPECT_TRUE(load_region(folder.path(), {1, 2}, hash));
    EXPECT_EQ(load_region(folder.path(), {1, 2}, hash + 1).error().code, Errc::mismatch);
}

TEST(MapState, ReadsBackAsItWasAndOnlyWhole) {
    MapState state;
    state.recipe = 5;
    state.layers = {{{LayerKind::slice, 9}, {{{{-1, 2}, 77}, {{0, 0}, 78}}, {{{-1, 1}, 79}}}}};
    state.regions[{-1, 0}] = {123, 4, {-32, 0}, {-1, 31}};
    state.redo = {{5, 6}};
    state.facts = 1;
    state.inspect = 2;
    state.facts_recipe = 3;
    state.legend = "{}";
    const auto file = state.save();
    const auto back = MapState::load(file);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(*back, state);
    for (std::size_t length = 0; length < file.size(); ++length)
        EXPECT_FALSE(MapState::load(Bytes(file).first(length))) << length;
    constexpr std::size_t k_head = std::string_view("OrbisMapState").size() + 4;
    const auto frame = Bytes(file).subspan(k_head);
    Decompressor decompressor;
    const auto inside = decompressor.decompress(frame, *zstd_content_size(frame), 1 << 20).value();
    Buffer longer(inside.begin(), inside.end());
    longer.push_back(0);
    Compressor compressor(1);
    const auto packed = compressor.compress(longer).value();
    Buffer with_more(file.begin(), file.begin() + k_head);
    with_more.insert(with_more.end(), packed.begin(), packed.end());
    EXPECT_EQ(MapState::load(with_more).error().code, Errc::truncated) << "a byte too many";
    auto other = longer;
    other.pop_back();
    const auto name = as_text(other).find("slice@9");
    ASSERT_NE(name, std::string_view::npos);
    other[name] = 'S';
    const auto unknown = compressor.compress(other).value();
    with_more.resize(k_head);
    with_more.insert(with_more.end(), unknown.begin(), unknown.end());
    EXPECT_EQ(MapState::load(with_more).error().code, Errc::usage) << "a layer that nobody knows";
    std::set<std::string> paths;
    state.add_paths(0xab, paths);
    EXPECT_TRUE(paths.contains("tiles/slice@9/0/-1.2.000000000000004d.png"));
    EXPECT_TRUE(paths.contains("state/00000000000000ab.bin"));
    EXPECT_EQ(paths.size(), 7U);
}

TEST(MapFiles, WorldsWithOddNamesGetFoldersThatAnyServerCanServe) {
    for (const auto* name : {"default", "My World", "..", ".", "a/b", "ü%20", "instance-X_1.2"}) {
        const auto folder = folder_of_world(name);
        EXPECT_EQ(world_of_folder(folder), name);
        EXPECT_EQ(folder.find('/'), std::string::npos);
        EXPECT_NE(folder, "..");
        EXPECT_NE(folder, ".");
    }
    EXPECT_EQ(folder_of_world("My World"), "My%20World");
    EXPECT_EQ(folder_of_world(".."), "%2E%2E");
}

TEST(WorldIndex, SaysTheExtentOfAllRegionsAlsoBelowZero) {
    MapState state;
    state.layers = {{{LayerKind::slice, 9}, {{{{-1, 2}, 77}}, {{{-1, 1}, 79}}}}};
    state.regions[{-1, 0}] = {123, 4, {-32, 3}, {-5, 31}};
    state.regions[{0, 1}] = {124, 5, {2, 40}, {7, 63}};
    const WorldIndex index{"My \"World\"", 0xAB, 7, std::array<double, 3>{1.5, 70, -3.5}};
    const auto text = index.text(state);
    expect_part(text, R"("bounds":{"min":[-1024,96],"max":[256,2048]})");
    expect_part(text, R"("chunks":9,"levels":2)");
    expect_part(text, R"("name":"My \"World\"")");
    expect_part(text, R"("tiles":{"0":{"-1.2":"000000000000004d"},"1":{"-1.1":"000000000000004f"}})");
    expect_part(text, R"("height":9)");
    expect_part(text, R"("height":{"min":0,"max":320})");
    const auto head = read_index_head(text);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->state, 0xABU);
    EXPECT_EQ(head->generation, 7U);
    const auto other = with_extent(text, R"("bounds":null,"chunks":0,"levels":0)");
    ASSERT_TRUE(other);
    expect_part(*other, R"(,"bounds":null,"chunks":0,"levels":0,"spawn":)");
    EXPECT_EQ(with_extent(*other, R"("bounds":{"min":[-1024,96],"max":[256,2048]},"chunks":9,"levels":2)"),
              text);
    const auto empty = WorldIndex{"x", 1, 1, std::nullopt}.text({});
    expect_part(empty, R"("bounds":null,"chunks":0,"levels":0)");
    for (const std::string_view none :
         {std::string_view(), std::string_view("orbis(\"map/x\",{})"), std::string_view(text).substr(0, 40),
          std::string_view(text).substr(1)}) {
        EXPECT_FALSE(read_index_head(none)) << none;
        EXPECT_FALSE(with_extent(none, "")) << none;
    }
    // Of a file that ends anywhere in its head nothing is known, and of one with another head neither.
    const auto head_end = text.find(",\"name\":");
    ASSERT_NE(head_end, std::string::npos);
    for (std::size_t size = 0; size <= head_end; ++size)
        EXPECT_FALSE(read_index_head(std::string_view(text).substr(0, size))) << size;
    EXPECT_TRUE(read_index_head(std::string_view(text).substr(0, head_end + 1)));
    const auto bounds_end = text.find(",\"spawn\":");
    for (auto size = head_end; size < bounds_end + 9; ++size)
        EXPECT_FALSE(with_extent(std::string_view(text).substr(0, size), "x")) << size;
    EXPECT_TRUE(with_extent(std::string_view(text).substr(0, bounds_end + 9), "x"));
    for (const auto& [from, to] :
         {std::pair("\"generation\":7", "\"generation\":7x"),
          std::pair("\"generation\":7", "\"generation\":"),
          std::pair("\"generation\":7", "\"generation\":-7"),
          std::pair("\"generation\":7", "\"generation\":77777777777777777777777"),
          std::pair("\"format\":1", "\"format\":2"), std::pair("00ab", "00ag"), std::pair("00ab", "0ab")}) {
        auto wrong = text;
        wrong.replace(wrong.find(from), std::string_view(from).size(), to);
        EXPECT_FALSE(read_index_head(wrong)) << to;
        EXPECT_FALSE(with_extent(wrong, "x")) << to;
    }
    const std::vector<std::string> folders{"My%20World", "b"};
    EXPECT_EQ(map_script("orbis 1", "T", true, folders),
              R"(orbis("map",{"format":1,"program":"orbis 1","live":true,"title":"T","worlds":[)"
              R"({"name":"My World","folder":"My%20World"},{"name":"b","folder":"b"}]});)"
              "\n");
}

TEST(MapFiles, OnlyWhatIsNotKeptIsRemovedAndCounted) {
    const test::TemporaryFolder folder;
    for (const auto* path : {"a/keep", "a/go", "b/deep/go", "go.part", "c/keep"}) {
        fs::create_directories((folder / path).parent_path());
        std::ofstream(folder / path) << path;
    }
    fs::create_directory(folder / "empty");
    made::QuickFiles files;
    EXPECT_EQ(remove_others(files, folder.path(), {"a/keep", "c/keep", "not/there"}).value(), 3U);
    EXPECT_TRUE(fs::exists(folder / "a/keep") && fs::exists(folder / "c/keep"));
    for (const auto* path : {"a/go", "b", "go.part", "empty"})
        EXPECT_FALSE(fs::exists(folder / path)) << path;
    EXPECT_EQ(remove_others(files, folder / "none", {}).value(), 0U);
    EXPECT_EQ(remove_others(files, folder.path(), {}).value(), 2U);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(MapFiles, AFileIsWholeUnderItsNameOrNotThere) {
    const test::TemporaryFolder folder;
    MapFiles files;
    ASSERT_TRUE(files.write(folder / "x/y/f", as_bytes("content"))) << "folders are made";
    EXPECT_EQ(as_text(read_map_file(folder / "x/y/f").value()), "content");
    EXPECT_FALSE(fs::exists(folder / "x/y/f.part"));
    fs::create_directory(folder / "taken");
    EXPECT_FALSE(files.write(folder / "taken", as_bytes("x")));
    EXPECT_FALSE(fs::exists(folder / "taken.part"));
    EXPECT_EQ(read_map_file(folder / "taken").error().code, Errc::not_found);
    EXPECT_TRUE(files.remove(folder / "x/y/f"));
    EXPECT_TRUE(files.remove(folder / "x/y/f")) << "gone already";
    EXPECT_TRUE(files.sync(folder.path()));
    EXPECT_FALSE(files.sync(folder / "none"));
}

TEST(MapState, TheRecipeHasEveryFieldThatPixelsDependOn) {
    const auto with =
        [](const std::function<void(world::BlockType&, world::FluidType&, world::EnvironmentType&)>& change) {
            world::Assets assets;
            world::BlockType block;
            block.key = "A";
            world::FluidType fluid;
            fluid.key = "F";
            world::EnvironmentType environment;
            environment.key = "E";
            change(block, fluid, environment);
            assets.blocks.put(block);
            assets.fluids.put(fluid);
            assets.environments.put(environment);
            const std::vector<Layer> layers{{LayerKind::surface, 0}};
            return recipe_of(assets, layers);
        };
    const world::Colour colour{1, 2, 3};
    const auto plain = with([](auto&, auto&, auto&) {});
    EXPECT_EQ(plain, with([](auto&, auto&, auto&) {}));
    EXPECT_NE(plain, with([](auto& b, auto&, auto&) { b.key = "B"; }));
    EXPECT_NE(plain, with([](auto& b, auto&, auto&) { b.draw_type = world::DrawType::model; }));
    EXPECT_NE(with([](auto& b, auto&, auto&) { b.material = world::Material::solid; }),
              with([](auto& b, auto&, auto&) { b.material = world::Material::empty; }));
    EXPECT_NE(plain, with([](auto& b, auto&, auto&) { b.opacity = world::Opacity::cutout; }));
    EXPECT_NE(plain, with([](auto& b, auto&, auto&) { b.group = "G"; }));
    EXPECT_NE(plain, with([&](auto& b, auto&, auto&) { b.particle = colour; }));
    EXPECT_NE(plain, with([&](auto& b, auto&, auto&) { b.tint_up = {colour}; }));
    EXPECT_NE(plain, with([](auto& b, auto&, auto&) { b.biome_tint_up = 7; }));
    EXPECT_NE(plain, with([](auto&, auto& f, auto&) { f.effects = {"Water"}; }));
    EXPECT_NE(plain, with([&](auto&, auto& f, auto&) { f.particle = colour; }));
    EXPECT_NE(plain, with([&](auto&, auto&, auto& e) { e.water_tint = colour; }));
    const std::vector<Layer> one{{LayerKind::slice, 9}};
    const std::vector<Layer> other{{LayerKind::slice, 10}};
    EXPECT_NE(recipe_of({}, one), recipe_of({}, other));
}

/// Reads the whole list.
std::string text_of(JsonColumn& column) {
    std::string text;
    EXPECT_TRUE(column.for_each_part([&](std::string_view part) { text += part; }));
    return text;
}

TEST(JsonColumn, IsTheSameListInMemoryAndInAFile) {
    JsonColumn none;
    EXPECT_EQ(text_of(none), "");
    JsonColumn few;
    few.add(-5);
    few.add(R"("x")");
    few.add_coordinate(1.005);
    few.add_coordinate(-30.126);
    few.add_coordinate(2);
    EXPECT_EQ(text_of(few), R"(-5,"x",1,-30.13,2)");
    JsonColumn many; // longer than one part
    std::string expected;
    for (std::int64_t i = 0; i < 100'000; ++i) {
        many.add(i);
        expected += (i == 0 ? "" : ",") + std::to_string(i);
    }
    EXPECT_EQ(text_of(many), expected);
    EXPECT_EQ(text_of(many), expected) << "also the second time";
}

/// Files may have so many bytes, as if the disk was full then.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit small{bytes, former_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() {
        setrlimit(RLIMIT_FSIZE, &former_);
        std::signal(SIGXFSZ, handler_);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    void (*handler_)(int);
    rlimit former_{};
};

TEST(JsonColumn, ThatCouldNotBeKeptIsAnErrorAndNotAShorterList) {
    const std::string part(1 << 18, '7');
    const auto parts_of_three = [&](rlim_t first, rlim_t second) {
        JsonColumn column;
        {
            const SmallFiles limit(first);
            column.add(part);
        }
        {
            const SmallFiles limit(second);
            column.add(part);
        }
        column.add(3);
        std::size_t put = 0;
        const auto done = column.for_each_part([&](std::string_view text) { put += text.size(); });
        EXPECT_EQ(put, done ? 2 * part.size() + 3 : 0);
        return done.has_value();
    };
    EXPECT_TRUE(parts_of_three(RLIM_INFINITY, RLIM_INFINITY));
    EXPECT_FALSE(parts_of_three(100, RLIM_INFINITY)) << "though there is room again";
    EXPECT_FALSE(parts_of_three(RLIM_INFINITY, part.size() + 100));
    JsonColumn last; // what is still in memory when it is read
    last.add(part);
    last.add(part.substr(2));
    const SmallFiles limit(part.size() + 100);
    EXPECT_FALSE(last.for_each_part([](std::string_view) { ADD_FAILURE(); }));
}

TEST(ScriptFile, ThatDoesNotFitOnTheDiskIsAnErrorAndLeavesNothing) {
    const test::TemporaryFolder folder;
    made::QuickFiles files;
    for (const std::size_t size : {std::size_t{10}, std::size_t{100'000}}) { // written at its end, and before
        auto file = ScriptFile::create(folder / "facts", "facts").value();
        const SmallFiles limit(5);
        file.put(std::string(size, ' '));
        const auto done = file.finish(files, 0);
        ASSERT_FALSE(done);
        EXPECT_NE(done.error().text().find("facts"), std::string::npos) << done.error().text();
    }
    EXPECT_TRUE(fs::is_empty(folder / "facts"));
}

TEST(ScriptFile, HasTheHashOfItsValueAndIsNotWrittenTwice) {
    const test::TemporaryFolder folder;
    made::QuickFiles files;
    const auto make = [&](std::string_view json, std::uint64_t known) {
        auto file = ScriptFile::create(folder / "facts", "facts").value();
        file.put(json);
        return file.finish(files, known).value();
    };
    const auto hash = make("{}", 0);
    EXPECT_EQ(hash, content_hash(as_bytes("{}")));
    const auto path = folder / "facts" / (hash_text(hash) + ".js");
    EXPECT_EQ(content(path), "orbis(\"facts/" + hash_text(hash) + "\",{});\n");
    fs::remove(path);
    EXPECT_EQ(make("{}", hash), hash);
    EXPECT_TRUE(fs::is_empty(folder / "facts")) << "it is known, and nothing is left of the work";
    {
        auto unfinished = ScriptFile::create(folder / "facts", "facts").value();
    }
    EXPECT_TRUE(fs::is_empty(folder / "facts"));
}

} // namespace
} // namespace orbis::map
