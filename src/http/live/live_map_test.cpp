#include "bytes/content_hash.hpp"
#include "http/live/background.hpp"
#include "http/live/live_map_fixture_test.hpp"
#include "http/live/world_status.hpp"
#include "support/amount.hpp"

#include <regex>
#include <thread>

namespace orbis::http {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using namespace orbis::http::test;
using world::made::MadeWorld;

TEST_F(LiveMapTest, TheFirstTileOfAnUnrenderedWorldDoesNotWaitForTheMap) {
    for (int z = 0; z < 16; z += 3)
        for (int x = 0; x < 16; x += 3) world_.put({x, z}, static_cast<std::uint32_t>(x * 16 + z));
    open();
    const auto answer = tile("surface/0/0.0");
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_EQ(body_of(answer), expected_tile(world_.store(), k_surface, {0, 0}));
    for (int y = 2; y < 7; ++y) EXPECT_EQ(status_of(tile(fmt::format("slice@{}/0/0.0", y))), 200);
    EXPECT_EQ(status_of(tile("surface/0/5.5")), 204) << "where there is nothing";
    EXPECT_FALSE(contains(request("/worlds/a%2520world/world.js"), "\"state\":")) << "there is no map yet";
}

TEST_F(LiveMapTest, TilesOnDemandAndFromTheMapAreTheSameBytes) {
    for (int x = -40; x < 40; x += 3) world_.put({x, x / 2}, static_cast<std::uint32_t>(x + 99));
    open();
    std::map<std::string, std::string> before;
    const std::vector<std::string> names{"surface/0/0.0", "height/0/-1.-1", "surface/1/0.0",
                                         "surface/2/-1.-1"};
    for (const auto& name : names) before[name] = tile(name);
    const auto slice = tile("slice@10/0/0.0");
    EXPECT_EQ(body_of(slice), expected_tile(world_.store(), {map::LayerKind::slice, 10}, {0, 0}));
    make_map();
    for (const auto& name : names) {
        const auto after = tile(name);
        EXPECT_EQ(status_of(after), 200) << name;
        EXPECT_EQ(body_of(before[name]), body_of(after)) << name;
        const auto etag = header_of(after, "ETag");
        EXPECT_EQ(etag, fmt::format("\"{}\"", hash_text(content_hash(as_bytes(body_of(after))))));
        EXPECT_EQ(header_of(after, "Cache-Control"), "no-cache");
        EXPECT_EQ(status_of(request("/api/tile/a%2520world/" + name, "If-None-Match: " + etag + "\r\n")),
                  304);
    }
    const auto index = request("/worlds/a%2520world/world.js");
    std::smatch hash;
    const auto body = body_of(index);
    ASSERT_TRUE(std::regex_search(body, hash, std::regex(R"("0\.0":"([0-9a-f]{16})\")")));
    const auto file = request("/worlds/a%2520world/tiles/surface/0/0.0." + hash[1].str() + ".png");
    EXPECT_EQ(body_of(file), body_of(before["surface/0/0.0"]));
    EXPECT_NE(header_of(file, "Cache-Control").find("immutable"), std::string::npos);
}

TEST_F(LiveMapTest, AnEditShowsInOpenPagesWithinTwoSeconds) {
    for (int x = 0; x < 32; x += 5) world_.put({x, 0}, 1);
    open();
    make_map();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("welcome");
    auto before = tile("surface/0/1.0");
    const auto other = tile("surface/0/0.0");
    for (std::uint32_t seed = 77; seed < 79; ++seed) {
        page.forget();
        world_.put({25, 0}, seed);
        clock_.pass(2s);
        ASSERT_TRUE(reads(page, "event: tiles"));
        const auto data = page.read_until("}}");
        EXPECT_TRUE(contains(data, R"("world":"a%20world")")) << data;
        EXPECT_TRUE(contains(data, R"("tiles":{"0":["1.-1","1.0"])")) << data;
        const auto after = tile("surface/0/1.0");
        EXPECT_EQ(body_of(after), expected_tile(world_.store(), k_surface, {1, 0}));
        EXPECT_NE(body_of(after), body_of(before));
        EXPECT_EQ(header_of(tile("surface/0/0.0"), "ETag"), header_of(other, "ETag"));
        EXPECT_EQ(body_of(tile("surface/1/0.0")), expected_parent(world_.store(), k_surface, {0, 0}))
            << "not put together from what the map has of before";
        const auto shown = generation();
        clock_.pass(500ms);
        EXPECT_EQ(generation(), shown) << "more changes may follow";
        page.forget();
        clock_.pass(4s);
        EXPECT_TRUE(reads(page, "event: world")) << "and the index follows";
        EXPECT_EQ(body_of(tile("surface/0/1.0")), body_of(after));
        before = after;
    }
}

TEST_F(LiveMapTest, AnyNumberOfTilesIsTold) {
    tiles_per_event_ = 60;
    world_.put({0, 0}, 1);
    open();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("event: worlds");
    page.forget();
    for (int z = 0; z < 4; ++z) // each at the corner of four tiles
        for (int x = 0; x < 4; ++x) world_.put({x * 32, z * 32}, 2);
    clock_.pass(2s);
    const auto told = page.read_until("event: world\n");
    std::size_t finest = 0;
    for (auto at = told.find("\"tiles\":{\"0\":["); at != std::string::npos && told[at] != ']'; ++at)
        finest += told[at] == '.' ? 1U : 0U;
    EXPECT_EQ(finest, 60U) << "in the first event";
    EXPECT_TRUE(contains(told, R"("tiles":{"0":["6.)")) << "the rest of them in the second";
    EXPECT_TRUE(contains(told, R"("3":["-1.-1","-1.0","0.-1","0.0"])")) << "and those above";
}

TEST_F(LiveMapTest, AnUpdateThatFailedIsTriedAgainLater) {
    world_.put({0, 0}, 1);
    fs::create_directories(folder_ / "cache");
    std::ofstream(folder_ / "cache/worlds") << "in the way";
    open();
    clock_.pass(2s);
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("event: worlds");
    world_.put({0, 0}, 2);
    clock_.pass(2s);
    EXPECT_FALSE(contains(page.read_until("event: tiles"), "event: progress")) << "nothing is being made";
    EXPECT_EQ(body_of(tile("surface/0/0.0")), expected_tile(world_.store(), k_surface, {0, 0}));
    fs::remove(folder_ / "cache/worlds");
    clock_.pass(30s);
    EXPECT_EQ(generation(), "0") << "not at once";
    clock_.pass(60s);
    EXPECT_EQ(generation(), "1");
}

TEST_F(LiveMapTest, OfManyProblemsTheFirstAreToldAndTheRestCounted) {
    world_.put({0, 0}, 1);
    for (std::size_t i = 0; i < WorldStatus::k_most_problems + 3; ++i)
        std::ofstream(folder_ / fmt::format("a world/chunks/{}.50.region.bin", i)) << "noise";
    open();
    const auto worlds = body_of(request("/api/worlds"));
    EXPECT_TRUE(worlds.ends_with(R"("left_out":3}]})")) << worlds.substr(worlds.size() - 60);
    std::size_t told = 0;
    for (auto at = worlds.find(R"("region":[)"); at != std::string::npos;
         at = worlds.find(R"("region":[)", at + 1))
        ++told;
    EXPECT_EQ(told, WorldStatus::k_most_problems);
}

TEST_F(LiveMapTest, ChunksBeyondTheBoundsShowWithinTwoSeconds) {
    for (int x = 0; x < 4; ++x) world_.put({x, 0}, 1);
    open();
    make_map();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("event: worlds");
    page.forget();
    world_.put({-70, 90}, 5);
    clock_.pass(2s);
    ASSERT_TRUE(reads(page, "event: world\n"));
    const auto index = body_of(request("/worlds/a%2520world/world.js"));
    EXPECT_TRUE(
        contains(index, R"("bounds":{"min":[-2240,0],"max":[128,2912]},"chunks":5,"levels":4,"spawn":[)"))
        << index.substr(0, 400);
    EXPECT_TRUE(contains(index, "\"state\":")) << "the rest is that of the map";
    EXPECT_EQ(status_of(tile("surface/0/-5.5")), 200);
    EXPECT_EQ(status_of(tile("surface/2/-2.1")), 200);
}

TEST_F(LiveMapTest, ProgressIsThereFromTheStart) {
    for (int z = 0; z < 32; z += 8)
        for (int x = 0; x < 32; x += 8) world_.put({x, z}, static_cast<std::uint32_t>(x * 32 + z));
    open();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    const auto first = page.read_until(R"("total":)");
    EXPECT_TRUE(contains(first, R"(event: progress
data: {"world":"a%20world","step":"Waiting to be drawn","done":0,"total":)"))
        << first;
    clock_.pass(2s);
    const auto rest = page.read_until("event: world\n");
    EXPECT_LT(rest.find(R"("step":"Rendering tiles","done":0,"total":4)"), rest.find("event: world\n"))
        << "before the first of them is there: " << rest;
    RawClient later(server_->address());
    later.send(get("/api/events"));
    later.read_until("event: worlds");
    world_.put({0, 0}, 99);
    clock_.pass(2s);
    EXPECT_FALSE(contains(later.read_until("event: tiles"), "event: progress")) << "nothing is being made";
}

TEST_F(LiveMapTest, UnreadableChunksAndRegionsSaySo) {
    for (int x = 0; x < 4; ++x) world_.put({x, 0}, 1);
    world_.put({40, 0}, 1);
    ASSERT_TRUE(world_.store().put_bytes({1, 0}, as_bytes("no blob at all")));
    std::ofstream(folder_ / "a world/chunks/5.5.region.bin") << "noise";
    open();
    const auto worlds = body_of(request("/api/worlds"));
    EXPECT_NE(worlds.find(R"({"worlds":[{"name":"a world","folder":"a%20world","state":"ready","problems":[{)"
                          R"("file":"chunks/5.5.region.bin","region":[5,5],"error":")"),
              std::string::npos)
        << worlds;
    const auto column = body_of(request("/api/column/a%2520world/40/3"));
    EXPECT_TRUE(column.starts_with(
        R"({"x":40,"z":3,"chunk":[1,0],"height":null,"exists":true,"unreadable":{"error":")"))
        << column;
    EXPECT_EQ(column.find(R"("advice":"")"), std::string::npos) << column;
    const auto far = body_of(request("/api/column/a%2520world/5200/5200"));
    EXPECT_NE(far.find(R"("exists":true,"unreadable":{"error":")"), std::string::npos) << far;
    const auto none = body_of(request("/api/column/a%2520world/400/3"));
    EXPECT_NE(none.find(R"("exists":false,"unreadable":null)"), std::string::npos) << none;
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("event: worlds");
    page.read_until("}]}");
    page.forget();
    fs::remove(folder_ / "a world/chunks/5.5.region.bin");
    clock_.pass(2s);
    EXPECT_NE(page.read_until(R"("state":"ready","problems":[],"left_out":0}]})").find(R"(event: worlds
data: {"worlds":[{"name":"a world","folder":"a%20world","state":"ready","problems":[],"left_out":0}]})"),
              std::string::npos);
    page.forget();
    for (const std::uint32_t seed : {2U, 3U}) {
        world_.put({40, 0}, seed);
        clock_.pass(2s);
        EXPECT_FALSE(contains(page.read_until("event: tiles"), "event: worlds"))
            << "the same is not told again";
        page.read_until("]}");
        page.forget();
    }
}

TEST_F(LiveMapTest, AFolderThatCannotBeReadIsNoEmptyWorld) {
    world_.put({0, 0}, 1);
    fs::rename(folder_ / "a world/chunks", folder_ / "aside");
    std::ofstream(folder_ / "a world/chunks") << "a file in its place";
    place_ = world::find_location(folder_ / "a world").value();
    std::vector<Error> problems;
    serve(problems);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_FALSE(problems[0].advice.empty());
    const auto worlds = body_of(request("/api/worlds"));
    EXPECT_NE(worlds.find(R"("state":"failed","problems":[{"file":"chunks","region":null,"error":")"),
              std::string::npos)
        << worlds;
    const auto answer = tile("surface/0/0.0");
    EXPECT_EQ(status_of(answer), 503);
    EXPECT_NE(answer.find("\"advice\":\""), std::string::npos);
    fs::remove(folder_ / "a world/chunks");
    fs::rename(folder_ / "aside", folder_ / "a world/chunks");
    clock_.pass(2s);
    EXPECT_EQ(status_of(tile("surface/0/0.0")), 200) << "when it can be read, it is";
    EXPECT_NE(request("/api/worlds").find(R"("state":"ready","problems":[])"), std::string::npos);
    fs::rename(folder_ / "a world/chunks", folder_ / "aside");
    std::ofstream(folder_ / "a world/chunks") << "again";
    clock_.pass(2s);
    EXPECT_NE(request("/api/worlds").find(R"("failed")"), std::string::npos);
    EXPECT_EQ(status_of(tile("surface/0/0.0")), 200) << "what was shown stays";
}

TEST_F(LiveMapTest, AWorldOfUnreadableFilesAloneHasFailed) {
    world_.put({0, 0}, 1);
    open();
    EXPECT_EQ(status_of(tile("surface/0/0.0")), 200);
    const auto file = folder_ / "a world/chunks/0.0.region.bin";
    fs::copy_file(file, folder_ / "whole");
    std::ofstream(file, std::ios::binary | std::ios::trunc) << "noise";
    fs::last_write_time(file, fs::file_time_type::clock::now() - 1min);
    clock_.pass(2s);
    const auto worlds = request("/api/worlds");
    EXPECT_TRUE(
        contains(worlds, R"("state":"failed","problems":[{"file":"chunks/0.0.region.bin","region":[0,0],)"))
        << worlds;
    EXPECT_NE(status_of(tile("surface/0/0.0")), 200) << "as after another start";
    EXPECT_NE(request("/worlds/a%2520world/world.js").find(R"("bounds":null,"chunks":0)"), std::string::npos);
    fs::rename(folder_ / "whole", file);
    clock_.pass(2s);
    EXPECT_EQ(status_of(tile("surface/0/0.0")), 200);
    EXPECT_NE(request("/api/worlds").find(R"("state":"ready","problems":[])"), std::string::npos);
}

TEST_F(LiveMapTest, WorldsComeAndGoWithTheUniverse) {
    MadeWorld one(folder_ / "universe/worlds/one");
    one.put({0, 0}, 1);
    place_ = world::find_location(folder_ / "universe").value();
    std::vector<Error> problems;
    serve(problems);
    EXPECT_NE(request("/map.js").find(R"("worlds":[{"name":"one","folder":"one"}])"), std::string::npos);
    RawClient page(server_->address());
    page.send(get("/api/events"));
    EXPECT_NE(page.read_until(R"("left_out":0}]})").find(R"({"worlds":[{"name":"one")"), std::string::npos);
    for (int round = 0; round < 2; ++round) {
        page.forget();
        {
            MadeWorld late(folder_ / "universe/worlds/late");
            late.put({0, 0}, 2);
        }
        const auto both = R"({"worlds":[{"name":"late","folder":"late","state":"ready","problems":[],)"
                          R"("left_out":0},{"name":"one")";
        clock_.pass(2s);
        // Its place may still be in use by an answer about the one before.
        if (round > 0) {
            EXPECT_TRUE(orbis::test::wait_for([&] {
                clock_.pass(2s);
                return contains(request("/api/worlds"), both);
            }));
        }
        EXPECT_TRUE(reads(page, both));
        EXPECT_TRUE(contains(request("/map.js"), R"("worlds":[{"name":"late")"));
        EXPECT_EQ(status_of(request("/api/tile/late/surface/0/0.0")), 200);
        page.forget();
        fs::remove_all(folder_ / "universe/worlds/late");
        clock_.pass(2s);
        EXPECT_TRUE(reads(page, R"({"worlds":[{"name":"one","folder":"one","state":"ready")"));
        EXPECT_EQ(status_of(request("/api/tile/late/surface/0/0.0")), 404);
        EXPECT_EQ(status_of(request("/worlds/late/world.js")), 404);
    }
    EXPECT_EQ(status_of(request("/api/tile/one/surface/0/0.0")), 200);
}

TEST_F(LiveMapTest, FindingsAreThoseOfTheWorldAlone) {
    MadeWorld one(folder_ / "universe/worlds/one");
    one.put({0, 0}, 1);
    MadeWorld two(folder_ / "universe/worlds/two");
    fs::remove(folder_ / "universe/worlds/one/config.json");
    fs::create_directories(folder_ / "universe/players");
    std::ofstream(folder_ / "universe/players/b8b2e4a0-0000-4000-8000-000000000001.json")
        << R"({"Components": {"Player": {"PlayerData": {"World": "two"}}}})";
    place_ = world::find_location(folder_ / "universe").value();
    std::vector<Error> problems;
    serve(problems);
    std::string findings;
    EXPECT_TRUE(orbis::test::wait_for([&] {
        findings = body_of(request("/api/findings/one"));
        return contains(findings, R"("state":"done")");
    }));
    EXPECT_EQ(findings.find("player.world"), std::string::npos) << findings;
    EXPECT_NE(findings.find("config.missing"), std::string::npos) << "also what is about no chunk";
}

TEST_F(LiveMapTest, CoarseTilesFillUp) {
    for (int z = 0; z < 6; ++z)
        for (int x = 0; x < 6; ++x) world_.put({x * 16, z * 16}, static_cast<std::uint32_t>(x + z));
    fill_in_ = 0ms; // no time for more than there must be
    open();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("welcome");
    const auto chunks_there = [&](int right = 0) {
        map::TilePixels pixels;
        EXPECT_TRUE(map::decode_tile(as_bytes(body_of(tile("slice@20/3/0.0"))), pixels));
        int there = 0;
        for (int z = 0; z < 6; ++z)
            for (int x = 0; x < 6; ++x) there += pixels.get(x * 64 + right + 2, z * 64 + 2).a == 255 ? 1 : 0;
        return there;
    };
    EXPECT_EQ(chunks_there(), 1) << "there is something at once";
    EXPECT_TRUE(orbis::test::wait_for([&] { return chunks_there() == 36; }))
        << "and all of it when all is rendered";
    clock_.pass(2s);
    EXPECT_TRUE(reads(page, R"("layers":["slice@20"],"tiles":{)")) << "and pages are told";
    for (int z = 0; z < 6; ++z)
        for (int x = 0; x < 6; ++x) world_.put({x * 16 + 8, z * 16}, static_cast<std::uint32_t>(x + z));
    clock_.pass(2s);
    EXPECT_TRUE(orbis::test::wait_for([&] { return chunks_there(32) == 36; }))
        << "what was rendered later once is rendered later again";
}

TEST_F(LiveMapTest, AWriterInFullSwingNeverShowsTornTiles) {
    for (int x = 0; x < 8; ++x) world_.put({x, 0}, 1);
    open();
    const std::vector<std::uint32_t> seeds{1, 2, 3};
    std::atomic<bool> stop = false;
    std::thread writer([&] {
        for (std::uint32_t i = 0; !stop; ++i)
            for (int x = 0; x < 8; ++x) world_.put({x, 0}, seeds[i % 3]);
    });
    std::set<std::string> seen;
    // As often as it takes to see two of the writer's states.
    for (int i = 0; i < orbis::test::amount(40) || (seen.size() < 2 && i < 10'000); ++i) {
        clock_.pass(2s);
        const auto answer = tile("surface/0/0.0");
        ASSERT_EQ(status_of(answer), 200) << answer.substr(0, 300);
        map::TilePixels pixels;
        ASSERT_TRUE(map::decode_tile(as_bytes(body_of(answer)), pixels));
        for (int z = 0; z < 32; ++z)
            for (int x = 0; x < 8 * 32; ++x) ASSERT_EQ(pixels.get(x, z).a, 255) << x << " " << z;
        seen.insert(body_of(answer));
    }
    stop = true;
    writer.join();
    EXPECT_GT(seen.size(), 1U);
    clock_.pass(2s);
    EXPECT_EQ(body_of(tile("surface/0/0.0")), expected_tile(world_.store(), k_surface, {0, 0}))
        << "and at rest it is right";
}

TEST_F(LiveMapTest, AMapOfAnEarlierRunIsBroughtUpToDate) {
    world_.put({0, 0}, 1);
    world_.put({100, 0}, 1);
    open();
    make_map();
    const auto before = tile("surface/0/0.0");
    server_.reset();
    map_.reset();
    world_.put({0, 0}, 2); // while nobody looks
    open();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("event: worlds");
    page.forget();
    clock_.pass(2s);
    EXPECT_TRUE(reads(page, R"("tiles":{"0":["0.0"],)")) << "pages show what it was before";
    const auto now = tile("surface/0/0.0");
    EXPECT_NE(body_of(now), body_of(before));
    EXPECT_EQ(body_of(now), expected_tile(world_.store(), k_surface, {0, 0}));
}

TEST_F(LiveMapTest, AnswersQuestions) {
    world_.put({0, 0}, 4);
    open();
    EXPECT_NE(request("/map.js").find(R"("live":true)"), std::string::npos);
    const auto block = request("/api/block/a%2520world/3/5/3");
    EXPECT_EQ(status_of(block), 200);
    EXPECT_NE(block.find(R"("x":3,"y":5,"z":3,"block":")"), std::string::npos);
    EXPECT_EQ(status_of(request("/api/block/a%20world/3/5/3")), 200) << "by its plain name too";
    const auto column = body_of(request("/api/column/a%2520world/3/3"));
    EXPECT_TRUE(std::regex_match(
        column,
        std::regex(R"(\{"x":3,"z":3,"chunk":\[0,0\],"height":\d+,"exists":true,"unreadable":null\})")))
        << column;
    EXPECT_EQ(body_of(request("/api/column/a%2520world/-1/0")),
              R"({"x":-1,"z":0,"chunk":[-1,0],"height":null,"exists":false,"unreadable":null})");
    EXPECT_EQ(body_of(request("/api/column/a%2520world/3/3?layer=slice@2")),
              R"({"x":3,"z":3,"chunk":[0,0],"height":2,"exists":true,"unreadable":null})")
        << "what a slice shows there";
    EXPECT_EQ(status_of(request("/api/column/a%2520world/3/3?layer=slice@400")), 400);
    EXPECT_EQ(status_of(request("/api/block/a%2520world/-1/0/0")), 404);
    make_map();
    const auto found = body_of(request("/api/search/a%2520world?q=rock&kind=block&limit=5"));
    EXPECT_NE(found.find(R"("kind":"block","name":"Rock_Stone","x":6,"y":14,"z":0,)"), std::string::npos)
        << found;
    EXPECT_NE(found.find(R"("more":true,"complete":true)"), std::string::npos) << found;
    const auto places = [](const std::string& answer, const std::string& key) {
        const auto name = fmt::format(R"("kind":"block","name":"{}")", key);
        std::size_t count = 0;
        for (auto at = answer.find(name); at != std::string::npos; at = answer.find(name, at + 1)) ++count;
        return static_cast<std::int64_t>(count);
    };
    EXPECT_EQ(places(found, "Rock_Stone"), 5) << found;
    const auto many = body_of(request("/api/search/a%2520world?q=rock&kind=block&limit=2000&near=3,-40"));
    EXPECT_EQ(places(many, "Rock_Stone"), 2000) << "each block is a result";
    EXPECT_EQ(status_of(request("/api/search/a%2520world?q=rock&near=3")), 400);
    EXPECT_EQ(status_of(request("/api/search/a%2520world?q=rock&near=a,b")), 400);
    const auto spawn = body_of(request("/api/search/a%2520world?q=spawn"));
    EXPECT_NE(spawn.find(R"("kind":"marker")"), std::string::npos) << spawn;
    std::string findings;
    EXPECT_TRUE(orbis::test::wait_for([&] {
        findings = body_of(request("/api/findings/a%2520world"));
        return contains(findings, R"("state":"done")");
    }));
    EXPECT_NE(findings.find(R"("state":"done","checked":1,"chunks":1,"findings":[)"), std::string::npos)
        << findings;
}

TEST_F(LiveMapTest, ThePageIsNamedAfterTheFolderHoweverItIsWritten) {
    world_.put({0, 0}, 1);
    for (const auto* end : {"", "/", "/.", "//"}) {
        server_.reset();
        map_.reset();
        place_ = world::find_location((folder_ / "a world").string() + end).value();
        std::vector<Error> problems;
        serve(problems);
        EXPECT_TRUE(contains(request("/map.js"), R"("title":"a world")")) << end << request("/map.js");
    }
}

TEST_F(LiveMapTest, BadQuestionsAreRefusedAndSayWhatIsExpected) {
    world_.put({0, 0}, 4);
    open();
    for (const auto& [status, target] : std::vector<std::pair<int, std::string>>{
             {404, "/nothing"},
             {404, "/api"},
             {404, "/api/tile"},
             {404, "/api/tile/other/surface/0/0.0"},
             {404, "/api/else/a%2520world"},
             {404, "/lock"},
             {404, "/live/a%2520world/1.png"},
             {404, "/worlds/a%2520world/state/0123456789abcdef.bin"},
             {404, "/worlds/other/world.js"},
             {400, "/api/tile/a%2520world/surface/0"},
             {400, "/api/tile/a%2520world/surface/0/0.0.0"},
             {400, "/api/tile/a%2520world/surface/x/0.0"},
             {400, "/api/tile/a%2520world/nothing/0/0.0"},
             {400, "/api/tile/a%2520world/slice@400/0/0.0"},
             {400, "/api/tile/a%2520world/slice@064/0/0.0"},
             {400, "/api/tile/a%2520world/surface/0/0.99999999999"},
             {404, "/api/tile/a%2520world/surface/2/0.0"},
             {404, "/api/tile/a%2520world/surface/99/0.0"},
             {404, "/api/tile/a%2520world/surface/-1/0.0"},
             {404, "/api/tile/a%2520world/surface/0/2147483647.-2147483648"},
             {400, "/api/block/a%2520world/1/2"},
             {400, "/api/block/a%2520world/1/320/2"},
             {400, "/api/block/a%2520world/1/-1/2"},
             {400, "/api/block/a%2520world/1e3/1/2"},
             {400, "/api/column/a%2520world/1"},
             {400, "/api/search/a%2520world"},
             {400, "/api/search/a%2520world?q="},
             {400, "/api/search/a%2520world?q=a&limit=0"},
             {400, "/api/search/a%2520world?q=a&limit=1000000"},
             {400, "/api/search/a%2520world?q=a&kind=secret"},
             {400, "/api/search/a%2520world?q=" + std::string(300, 'a')},
             {400, "/worlds/..%2f..%2fa%2520world/config.json"},
             {400, "/worlds/%2e%2e/lock"},
             {400, "/assets/../lock"},
         }) {
        const auto answer = request(target);
        EXPECT_EQ(status_of(answer), status) << target;
        EXPECT_TRUE(body_of(answer).starts_with(R"({"error":")")) << target;
    }
    EXPECT_EQ(status_of(tile("surface/1/0.0")), 200) << "one level more than one tile needs";
    // The first and the last tile that can have chunks, of both levels, and those beside them.
    for (const auto& [level, least, most] :
         {std::tuple(0, -4'194'302, 4'194'301), {1, -2'097'151, 2'097'150}})
        for (const auto& [pos, status] :
             {std::pair(least, 204), {most, 204}, {least - 1, 404}, {most + 1, 404}}) {
            EXPECT_EQ(status_of(tile(fmt::format("surface/{}/{}.5", level, pos))), status) << pos;
            EXPECT_EQ(status_of(tile(fmt::format("surface/{}/5.{}", level, pos))), status) << pos;
        }
    make_map();
    for (const auto& [status, target] : std::vector<std::pair<int, std::string>>{
             {200, "/api/search/a%2520world?q=a&limit=2000"},
             {400, "/api/search/a%2520world?q=a&limit=2001"},
             {200, "/api/search/a%2520world?q=a&limit=1"},
             {200, "/api/search/a%2520world?q=" + std::string(200, 'a')},
             {400, "/api/search/a%2520world?q=" + std::string(201, 'a')},
             {200, "/api/search/a%2520world?q=a&kind=block,item,entity,marker"},
             {400, "/api/search/a%2520world?q=a&kind=block,"},
             {200, "/api/block/a%2520world/0/319/0"},
             {200, "/api/block/a%2520world/31/0/31"},
         })
        EXPECT_EQ(status_of(request(target)), status) << target;
    for (const char* far : {"2147483647/5/2147483647", "-2147483648/0/-2147483648"})
        EXPECT_EQ(status_of(request(fmt::format("/api/block/a%2520world/{}", far))), 404) << far;
}

TEST_F(LiveMapTest, AThousandPagesAtOnce) {
    for (int x = 0; x < 64; ++x) world_.put({x, 0}, static_cast<std::uint32_t>(x));
    open();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 1000; ++i) {
        clients.push_back(std::make_unique<RawClient>(server_->address()));
        clients.back()->send(get(fmt::format("/api/tile/a%2520world/slice@{}/0/{}.0", i % 10, i % 4)));
    }
    int answered = 0;
    for (const auto& client : clients) {
        const auto status = status_of(client->read_answer());
        answered += status == 200 || status == 204 ? 1 : 0;
    }
    EXPECT_EQ(answered, 1000);
}

TEST_F(LiveMapTest, EndsInTheMiddleOfEverything) {
    for (int z = 0; z < 64; z += 2)
        for (int x = 0; x < 16; ++x) world_.put({x * 4, z}, static_cast<std::uint32_t>(x));
    open();
    RawClient page(server_->address());
    page.send(get("/api/events"));
    page.read_until("welcome");
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 50; ++i) {
        clients.push_back(std::make_unique<RawClient>(server_->address()));
        clients.back()->send(get(fmt::format("/api/tile/a%2520world/cave@{}/0/0.0", i)));
    }
    clients.push_back(std::make_unique<RawClient>(server_->address()));
    clients.back()->send(get("/api/findings/a%2520world"));
    EXPECT_FALSE(clients.back()->read_answer().empty());
    clock_.leap(2s);
    EXPECT_TRUE(reads(page, R"("step":"Rendering tiles","done":0)"));
    server_.reset();
    map_.reset();
    for (const auto& client : clients) EXPECT_TRUE(client->reads_to_the_end());
}

TEST_F(LiveMapTest, AnUpdateEndsWithTheServerAndWithItsWorld) {
    world_.put({0, 0}, 1);
    place_ = world::find_location(folder_ / "a world").value();
    std::atomic<bool> stopping = false;
    fs::create_directories(folder_ / "cache");
    EventHub events;
    TileWorkers workers(1);
    const map::Colours colours(world::Assets::built_in());
    const LiveShared shared{workers, events,   world::Assets::built_in(), colours, stopping,
                            clock_,  fill_in_, tiles_per_event_};
    const auto world = LiveWorld::open(place_, place_.worlds.at(0), folder_ / "cache", shared).value();
    stopping = true;
    EXPECT_THROW(world->update(), Stopped);
    stopping = false;
    EXPECT_NO_THROW(world->update());
    world_.put({0, 0}, 2);
    world->retire();
    EXPECT_THROW(world->update(), Stopped);
}

} // namespace
} // namespace orbis::http
