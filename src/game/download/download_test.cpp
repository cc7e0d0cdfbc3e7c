#include "game/bot/test_server_test.hpp"
#include "game/codec/carried_chunk_test.hpp"
#include "game/download/downloader.hpp"
#include "game/download/world_writer.hpp"
#include "packets/world.hpp"
#include "support/traced_run.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace orbis::game {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The stops of a route through a world whose chunks `exists` names.
template <typename Exists>
std::set<std::pair<int, int>> seen(Route& route, Exists&& exists, std::size_t& stops) {
    std::set<std::pair<int, int>> out;
    for (stops = 0; stops < 10'000; ++stops) {
        const auto stop = route.next();
        if (!stop) return out;
        bool any = false;
        for (const auto pos : route.chunks_of(*stop))
            if (exists(pos)) {
                any = true;
                out.insert({pos.x, pos.z});
            }
        route.arrive(any);
    }
    ADD_FAILURE() << "the route has no end";
    return out;
}

TEST(DownloadRoute, SeesAllOfAWorldWithHolesAndEnds) {
    for (const int radius : {1, 2, 3, 6, 12, 32}) {
        const auto exists = [](ChunkPos pos) {
            const bool hole = pos.x > 2 && pos.x < 6 && pos.z > -4 && pos.z < 4;
            return pos.x >= -11 && pos.x <= 17 && pos.z >= -5 && pos.z <= 9 && !hole;
        };
        Route route({1, 1}, radius, {});
        std::size_t stops = 0;
        EXPECT_EQ(seen(route, exists, stops).size(), 29U * 15 - 3 * 7) << radius;
    }
}

TEST(DownloadRoute, FindsIslandsInAnArea) {
    const auto exists = [](ChunkPos pos) { return pos.x % 40 == 0 && pos.z % 50 == 0; };
    Route route({0, 0}, 3, ChunkArea{{-100, -100}, {100, 100}});
    std::size_t stops = 0;
    EXPECT_EQ(seen(route, exists, stops).size(), 5U * 5);
    EXPECT_LE(stops, 42U * 42); // squares of 5 chunks
}

TEST(DownloadRoute, EverySquareLiesInTheCircle) {
    for (int radius = 1; radius <= 40; ++radius) {
        Route route({5, -7}, radius, {});
        const auto middle = route.next().value();
        for (const auto pos : route.chunks_of(middle)) {
            const auto dx = pos.x - middle.x;
            const auto dz = pos.z - middle.z;
            EXPECT_LE(dx * dx + dz * dz, std::max(radius * radius, 4));
        }
    }
}

struct Downloads : testing::Test {
    fs::path folder = fs::temp_directory_path() / fmt::format("orbis-download-{}", ::getpid());
    std::shared_ptr<net::SimulatedLoop> loop = test_server::make_loop();
    test_server::World world;
    std::optional<test_server::Server> server;

    void SetUp() override { fs::remove_all(folder); }
    void TearDown() override { fs::remove_all(folder); }

    DownloadRules rules() {
        DownloadRules out;
        out.server = server->place();
        out.out = folder / "world";
        out.view_radius = world.radius * 32;
        out.settle = 40ms;
        out.least_pace = 10'000;
        out.is_transparent = [](std::string_view) { return false; };
        return out;
    }
    Result<DownloadReport> download(const DownloadRules& asked) {
        return game::download(asked, {}, {}, loop);
    }
    void expect_equal_worlds() {
        const auto writer = WorldWriter::open(folder / "world", true).value();
        EXPECT_EQ(writer->stored(), world.chunks.size());
        for (const auto& [pos, chunk] : world.chunks) {
            auto found = writer->take_back({pos.first, pos.second});
            ASSERT_TRUE(found && *found) << pos.first << "," << pos.second;
            test_chunks::expect_equal(chunk, **found);
        }
    }
};

TEST_F(Downloads, BringHomeAWorldWithHolesAsItIs) {
    world.radius = 6;
    for (int x = -5; x <= 5; ++x)
        for (int z = -3; z <= 5; ++z)
            if (x * x + z * z != 25) world.add_flat({x, z});
    server.emplace(*loop, world);
    const auto report = download(rules());
    ASSERT_TRUE(report) << report.error().text();
    for (const auto& problem : report->problems) ADD_FAILURE() << problem;
    EXPECT_TRUE(report->is_fine());
    EXPECT_EQ(report->chunks, world.chunks.size());
    expect_equal_worlds();
    EXPECT_TRUE(fs::exists(folder / "world/config.json"));
    // It is refused a second time, unless it should go on, and then there is little to do.
    EXPECT_EQ(download(rules()).error().code, Errc::exists);
    auto again = rules();
    again.goes_on = true;
    const auto second = download(again);
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->is_fine());
    EXPECT_EQ(second->chunks, world.chunks.size());
}

TEST_F(Downloads, BringHomeTheSameWorldInEachBuild) {
    world.radius = 3;
    for (int x = -2; x <= 2; ++x)
        for (int z = -2; z <= 2; ++z) world.add_natural({x, z});
    server.emplace(*loop, world);
    for (const auto* build : net::spoken_builds()) {
        auto asked = rules();
        asked.build = net::GameBuild::of(*build);
        const auto report = download(asked);
        ASSERT_TRUE(report) << build->build << ": " << report.error().text();
        for (const auto& problem : report->problems) ADD_FAILURE() << build->build << ": " << problem;
        expect_equal_worlds();
        fs::remove_all(folder);
    }
}

TEST_F(Downloads, TellWhatWorldFilesHaveNoPlaceFor) {
    world.is_tall = true;
    world.add_flat({0, 0});
    server.emplace(*loop, world);
    auto asked = rules();
    asked.build = *net::GameBuild::find("b242");
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->problems,
              (std::vector<std::string>{"1 section of 32 blocks below y 0 or above y 319 was left out: the "
                                        "server's world is taller than world files can be"}));
    EXPECT_FALSE(report->is_fine());
    expect_equal_worlds();
}

TEST_F(Downloads, SaveNaturalTerrainAsTheGamesOwnServerSendsIt) {
    world.environments_as_the_game = true;
    world.add_natural({0, 0});
    world.add_natural({1, 0});
    server.emplace(*loop, world);
    const auto report = download(rules());
    ASSERT_TRUE(report) << report.error().text();
    for (const auto& problem : report->problems) ADD_FAILURE() << problem;
    EXPECT_TRUE(report->is_fine());
    expect_equal_worlds();
    // Also what is below the world, so that the stored bytes are those of the source.
    const auto found = WorldWriter::open(folder / "world", true).value()->take_back({1, 0});
    ASSERT_TRUE(found && *found);
    for (int i = 0; i < k_columns; ++i)
        ASSERT_EQ((*found)->environments().runs(ColumnIndex(i)), test_server::World::natural_runs());
}

TEST_F(Downloads, FindIslandsInTheAreaAndNothingOutside) {
    world.radius = 8;
    world.add_flat({0, 0});
    world.add_flat({20, 1});
    world.add_flat({-15, -20});
    world.add_flat({60, 0}); // outside
    server.emplace(*loop, world);
    auto asked = rules();
    asked.area = ChunkArea{{-24, -24}, {24, 24}};
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, 3U);
    EXPECT_TRUE(report->is_fine());
}

TEST_F(Downloads, WaitForAServerThatPausesAgainAndAgain) {
    world.radius = 6;
    for (int x = -5; x <= 5; ++x)
        for (int z = -5; z <= 5; ++z)
            if (x * x + z * z <= 36) world.add_flat({x, z});
    world.pause = 60ms; // longer than it would wait for anybody else
    server.emplace(*loop, world);
    auto asked = rules();
    asked.least_pace = 200;
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, world.chunks.size());
    EXPECT_TRUE(report->is_fine());
    expect_equal_worlds();
}

TEST_F(Downloads, WaitForAServerThatStandsStillForLongerThanTheyWouldWait) {
    for (int x = -5; x <= 5; ++x)
        for (int z = -5; z <= 5; ++z) world.add_flat({x, z});
    world.pause = 50ms;
    server.emplace(*loop, world);
    auto asked = rules();
    asked.settle = 1s;
    asked.least_pace = 200;
    // In the middle of sending, and if nothing is left to send.
    for (const net::Duration moment : {300ms, 14'000ms}) {
        loop->after(moment, [&] { loop->hold(server->place().port); });
        loop->after(moment + 12s, [&] { loop->let_go(); });
    }
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, world.chunks.size());
    EXPECT_TRUE(report->is_fine());
    EXPECT_GT(report->seconds, 24);
    expect_equal_worlds();
}

TEST_F(Downloads, AreSoonOverWhereNothingIs) {
    world.tells_absent = true;
    world.add_flat({0, 0});
    test_server::World nothing;
    nothing.tells_absent = true;
    server.emplace(*loop, world);
    const test_server::Server empty(*loop, nothing);
    auto asked = rules();
    asked.settle = 1s;
    asked.least_pace = 25;
    const auto one = download(asked);
    ASSERT_TRUE(one) << one.error().text();
    EXPECT_EQ(one->chunks, 1U);
    EXPECT_TRUE(one->is_fine());
    EXPECT_LT(one->seconds, 20);
    asked.server = empty.place();
    asked.out = folder / "nothing";
    const auto none = download(asked);
    ASSERT_TRUE(none) << none.error().text();
    EXPECT_EQ(none->chunks, 0U);
    ASSERT_EQ(none->problems.size(), 1U);
    EXPECT_NE(none->problems[0].find("no chunk at all"), std::string::npos) << none->problems[0];
    EXPECT_LT(none->seconds, 20);
    EXPECT_FALSE(fs::exists(asked.out));
}

TEST_F(Downloads, TakeTheWordOfAServerThatSaysWhatDoesNotExist) {
    world.radius = 6;
    world.tells_absent = true;
    for (int x = -3; x <= 3; ++x) world.add_flat({x, 0});
    world.unreadable = {2, 2};
    server.emplace(*loop, world);
    auto asked = rules();
    asked.settle = 10min; // it is not asked for that patience
    asked.area = ChunkArea{{-3, -3}, {3, 1}};
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, 7U);
    EXPECT_TRUE(report->is_fine());
    // Of one chunk it says nothing.
    asked.out = folder / "second";
    asked.settle = 40ms;
    asked.area = ChunkArea{{-3, -3}, {3, 3}};
    const auto second = download(asked);
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_EQ(second->chunks, 7U);
    EXPECT_EQ(second->unanswered, (std::vector<ChunkPos>{{2, 2}}));
    EXPECT_FALSE(second->is_fine());
}

TEST_F(Downloads, WaitForTheFluidsOfTheLastColumn) {
    world.add_flat({0, 0});
    world.pause_before_fluids = 700ms;
    server.emplace(*loop, world);
    auto asked = rules();
    asked.area = ChunkArea{{0, 0}, {0, 0}};
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, 1U);
    expect_equal_worlds();
}

TEST_F(Downloads, NameWhatTheServerSaysNothingOfInTheMiddleOfTheLand) {
    world.radius = 2;
    world.tells_absent = true; // first at the edge, where the stop with the hole is far behind
    world.unreadable = {1, 1};
    for (int x = -5; x <= 5; ++x)
        for (int z = -5; z <= 5; ++z)
            if (x != 1 || z != 1) world.add_flat({x, z});
    server.emplace(*loop, world);
    const auto report = download(rules());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, world.chunks.size());
    EXPECT_EQ(report->unanswered, (std::vector<ChunkPos>{{1, 1}}));
    EXPECT_FALSE(report->is_fine());
}

TEST_F(Downloads, KeepNoMoreOfWhatTheServerSaysNothingOfThanTheyAreToldTo) {
    world.radius = 2;
    world.tells_absent = true;
    world.unreadable = {1, 1};
    for (int x = -5; x <= 5; ++x)
        for (int z = -5; z <= 5; ++z)
            if (x != 1 || z != 1) world.add_flat({x, z});
    server.emplace(*loop, world);
    auto asked = rules();
    asked.most_unanswered = 0;
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, world.chunks.size());
    EXPECT_TRUE(report->unanswered.empty());
}

TEST_F(Downloads, EndAsSoonAsTheDiskDoesNotKeepWhatWasWritten) {
    world.pause = 20s;           // after the first eight chunks
    for (int x = 0; x <= 4; ++x) // of one region
        for (int z = 0; z <= 4; ++z) world.add_flat({x, z});
    fs::create_directories(folder);
    // 0: all went well; 1: it ended before more chunks came; 2: later.
    const auto job = [&] {
        server.emplace(*loop, world);
        const auto begin = loop->now();
        auto asked = rules();
        asked.settle = 60s; // it waits for the rest
        const auto report = download(asked);
        if (report) return 0;
        return report.error().code == Errc::io && loop->now() - begin < 10s ? 1 : 2;
    };
    const auto whole = test::trace_run(folder, job);
    ASSERT_EQ(whole.exit_code, 0);
    fs::remove_all(folder);
    fs::create_directories(folder);
    // A new file is synced twice before it is used; the next sync is that of what was written.
    std::vector<std::size_t> syncs;
    for (std::size_t i = 0; i < whole.calls.size(); ++i)
        if (whole.calls[i].kind == test::TracedCall::Kind::sync
            && whole.calls[i].path.ends_with(".region.bin"))
            syncs.push_back(i);
    ASSERT_GT(syncs.size(), 3U);
    const auto failed = test::trace_run(folder, job, {test::TracedFault::Kind::fail, syncs[2], EIO});
    EXPECT_TRUE(failed.faulted);
    EXPECT_EQ(failed.exit_code, 1);
}

TEST_F(Downloads, GoToLandThatTheySeeFromOutside) {
    for (int x = 5; x <= 9; ++x) world.add_flat({x, 0});
    server.emplace(*loop, world);
    const auto report = download(rules());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks, 5U);
    EXPECT_TRUE(report->is_fine());
}

TEST_F(Downloads, AreDoneBeforeAllElseInViewHasCome) {
    for (int x = -4; x <= 4; ++x)
        for (int z = -4; z <= 4; ++z) world.add_flat({x, z});
    world.pause = 600ms; // after every eight chunks, so that it is never quiet before the end
    server.emplace(*loop, world);
    std::map<int, std::uint64_t> bytes;
    for (const int x : {-4, 4}) { // what comes first, and last
        auto asked = rules();
        asked.out = folder / fmt::format("column{}", x);
        asked.settle = 3s;
        asked.area = ChunkArea{{x, x}, {x, x}};
        const auto report = download(asked);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->chunks, 1U);
        EXPECT_TRUE(report->is_fine());
        bytes[x] = report->bytes;
    }
    // Where it waits for the server to be quiet, it gets everything.
    EXPECT_LT(bytes[-4], bytes[4] * 8 / 10);
}

TEST_F(Downloads, SayThatTheyAreNotFinished) {
    for (int x = 0; x < 30; ++x) world.add_flat({x, 0});
    world.radius = 4;
    server.emplace(*loop, world);
    auto asked = rules();
    asked.time = 400ms;
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_FALSE(report->is_finished);
    EXPECT_FALSE(report->is_fine());
    EXPECT_LT(report->chunks, world.chunks.size());
    asked.time.reset();
    asked.goes_on = true;
    const auto rest = download(asked);
    ASSERT_TRUE(rest);
    EXPECT_TRUE(rest->is_fine());
    expect_equal_worlds();
}

TEST_F(Downloads, FollowReferralsAndSayWhoHasSentThem) {
    world.add_flat({0, 0});
    server.emplace(*loop, world);
    const test_server::Referrals way(*loop, server->place());
    auto asked = rules();
    asked.server = way.door->place();
    const auto report = download(asked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->is_fine());
    EXPECT_EQ(report->chunks, 1U);
    EXPECT_EQ(way.hall.referred_by, std::vector{asked.server.port});
    EXPECT_EQ(world.referred_by, std::vector{way.lobby.refer_to->port});
}

TEST_F(Downloads, AFolderOfAnotherWorldIsLeftAlone) {
    const protocol::Uuid one{1};
    const protocol::Uuid two{2};
    const auto writer = WorldWriter::open(folder / "world", false).value();
    ASSERT_TRUE(writer->write_config("one", one, {}));
    EXPECT_TRUE(writer->write_config("one", one, {}));
    EXPECT_EQ(writer->write_config("two", two, {}).error().code, Errc::exists);
}

TEST_F(Downloads, OnlyWhatADownloadHasBegunIsGoneOnWith) {
    const auto path = folder / "world";
    {
        auto writer = WorldWriter::open(path, false).value();
        ASSERT_TRUE(writer->write_config("one", {1}, {}));
        ASSERT_TRUE(writer->put({0, 0}, chunk::Chunk::create()));
        ASSERT_TRUE(writer->sync());
    }
    EXPECT_TRUE(WorldWriter::open(path, true));
    fs::remove(path / "orbis-download.json"); // as in a world of the game
    const auto refused = WorldWriter::open(path, true);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::exists);
    WorldWriter::remove_empty(path);
    EXPECT_TRUE(fs::exists(path / "config.json")) << "it is not empty";
}

TEST_F(Downloads, AWorldWithoutChunksLeavesNothingBehind) {
    auto writer = WorldWriter::open(folder / "world", false).value();
    ASSERT_TRUE(writer->write_config("one", {1}, {}));
    writer.reset();
    WorldWriter::remove_empty(folder / "world");
    EXPECT_FALSE(fs::exists(folder / "world"));
}

TEST_F(Downloads, TheConfigurationIsThatOfAWorldWithoutAGenerator) {
    const auto writer = WorldWriter::open(folder / "world", false).value();
    ASSERT_TRUE(writer->write_config("From \"here\"", {1, 2}, {1.5, -2, 1e6}));
    std::ifstream file(folder / "world/config.json");
    EXPECT_EQ(std::string(std::istreambuf_iterator(file), {}),
              R"({"Version":4,"UUID":{"$binary":"AQIAAAAAAAAAAAAAAAAAAA==","$type":"04"},)"
              R"("DisplayName":"From \"here\"","SpawnProvider":{"Id":"Global","SpawnPoint":)"
              R"({"X":1.500,"Y":-2.000,"Z":1000000.000,"Pitch":0.0,"Yaw":0.0,"Roll":0.0}},)"
              R"("WorldGen":{"Type":"Void"},"WorldMap":{"Type":"WorldGen"},)"
              R"("ChunkStorage":{"Type":"Hytale"},"GameMode":"Creative"})");
    EXPECT_EQ(writer->write_config("two", {3}, {}).error().problem,
              "the folder has the world 01020000-0000-0000-0000-000000000000, the server has "
              "03000000-0000-0000-0000-000000000000");
}

TEST_F(Downloads, TheNoteOfABeginningNamesTheCommandThatGoesOn) {
    const auto writer = WorldWriter::open(folder / "world", false).value();
    const auto note = [&] {
        std::ifstream file(folder / "world/orbis-convert.unfinished");
        return std::string(std::istreambuf_iterator(file), {});
    };
    ASSERT_TRUE(writer->note_begin("example.org", "orbis download x"));
    EXPECT_EQ(note(),
              fmt::format("example.org\nregion\ncd {} && orbis download x\n", fs::current_path().string()));
    for (const auto* none : {"", "two\nlines"}) {
        ASSERT_TRUE(writer->note_begin("example.org", none));
        EXPECT_EQ(note(), "example.org\nregion\n");
    }
    ASSERT_TRUE(writer->note_end());
    EXPECT_FALSE(fs::exists(folder / "world/orbis-convert.unfinished"));
}

TEST_F(Downloads, OnlyTheAreaIsWrittenAndNothingTwice) {
    auto writer = WorldWriter::open(folder / "world", false).value();
    writer->set_area(ChunkArea{{0, 0}, {1, 1}});
    auto chunk = chunk::Chunk::create();
    ASSERT_TRUE(writer->put({2, 0}, chunk));
    ASSERT_TRUE(writer->put({0, -1}, chunk));
    EXPECT_EQ(writer->stored(), 0U);
    ASSERT_TRUE(writer->put({1, 1}, chunk));
    EXPECT_TRUE(writer->contains({1, 1}));
    EXPECT_EQ(writer->written(), 1U);
    ASSERT_TRUE(writer->sync());
    writer.reset();
    writer = WorldWriter::open(folder / "world", true).value();
    EXPECT_EQ(writer->stored(), 1U);
    ASSERT_TRUE(writer->put({1, 1}, chunk));
    EXPECT_EQ(writer->written(), 0U) << "it is there as it is";
    ASSERT_TRUE(chunk.set_block({1, 2, 3}, {"Rock_Stone", {}, {}}));
    ASSERT_TRUE(writer->put({1, 1}, chunk));
    EXPECT_EQ(writer->written(), 1U);
    EXPECT_EQ(writer->stored(), 1U);
}

TEST_F(Downloads, SayWhyTheyEnd) {
    world.add_flat({0, 0});
    server.emplace(*loop, world);
    using Problems = std::vector<std::string>;
    auto asked = rules();
    asked.area = ChunkArea{{100, 100}, {100, 100}};
    const auto elsewhere = download(asked);
    ASSERT_TRUE(elsewhere);
    EXPECT_EQ(elsewhere->problems, Problems{"there is no chunk in this area"});
    EXPECT_EQ(elsewhere->reach, 0);
    asked = rules();
    asked.time = 100ms;
    EXPECT_EQ(download(asked)->problems, Problems{"the time limit was reached"});
    fs::remove_all(folder);
    EXPECT_EQ(
        game::download(rules(), {}, [] { return true; }, loop)->problems, Problems{"it was interrupted"});
    fs::remove_all(folder);
    std::vector<DownloadStatus> told;
    const auto whole =
        game::download(rules(), [&](const DownloadStatus& status) { told.push_back(status); }, {}, loop);
    ASSERT_TRUE(whole);
    EXPECT_TRUE(whole->problems.empty());
    EXPECT_EQ(whole->written, 1U);
    EXPECT_EQ(whole->unreachable, 0U);
    EXPECT_EQ(whole->reach, 9) << "squares in circles of six";
    EXPECT_EQ(whole->stops, 9U);
    ASSERT_FALSE(told.empty());
    EXPECT_NEAR(told[0].seconds, 1, 0.1);
    EXPECT_EQ(told.back().chunks, 1U);
    EXPECT_GT(told.back().bytes, 1000U);
    auto gone = rules();
    gone.out = folder / "gone";
    server.reset();
    const auto nobody = download(gone);
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().text(),
              fmt::format("nothing listens at UDP 127.0.0.1:{} (start the server or check the port; orbis "
                          "ping says more)",
                          gone.server.port));
    EXPECT_FALSE(fs::exists(gone.out));
}

} // namespace
} // namespace orbis::game
