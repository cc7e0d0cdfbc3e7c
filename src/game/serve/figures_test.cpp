#include "bytes/content_hash.hpp"
#include "bytes/writer.hpp"
#include "game/chunks/world_access.hpp"
#include "game/codec/wire_ids.hpp"
#include "game/player/player.hpp"
#include "game/serve/console.hpp"
#include "game/serve/game_metrics.hpp"
#include "game/serve/game_server_test.hpp"
#include "game/serve/histogram.hpp"
#include "game/serve/served_world.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

#include <deque>
#include <set>
#include <tuple>

namespace orbis::game {
namespace {

/// What the owner of a server reads: each figure must be its own.
class FiguresTest : public test_server::GameServerTest {
protected:
    struct Guest {
        bool is_there = false;
        bool is_gone = false;
        Buffer told; ///< what is the same for everybody
        int slots = 0;
    };

    FiguresTest() : GameServerTest({"default", "other"}) {
        GameRules rules = unlimited();
        rules.facts.max_players = 2;
        rules.facts.view_radius = 4;
        rules.can_edit = true;
        rules.editing.saving.every = std::chrono::hours(1); // no edit is saved by itself
        start(rules, events_);
    }

    Guest& join(std::size_t number) {
        struct Handler final : net::ClientHandler {
            explicit Handler(Guest& of) : guest(of) {}
            void on_packet(net::ClientSession&, const protocol::Frame& frame) override {
                guest.is_there = guest.is_there || frame.packet->name == "SetClientId";
                static const std::set<std::string_view> k_same{
                    "WorldSettings",        "ServerInfo",     "WorldLoadProgress", "WorldLoadFinished",
                    "SetTimeDilation",      "UpdateFeatures", "UpdateSunSettings", "UpdatePostFxSettings",
                    "SetUpdateRate",        "SetGameMode",    "SetActiveSlot",     "UpdateMovementSettings",
                    "UpdatePlayerInventory"};
                if (!k_same.contains(frame.packet->name)) return;
                Writer to(guest.told);
                to.be(frame.id);
                to.bytes(frame.payload);
                if (frame.packet->name == "SetActiveSlot") ++guest.slots;
            }
            void on_closed(net::ClientSession&, const net::Close&,
                           const std::optional<std::string>&) override {
                guest.is_gone = true;
            }
            Guest& guest;
        };
        auto& guest = guests_.emplace_back();
        const net::ClientSettings settings{
            .server = address(), .server_name = "localhost", .tls = clients_.tls};
        EXPECT_TRUE(net::join(clients_.driver, clients_.context, settings, net::test::player(number),
                              std::make_unique<Handler>(guest)));
        return guest;
    }
    /// One player in the first world, one who was kicked, and one for whom there was no room.
    void fill() {
        auto& stays = join(1);
        auto& goes = join(2);
        ASSERT_TRUE(wait([&] { return stays.is_there && goes.is_there; }));
        auto& comes_too_late = join(3);
        ASSERT_TRUE(wait([&] { return comes_too_late.is_gone; }));
        game_->kick(*game_->find_player("bot2"), "Enough.");
        ASSERT_TRUE(wait([&] { return goes.is_gone && game_->players().size() == 1; }));
    }

    /// Two edits, and one that is refused.
    void edit() {
        auto& world = *game_->worlds().front();
        const auto block = WireIds(world::Assets::built_in()).blocks.find("Rock_Stone").value();
        for (const int x : {1, 2, 3}) {
            EditRequest request{{}, {x, 200, 0}, block, {}, x != 3, 0};
            world.submit(request);
        }
        ASSERT_TRUE(wait([&] { return world.edits().made == 2 && world.edits().refused == 1; }));
    }

    static constexpr WireFigures k_wire{7, 3 << 20, 1100, 5 << 20, 1300};
    std::deque<Guest> guests_;
    net::test::Clients clients_{loop_};
};

TEST_F(FiguresTest, OfTheMetricsAreEachInItsOwnLine) {
    fill();
    edit();
    const auto text = "\n" + game_metrics(*game_, k_wire);
    const auto& counters = game_->counters();
    for (const auto& line : std::vector<std::string>{
             "orbis_connections 7",
             "orbis_sent_bytes_total 3145728",
             "orbis_sent_datagrams_total 1100",
             "orbis_received_bytes_total 5242880",
             "orbis_received_datagrams_total 1300",
             R"(orbis_players{world="default"} 1)",
             R"(orbis_players{world="other"} 0)",
             "orbis_players_limit 2",
             "orbis_joined_total 2",
             "orbis_refused_total 1",
             R"(orbis_left_total{reason="left"} 0)",
             R"(orbis_left_total{reason="server"} 1)",
             R"(orbis_left_total{reason="idle"} 0)",
             R"(orbis_left_total{reason="error"} 0)",
             "orbis_chat_lines_total 0",
             fmt::format("orbis_ticks_total {}", counters.ticks),
             fmt::format("orbis_ticks_skipped_total {}", counters.skipped_ticks),
             fmt::format("orbis_tick_duration_seconds_count {}", counters.duration.count()),
             fmt::format("orbis_entity_updates_total {}", counters.entity_updates),
             fmt::format("orbis_tick_duration_seconds_sum {}", net::seconds_of(counters.duration.sum())),
             fmt::format("orbis_tick_lateness_seconds_sum {}", net::seconds_of(counters.lateness.sum())),
             fmt::format("orbis_tick_done_seconds_sum {}", net::seconds_of(counters.done.sum())),
             fmt::format("orbis_chunks_sent_total {}", counters.chunks_sent),
             fmt::format("orbis_uptime_seconds {}", net::seconds_of(game_->uptime())),
             R"(orbis_edits_total{world="default"} 2)",
             R"(orbis_edits_saved_total{world="default"} 0)",
             R"(orbis_edits_refused_total{world="default"} 1)",
             R"(orbis_edits_total{world="other"} 0)",
         })
        EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << text;
    const auto chunks = game_->worlds().front()->chunks().counters();
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::uint64_t>>{{"chunks_encoded_total", chunks.made},
                                                            {"chunk_hits_total", chunks.hits},
                                                            {"chunk_joins_total", chunks.joined},
                                                            {"chunks_unreadable_total", chunks.failed},
                                                            {"chunks_evicted_total", chunks.evicted},
                                                            {"chunks_pending", chunks.pending},
                                                            {"chunk_bytes", chunks.bytes}}) {
        const auto line =
            fmt::format("\norbis_{}{{world=\"default\"}} {}\n", name, static_cast<double>(value));
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
}

TEST_F(FiguresTest, OfTheMetricsHaveTheirNamesAndTypes) {
    const auto text = game_metrics(*game_, k_wire);
    std::string types;
    for (std::size_t at = 0; (at = text.find("# TYPE orbis_", at)) != std::string::npos;) {
        at += std::string_view("# TYPE orbis_").size();
        types += text.substr(at, text.find('\n', at) + 1 - at);
    }
    EXPECT_EQ(types, "uptime_seconds gauge\n"
                     "resident_bytes gauge\n"
                     "players gauge\n"
                     "players_limit gauge\n"
                     "joined_total counter\n"
                     "refused_total counter\n"
                     "left_total counter\n"
                     "chat_lines_total counter\n"
                     "ticks_total counter\n"
                     "ticks_skipped_total counter\n"
                     "tick_duration_seconds histogram\n"
                     "tick_lateness_seconds histogram\n"
                     "tick_done_seconds histogram\n"
                     "chunks_encoded_total counter\n"
                     "chunk_hits_total counter\n"
                     "chunk_joins_total counter\n"
                     "chunks_unreadable_total counter\n"
                     "chunks_evicted_total counter\n"
                     "chunks_pending gauge\n"
                     "chunk_bytes gauge\n"
                     "chunks_sent_total counter\n"
                     "entity_updates_total counter\n"
                     "edits_total counter\n"
                     "edits_saved_total counter\n"
                     "edits_refused_total counter\n"
                     "connections gauge\n"
                     "sent_bytes_total counter\n"
                     "sent_datagrams_total counter\n"
                     "received_bytes_total counter\n"
                     "received_datagrams_total counter\n"
                     "held_bytes gauge\n");
    EXPECT_EQ(text.find("resident_bytes 0\n"), std::string::npos);
}

TEST_F(FiguresTest, OfTicksAreThirtyASecond) {
    loop_->speed = 0;
    pass(std::chrono::seconds(2));
    const auto& counters = game_->counters();
    const auto before = counters.ticks;
    EXPECT_EQ(counters.skipped_ticks, 0U);
    pass(std::chrono::seconds(3));
    EXPECT_EQ(counters.ticks, before + 90) << "thirty a second";
    EXPECT_EQ(counters.lateness.count(), counters.ticks);
    EXPECT_EQ(counters.duration.count(), counters.ticks);
    EXPECT_EQ(counters.done.count(), counters.ticks);
}

TEST_F(FiguresTest, OfTheConsoleAreThoseOfTheGame) {
    fill();
    edit();
    GameConsole console(*game_, {.reload = [] { return ConsoleAnswer{true, {"read again"}}; },
                                 .stop =
                                     [](auto notice, const std::string& reason) {
                                         return ConsoleAnswer{
                                             true,
                                             {fmt::format("{} {}", notice ? notice->count() : -1, reason)}};
                                     },
                                 .wire = [] { return k_wire; }});
    using Lines = std::vector<std::string>;
    const auto& counters = game_->counters();
    const auto chunks = game_->worlds().front()->chunks().counters();
    const auto status = console.run("status").lines;
    ASSERT_EQ(status.size(), 8U);
    EXPECT_TRUE(
        status[0].ends_with(", 1 player of 2, 2 joined so far, 1 refused because the server was full"))
        << status[0];
    EXPECT_EQ(status[1], fmt::format("Ticks: {}, {} skipped", counters.ticks, counters.skipped_ticks));
    EXPECT_TRUE(status[0].starts_with("Up ")) << status[0];
    EXPECT_EQ(status[2], "  duration: " + half_and_most(counters.duration));
    EXPECT_EQ(status[3], "  lateness: " + half_and_most(counters.lateness));
    EXPECT_EQ(status[5], fmt::format("  kept: {:.1f} MiB", static_cast<double>(chunks.bytes) / 1048576));
    EXPECT_EQ(status[4],
              fmt::format("Chunks: {} encoded, {} reused, {} sent, 0 unreadable, {} pending", chunks.made,
                          chunks.hits + chunks.joined, counters.chunks_sent, chunks.pending));
    EXPECT_EQ(status[6], "Edits: 2, 0 of them saved");
    EXPECT_EQ(status[7], "Network: 7 connections, 3.0 MiB sent, 5.0 MiB received");
    const auto worlds = console.run("worlds").lines;
    ASSERT_EQ(worlds.size(), 2U);
    EXPECT_TRUE(worlds[0].starts_with("default: 1 player, ")) << worlds[0];
    EXPECT_EQ(worlds[1], "other: 0 players, 0.0 MiB of chunks kept");
    const auto players = console.run("players").lines;
    ASSERT_EQ(players.size(), 1U);
    auto* const player = game_->find_player("bot1");
    const auto at = player->movement().block();
    EXPECT_EQ(players[0],
              fmt::format("bot1 {} in default at {} {} {}, ping {:.1f} ms, {} chunks, {}",
                          player->stage() == Player::Stage::playing ? "plays" : "is loading", at.x, at.y,
                          at.z, std::chrono::duration<double, std::milli>(player->ping()).count(),
                          player->chunk_stream()->sent_chunks(), player->link().peer().address.text()));
    EXPECT_EQ(console.run("help").lines.size(), 12U);
    EXPECT_EQ(console.run("help").lines.back(), "help                       this");
    EXPECT_TRUE(console.run("").lines.empty());
    EXPECT_TRUE(console.run(" ").is_done);
    const auto unknown = console.run("dance");
    EXPECT_FALSE(unknown.is_done);
    EXPECT_EQ(unknown.lines, Lines{"unknown command dance; help lists all commands"});
    EXPECT_EQ(console.run("stop").lines, Lines{"-1 "});
    EXPECT_EQ(console.run("stop 5 new map").lines, Lines{"5 new map"});
    EXPECT_EQ(console.run("say hello").lines, Lines{"Sent to 1 player"});
    EXPECT_EQ(console.run("save").lines, Lines{"Saving 2 edits"});
    EXPECT_EQ(console.run("reload").lines, Lines{"read again"});
    for (const auto& [line, is_done, answer] : std::vector<std::tuple<std::string, bool, std::string>>{
             {"kick bot2", false, "No player named bot2 is online; players lists them"},
             {"move bot1 nowhere", false, "No world named nowhere; worlds lists them"},
             {"move bot1 default", false, "bot1 is already in default"},
             {"teleport bot1 1.5 -2.5 3", true, "Teleported bot1 to 1 -3 3"},
             {"move bot1 other", true, "Moved bot1 to other"},
             {"kick bot1", true, "Kicked bot1"}}) {
        const auto done = console.run(line);
        EXPECT_EQ(done.is_done, is_done) << line;
        EXPECT_EQ(done.lines, Lines{answer}) << line;
    }
    ASSERT_TRUE(wait([&] { return game_->players().empty(); }));
    EXPECT_EQ(console.run("players").lines, Lines{"No players online"});
    EXPECT_EQ(console.run("say hello").lines, Lines{"Sent to 0 players"});
    EXPECT_EQ(console.run("refer * elsewhere").lines, Lines{"Sent 0 players to elsewhere:5520"});
}

TEST_F(FiguresTest, OfReferralsNameWhoWasSentWhere) {
    fill();
    GameConsole console(*game_, {});
    using Lines = std::vector<std::string>;
    EXPECT_EQ(console.run("refer bot9 there:7").lines,
              Lines{"No player named bot9 is online; players lists them"});
    EXPECT_EQ(console.run("refer * there:7").lines, Lines{"Sent 1 player to there:7"});
    EXPECT_EQ(game_->find_player("bot1")->referral()->host, "there");
    EXPECT_EQ(console.run("refer bot1 elsewhere").lines, Lines{"Sent bot1 to elsewhere:5520"});
}

/// A changed constant shows here on purpose: look at what it changes for a client, then put in what is found.
TEST_F(FiguresTest, WhatEveryPlayerIsToldIsToTheByteWhatClientsWereTriedWith) {
    auto& guest = join(1);
    ASSERT_TRUE(wait([&] { return guest.slots == 3; }));
    EXPECT_EQ(hash_text(content_hash(guest.told)), "9ab36586084dda26");
}

TEST(HalfAndMost, AreTheBoundsThatSoManyStayBelow) {
    using namespace std::chrono_literals;
    Histogram times;
    EXPECT_EQ(half_and_most(times), "nothing yet");
    for (int i = 0; i < 95; ++i) times.add(i < 45 ? 900us : 2ms);
    for (int i = 0; i < 5; ++i) times.add(40ms);
    EXPECT_EQ(half_and_most(times), "half within 2 ms, 99 % within 66 ms");
    for (int i = 0; i < 200; ++i) times.add(2s);
    EXPECT_EQ(half_and_most(times), "half within over 1000 ms, 99 % within over 1000 ms");
}

TEST(LongTime, HasItsTwoLargestUnits) {
    for (const auto& [seconds, text] : std::vector<std::pair<int, std::string>>{{0, "0 s"},
                                                                                {59, "59 s"},
                                                                                {60, "1 min"},
                                                                                {3599, "59 min 59 s"},
                                                                                {3661, "1 h 1 min"},
                                                                                {86'400, "1 d"},
                                                                                {86'405, "1 d 5 s"},
                                                                                {183'661, "2 d 3 h"}})
        EXPECT_EQ(long_time(std::chrono::seconds(seconds)), text) << seconds;
}

} // namespace
} // namespace orbis::game
