#include "bytes/content_hash.hpp"
#include "bytes/writer.hpp"
#include "game/player/player.hpp"
#include "game/serve/console.hpp"
#include "game/serve/game_metrics.hpp"
#include "game/serve/game_server_test.hpp"
#include "game/serve/histogram.hpp"
#include "game/serve/served_world.hpp"

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

    static constexpr WireFigures k_wire{7, 3 << 20, 1100, 5 << 20, 1300};
    std::deque<Guest> guests_;
    net::test::Clients clients_{loop_};
};

TEST_F(FiguresTest, OfTheMetricsAreEachInItsOwnLine) {
    fill();
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
             R"(orbis_edits_total{world="default"} 0)",
             R"(orbis_edits_saved_total{world="default"} 0)",
             R"(orbis_edits_refused_total{world="default"} 0)",
         })
        EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << text;
}

TEST_F(FiguresTest, OfTheConsoleAreThoseOfTheGame) {
    fill();
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
    EXPECT_EQ(status[4],
              fmt::format("Chunks: {} encoded, {} reused, {} sent, 0 unreadable, {} pending", chunks.made,
                          chunks.hits + chunks.joined, counters.chunks_sent, chunks.pending));
    EXPECT_EQ(status[6], "Edits: 0, 0 of them saved");
    EXPECT_EQ(status[7], "Network: 7 connections, 3.0 MiB sent, 5.0 MiB received");
    const auto worlds = console.run("worlds").lines;
    ASSERT_EQ(worlds.size(), 2U);
    EXPECT_TRUE(worlds[0].starts_with("default: 1 player, ")) << worlds[0];
    EXPECT_EQ(worlds[1], "other: 0 players, 0.0 MiB of chunks kept");
    EXPECT_EQ(console.run("say hello").lines, Lines{"Sent to 1 player"});
    EXPECT_EQ(console.run("save").lines, Lines{"Saving 0 edits"});
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
}

/// A changed constant shows here on purpose: look at what it changes for a client, then put in what is found.
TEST_F(FiguresTest, WhatEveryPlayerIsToldIsToTheByteWhatClientsWereTriedWith) {
    auto& guest = join(1);
    ASSERT_TRUE(wait([&] { return guest.slots == 3; }));
    EXPECT_EQ(hash_text(content_hash(guest.told)), "0bf71ba0bcf0d0cf");
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
