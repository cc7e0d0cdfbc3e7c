#include "bytes/content_hash.hpp"
#include "http/live/cache_folder.hpp"
#include "http/live/changes.hpp"
#include "http/live/findings.hpp"
#include "http/live/map_index.hpp"
#include "http/live/search.hpp"
#include "http/live/tile_cache.hpp"
#include "http/live/world_status.hpp"
#include "http/response.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "map/region_facts.hpp"
#include "support/amount.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"
#include "support/wait_for.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <random>
#include <thread>
#include <unistd.h>

namespace orbis::http {
namespace {

namespace fs = std::filesystem;

TEST(CacheFolder, OldAndLargeCachesAreThinned) {
    const orbis::test::TemporaryFolder folder;
    const auto take = [&](const char* place, std::size_t bytes, std::chrono::hours age) {
        fs::create_directories(folder / place);
        auto taken = take_cache_folder(folder / place, folder / "cache").value();
        std::ofstream(taken.path / "tile.png") << std::string(bytes, 'x');
        fs::last_write_time(taken.path / "lock", fs::file_time_type::clock::now() - age);
        return taken;
    };
    using namespace std::chrono_literals;
    const auto own = take("own", 1000, 0h);
    const auto used = take("used", 1000, 24h * 200);
    const auto old = take("old", 10, 24h * 100).path;
    const auto large = take("large", 5000, 48h).path;
    const auto small = take("small", 500, 24h).path;
    const auto foreign = folder / "cache/somebody's files";
    fs::create_directories(foreign);
    std::ofstream(foreign / "lock") << "";
    fs::last_write_time(foreign / "lock", fs::file_time_type::clock::now() - 24h * 400);
    const std::atomic<bool> stop = false;
    thin_caches(own.path, stop, 1 << 20);
    EXPECT_FALSE(fs::exists(old)) << "nobody has looked at it for long";
    EXPECT_TRUE(fs::exists(used.path)) << "somebody looks at it now";
    EXPECT_TRUE(fs::exists(large));
    thin_caches(own.path, stop, 3000);
    EXPECT_FALSE(fs::exists(large)) << "the longest unused one makes room";
    EXPECT_TRUE(fs::exists(small));
    thin_caches(own.path, stop, 1);
    EXPECT_FALSE(fs::exists(small));
    EXPECT_TRUE(fs::exists(own.path / "tile.png"));
    EXPECT_TRUE(fs::exists(foreign));
}

TEST(CacheFolder, WhatIsTakenIsThereHoweverOftenOthersMakeRoom) {
    const orbis::test::TemporaryFolder folder;
    const auto own = take_cache_folder(folder / "own", folder / "cache").value();
    std::atomic<bool> stop = false;
    std::jthread others([&] {
        while (!stop) thin_caches(own.path, stop, 0);
    });
    for (int times = 0; times < orbis::test::amount(1000); ++times) {
        const auto taken = take_cache_folder(folder / "place", folder / "cache");
        ASSERT_TRUE(taken) << taken.error().text();
        ASSERT_TRUE(std::ofstream(taken->path / "tile.png") << "pixels") << times;
        ASSERT_TRUE(fs::exists(taken->path / "lock")) << times;
    }
    stop = true;
    others.join();
    thin_caches(own.path, false, 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "cache"), fs::directory_iterator()), 1);
}

TEST(CacheFolder, OneThatCannotBeMadeSaysWhatHelps) {
    const orbis::test::TemporaryFolder folder;
    std::ofstream(folder / "file") << "";
    const auto taken = take_cache_folder(folder.path(), "/proc/no/such");
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().advice.find("--cache"), std::string::npos) << taken.error().text();
}

TEST(Changes, ReachAllLevelsAndAreForgottenTogether) {
    const std::vector<TilePos> tiles{{-3, 5}, {-4, 5}};
    const auto all = with_parents(tiles, 3);
    EXPECT_EQ(all, (std::vector<LevelTile>{{0, {-4, 5}}, {0, {-3, 5}}, {1, {-2, 2}}, {2, {-1, 1}}}));
    Changes changes;
    changes.mark(all);
    changes.mark(std::span(all).first(1));
    EXPECT_EQ(changes.last({0, {-4, 5}}), 2U);
    EXPECT_EQ(changes.last({2, {-1, 1}}), 1U);
    EXPECT_EQ(changes.last({0, {9, 9}}), 0U);
    changes.forget(1);
    EXPECT_EQ(changes.last({0, {-4, 5}}), 2U);
    EXPECT_EQ(changes.last({2, {-1, 1}}), 1U) << "what was made before is still too old";
    EXPECT_EQ(changes.last({0, {9, 9}}), 1U);
    changes.forget(0);
    EXPECT_EQ(changes.last({0, {9, 9}}), 1U) << "what is forgotten stays so";
}

TileKey key_of(int x) { return {{map::LayerKind::surface, 0}, {0, {x, 0}}}; }

TEST(TileCache, StaysBelowItsLimit) {
    const orbis::test::TemporaryFolder folder;
    fs::create_directory(folder / "tiles");
    std::ofstream(folder / "tiles/1.png") << "of an earlier run";
    const auto cache = TileCache::open(folder / "tiles", 10'000).value();
    const Buffer png(1000, 1);
    for (int x = 0; x < 100; ++x) {
        ASSERT_TRUE(cache->put(key_of(x), {7, 0, true, 0}, png));
        ASSERT_TRUE(cache->find(key_of(0)) || x > 50) << "what is asked for stays";
    }
    EXPECT_LE(cache->bytes(), 10'000U);
    EXPECT_FALSE(cache->find(key_of(50)));
    EXPECT_TRUE(cache->find(key_of(99)));
    const auto files = std::distance(fs::directory_iterator(folder / "tiles"), fs::directory_iterator());
    EXPECT_EQ(files, 10);
    auto opened = cache->open_tile(key_of(99));
    ASSERT_TRUE(opened);
    ASSERT_TRUE(cache->put(key_of(99), {8, 0, true, 0}, Buffer(5, 2)));
    Buffer read(1000);
    EXPECT_EQ(::pread(opened->file.number(), read.data(), read.size(), 0), 1000) << "who reads it still can";
    ASSERT_TRUE(cache->put(key_of(98), {0, 0, true, 0}, {}));
    EXPECT_FALSE(cache->open_tile(key_of(98))->file) << "without any pixel there is no file";
    fs::remove_all(folder / "tiles");
    EXPECT_FALSE(cache->open_tile(key_of(99))) << "somebody has cleaned up";
    EXPECT_FALSE(cache->find(key_of(99))) << "so it has to be made again";
}

TEST(TileCache, ATileThatIsMadeAgainLeavesNothingOfTheOlderOne) {
    const orbis::test::TemporaryFolder folder;
    const auto cache = TileCache::open(folder / "tiles", 10'000).value();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(cache->put(key_of(1), {7, 0, true, 0}, Buffer(1000, 1)));
    ASSERT_TRUE(cache->put(key_of(1), {8, 0, true, 0}, Buffer(5, 2)));
    EXPECT_EQ(cache->bytes(), 5U);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "tiles"), fs::directory_iterator()), 1);
    EXPECT_EQ(cache->open_tile(key_of(1))->entry.hash, 8U);
}

TEST(Search, RanksNamesAsPeopleMeanThem) {
    std::vector<map::Marker> markers;
    for (const auto* name : {"Environ", "Ore_Iron_Stone", "Iron_Ore", "", "Gold", "Iron"})
        markers.push_back({"warp", name, 0, 0, 0});
    const auto names = [&](std::string text) {
        const std::atomic<bool> stop = false;
        const auto found = search_facts({}, {}, markers, nullptr, {.text = std::move(text)}, stop);
        std::vector<std::string> all;
        constexpr std::string_view k_key = R"("name":")";
        for (auto at = found->find(k_key); at != std::string::npos; at = found->find(k_key, at)) {
            at += k_key.size();
            all.push_back(found->substr(at, found->find('"', at) - at));
        }
        return all;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(names("iron"), (Names{"Iron", "Iron_Ore", "Ore_Iron_Stone", "Environ"}));
    EXPECT_EQ(names("Ore Ir"), (Names{"Ore_Iron_Stone", "Iron_Ore"}));
    EXPECT_EQ(names("stone ore"), Names{"Ore_Iron_Stone"});
    EXPECT_EQ(names("-ORE iron.stone"), Names{"Ore_Iron_Stone"});
    EXPECT_EQ(names("copper"), Names{});
    EXPECT_EQ(names(" _ "), Names{});
}

TEST(Search, StacksOfOneItemInAContainerAreAddedUp) {
    const orbis::test::TemporaryFolder folder;
    map::RegionFacts region({0, 0});
    map::ChunkFacts facts;
    const auto bread = region.intern("Bread");
    facts.containers.push_back(
        {region.intern("Chest"), {1, 2, 3}, {{bread, 5}, {region.intern("Ore_Iron"), 1}, {bread, 7}}});
    region.put(facts);
    const auto file = region.save();
    const auto hash = content_hash(file);
    const auto path = folder / map::MapState::region_path({0, 0}, hash);
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << as_text(file);
    MapIndex index;
    index.state.regions[{0, 0}].state = hash;
    const std::atomic<bool> stop = false;
    const auto found = search_facts(index, folder.path(), {}, nullptr, {.text = "bread"}, stop);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(*found, R"({"results":[{"kind":"item","name":"Bread","x":1,"y":2,"z":3,)"
                      R"("detail":"12 in Chest"}],"more":false,"complete":false})");
}

TEST(Search, EachBlockIsOneResultHoweverManyCellsItHas) {
    namespace worlds = jobs::test_worlds;
    const orbis::test::TemporaryFolder folder;
    const auto with_doors = [](int y) {
        return worlds::edited(worlds::plain(), [y](chunk::Chunk& chunk) {
            for (const int x : {4, 9}) {
                EXPECT_TRUE(chunk.set_block({x, y, 4}, {"Door_Oak", {}, {}}));
                EXPECT_TRUE(
                    chunk.set_block({x, y + 1, 4}, {"Door_Oak", {}, chunk::Filler::of_offset(0, 1, 0)}));
            }
        });
    };
    const auto world =
        worlds::make_world(folder / "world", {with_doors(90), with_doors(120), Buffer{1, 2, 3}});
    const auto store = world.open({}).value();
    map::RegionFacts region({0, 0});
    for (const int x : {0, 1, 2}) {
        map::ChunkFacts facts;
        facts.slot = ChunkPos{x, 0}.slot();
        facts.keys = {{region.intern("Door_Oak"), 4, 0, -1}};
        region.put(facts);
    }
    const auto file = region.save();
    const auto path = folder / map::MapState::region_path({0, 0}, content_hash(file));
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << as_text(file);
    MapIndex index;
    index.current = true;
    index.state.regions[{0, 0}].state = content_hash(file);
    const std::atomic<bool> stop = false;
    const SearchWorld source{world, *store};
    const auto ask = [&](const SearchQuestion& question) {
        const auto found = search_facts(index, folder.path(), {}, &source, question, stop);
        return found ? *found : found.error().text();
    };
    const std::string near =
        R"({"kind":"block","name":"Door_Oak","x":36,"y":120,"z":4,"detail":"chunk 1,0"},)"
        R"({"kind":"block","name":"Door_Oak","x":41,"y":120,"z":4,"detail":"chunk 1,0"})";
    EXPECT_EQ(ask({.text = "door", .near = {{40, 3}}}),
              R"({"results":[)" + near
                  + R"(,{"kind":"block","name":"Door_Oak","x":4,"y":90,"z":4,"detail":"chunk 0,0"},)"
                    R"({"kind":"block","name":"Door_Oak","x":9,"y":90,"z":4,"detail":"chunk 0,0"},)"
                    R"({"kind":"block","name":"Door_Oak","x":80,"y":null,"z":16,"detail":"4 in chunk 2,0"}],)"
                    R"("more":false,"complete":true})")
        << "the nearest chunk first; one that cannot be read stands for its blocks";
    EXPECT_EQ(ask({.text = "door", .limit = 2, .near = {{40, 3}}}),
              R"({"results":[)" + near + R"(],"more":true,"complete":true})");
}

TEST(Search, FindsEachKindThatIsAskedForAndTheBestFirst) {
    const orbis::test::TemporaryFolder folder;
    MapIndex index;
    const auto save = [&](map::RegionFacts& region) {
        const auto file = region.save();
        const auto path = folder / map::MapState::region_path(region.pos(), content_hash(file));
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << as_text(file);
        index.state.regions[region.pos()].state = content_hash(file);
    };
    for (const int x : {-1, 0}) {
        map::RegionFacts region({x, 0});
        map::ChunkFacts facts;
        facts.slot = ChunkPos{x, 2}.slot();
        const auto gold = region.intern(x < 0 ? "Old_Gold" : "Gold");
        facts.entities = {{region.intern("Bear"), gold, 1.5, 2, -3}, {gold, map::k_no_name, 4, 5, 6}};
        facts.markers = {{region.intern("warp"), gold, {7, 8, 9}}};
        facts.keys = {{gold, 12, 0, -1}, {region.intern("Gold_Ore"), 3, 0, 5 * 1024 + 2 * 32 + 1}};
        facts.containers = {{region.intern("Chest"), {1, 2, 3}, {{gold, 64}}}};
        region.put(facts);
        save(region);
    }
    const map::Marker marker{"spawn", "Golden", 0.5, 70, -0.5};
    const std::atomic<bool> stop = false;
    const auto ask = [&](const SearchQuestion& question) {
        const auto found = search_facts(index, folder.path(), std::span(&marker, 1), nullptr, question, stop);
        return found ? *found : found.error().text();
    };
    SearchQuestion question{.text = "gold"};
    question.items = question.entities = question.markers = false;
    question.limit = 3;
    EXPECT_EQ(
        ask(question),
        R"({"results":[{"kind":"block","name":"Gold","x":16,"y":null,"z":80,"detail":"12 in chunk 0,2"},)"
        R"({"kind":"block","name":"Gold_Ore","x":-31,"y":5,"z":66,"detail":"3 in chunk -1,2"},)"
        R"({"kind":"block","name":"Gold_Ore","x":1,"y":5,"z":66,"detail":"3 in chunk 0,2"}],)"
        R"("more":true,"complete":false})");
    question.limit = 4;
    EXPECT_NE(ask(question).find(R"("more":false)"), std::string::npos);
    question.blocks = false;
    question.entities = true;
    index.current = true;
    EXPECT_EQ(ask(question),
              R"({"results":[{"kind":"entity","name":"Bear","x":1.5,"y":2,"z":-3,"detail":"Gold"},)"
              R"({"kind":"entity","name":"Gold","x":4,"y":5,"z":6,"detail":""},)"
              R"({"kind":"entity","name":"Bear","x":1.5,"y":2,"z":-3,"detail":"Old_Gold"},)"
              R"({"kind":"entity","name":"Old_Gold","x":4,"y":5,"z":6,"detail":""}],)"
              R"("more":false,"complete":true})");
    question.entities = false;
    question.markers = true;
    EXPECT_EQ(ask(question),
              R"({"results":[{"kind":"marker","name":"Gold","x":7.5,"y":8,"z":9.5,"detail":"warp"},)"
              R"({"kind":"marker","name":"Golden","x":0.5,"y":70,"z":-0.5,"detail":"spawn"},)"
              R"({"kind":"marker","name":"Old_Gold","x":7.5,"y":8,"z":9.5,"detail":"warp"}],)"
              R"("more":false,"complete":true})");
    question.markers = false;
    question.items = true;
    question.limit = 1;
    EXPECT_EQ(ask(question), R"({"results":[{"kind":"item","name":"Gold","x":1,"y":2,"z":3,)"
                             R"("detail":"64 in Chest"}],"more":true,"complete":true})");
    question.text = "nothing";
    EXPECT_EQ(ask(question), R"({"results":[],"more":false,"complete":true})");
}

TEST(MapIndex, TilesThatOnlyOneOfTwoMapsHasAreDifferent) {
    MapIndex a;
    MapIndex b;
    a.state.layers.push_back({{map::LayerKind::surface, 0}, {{{{0, 0}, 1}, {{1, 0}, 2}, {{2, 2}, 3}}}});
    b.state.layers.push_back({{map::LayerKind::surface, 0}, {{{{0, 0}, 1}, {{1, 0}, 9}, {{5, 5}, 4}}}});
    const std::vector<LevelTile> expected{{0, {1, 0}}, {0, {2, 2}}, {0, {5, 5}}};
    EXPECT_EQ(different_tiles(a, b), expected);
    EXPECT_EQ(different_tiles(b, a), expected);
}

TEST(WorldStatus, OfAFileOutsideOfThePlaceOnlyTheNameIsTold) {
    const auto file_told = [](const char* file) {
        const std::vector<WorldStatus> worlds{
            {.name = "w",
             .folder = "w",
             .problems = {{std::nullopt, error(Errc::io, "it cannot be read").in_file(file)}}}};
        const auto json = worlds_json(worlds, "/srv/universe");
        const auto begin = json.find(R"("file":")") + 8;
        return json.substr(begin, json.find('"', begin) - begin);
    };
    EXPECT_EQ(file_told("/srv/universe/worlds/w/chunks/0.0.region.bin"), "worlds/w/chunks/0.0.region.bin");
    EXPECT_EQ(file_told("/srv/universe"), "universe");
    EXPECT_EQ(file_told("/srv/secret/backup.zip"), "backup.zip");
}

TEST(WorldStatus, HasEveryMember) {
    using State = WorldStatus::State;
    const std::vector<WorldStatus> worlds{
        {.name = "my world",
         .folder = "my%20world",
         .state = State::ready,
         .problems = {{RegionPos{-1, 2},
                       error(Errc::bad_magic, "it is no region file").in_file("/u/a").advise("look")},
                      {std::nullopt, error(Errc::io, "lost").in_file("/u/b")}},
         .left_out = 7},
        {.name = "b", .folder = "b", .state = State::opening, .problems = {}},
        {.name = "c", .folder = "c", .state = State::failed, .problems = {}}};
    EXPECT_EQ(
        worlds_json(worlds, "/u"),
        R"({"worlds":[{"name":"my world","folder":"my%20world","state":"ready","problems":[)"
        R"({"file":"a","region":[-1,2],"error":"bad_magic","message":"it is no region file","advice":"look"},)"
        R"({"file":"b","region":null,"error":"io","message":"lost","advice":""}],"left_out":7},)"
        R"({"name":"b","folder":"b","state":"opening","problems":[],"left_out":0},)"
        R"({"name":"c","folder":"c","state":"failed","problems":[],"left_out":0}]})");
}

TEST(ResponseOfAnError, HasTheStatusThatFitsAndNoPath) {
    for (int i = 0; i <= static_cast<int>(Errc::usage); ++i) {
        const auto code = static_cast<Errc>(i);
        const auto response =
            Response::problem(error(code, "what").in_file("/secret").at(ChunkPos{1, 2}).advise("do"));
        const int expected = code == Errc::not_found ? 404
                             : code == Errc::busy    ? 503
                             : code == Errc::usage || code == Errc::bad_text || code == Errc::out_of_range
                                 ? 400
                                 : 500;
        EXPECT_EQ(response.status, expected) << name(code);
        EXPECT_EQ(response.type, "application/json");
        EXPECT_EQ(response.keep, Keep::no);
        EXPECT_EQ(as_text(response.bytes),
                  fmt::format(R"({{"error":"{}","message":"chunk 1,2: what","advice":"do"}})", name(code)));
    }
    EXPECT_EQ(to_json(error(Errc::io, "what")), R"({"error":"io","message":"what","advice":""})");
    EXPECT_EQ(Response::nothing().status, 204);
}

/// A world with nothing to say about it but what is beside its chunks.
class FindingsTest : public testing::Test {
protected:
    void add_files(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            std::ofstream(world_.folder() / "chunks" / fmt::format("stray{}", i)) << "";
        place_ = world::find_location(world_.folder()).value();
    }
    std::string told(std::uint64_t version) {
        std::string json;
        EXPECT_TRUE(orbis::test::wait_for([&] {
            json = findings_.json(version, 0);
            return json.find(R"("state":"done")") != std::string::npos;
        }));
        return json;
    }

    orbis::test::TemporaryFolder folder_;
    world::made::MadeWorld world_{folder_ / "world"};
    world::Location place_;
    Findings findings_{place_, world::Assets::built_in()};
};

TEST_F(FindingsTest, OfAnEarlierLookAreNotToldAgain) {
    add_files(2);
    const auto first = told(1);
    EXPECT_NE(first.find("container.stray-file"), std::string::npos) << first;
    EXPECT_EQ(told(2), first);
}

TEST_F(FindingsTest, BeyondTheMostAreCounted) {
    add_files(Findings::k_most_lines + 3);
    const auto json = told(1);
    std::size_t lines = 0;
    for (auto at = json.find("stray-file"); at != std::string::npos; at = json.find("stray-file", at + 1))
        ++lines;
    EXPECT_EQ(lines, Findings::k_most_lines);
    EXPECT_TRUE(json.ends_with(R"("left_out":3})")) << json.substr(json.size() - 30);
}

TEST(CacheFolder, IsHeldByOneProcessAndNeverInTheUniverse) {
    const orbis::test::TemporaryFolder folder;
    fs::create_directories(folder / "universe");
    const auto first = take_cache_folder(folder / "universe", folder / "cache");
    ASSERT_TRUE(first);
    const auto second = take_cache_folder(folder / "universe", folder / "cache");
    ASSERT_TRUE(second);
    EXPECT_NE(first->path, second->path);
    EXPECT_EQ(second->path.string(), first->path.string() + "-2");
    EXPECT_NE(take_cache_folder(folder / "other", folder / "cache")->path, first->path);
    fs::create_directory_symlink(folder / "universe", folder / "link");
    for (const auto& inside : {folder / "universe", folder / "universe/cache", folder / "link/cache"}) {
        const auto refused = take_cache_folder(folder / "universe", inside);
        ASSERT_FALSE(refused) << inside;
        EXPECT_EQ(refused.error().code, Errc::usage);
    }
    EXPECT_TRUE(fs::is_empty(folder / "universe"));
}

} // namespace
} // namespace orbis::http
