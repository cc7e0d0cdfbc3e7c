#include "app/captured_test.hpp"
#include "app/serve_events.hpp"
#include "game/edits/chunk_saver.hpp"
#include "game/edits/edit_queue.hpp"
#include "game/serve/served_world.hpp"
#include "net/simulated_loop.hpp"
#include "protocol/uuid.hpp"
#include "support/shared.hpp"
#include "world/made_world_test.hpp"

namespace orbis::app {
namespace {

using namespace std::chrono_literals;

/// What a server prints, as text and as JSON.
class ServeEventsTest : public testing::Test {
protected:
    struct Both {
        std::string text;
        std::string json;
    };
    static Both print(const std::function<void(ServeEvents&)>& tell, bool begins = true,
                      bool tells_edits = true) {
        const auto run = [&](bool json) {
            return test::captured([&] {
                       Console console;
                       console.set_json(json);
                       ServeEvents events(console, tells_edits);
                       if (begins) events.begin({});
                       tell(events);
                   })
                .out;
        };
        return {run(false), run(true)};
    }

    /// A world that is served; its name is "default".
    const game::ServedWorld& world() {
        if (!game_) {
            {
                world::made::MadeWorld(folder_ / "universe/worlds/default").put({0, 0}, 1);
            }
            game_ = std::make_unique<game::ServedGame>(*loop_, game::GameRules{}, no_events_);
            EXPECT_TRUE(game_->open(world::find_location(folder_ / "universe").value().worlds));
        }
        return *game_->worlds().front();
    }

private:
    orbis::test::TemporaryFolder folder_;
    game::GameEvents no_events_;
    std::shared_ptr<net::SimulatedLoop> loop_ = net::SimulatedLoop::make().value();
    std::unique_ptr<game::ServedGame> game_;
};

TEST_F(ServeEventsTest, ReadySaysAllThatAServerIs) {
    ServeEvents::Ready ready;
    ready.addresses = {"1.2.3.4:5520", "[::1]:5520"};
    ready.certificate = "FINGERPRINT";
    ready.worlds = {"default", "other"};
    ready.facts.name = "Mine";
    ready.facts.max_players = 7;
    ready.facts.view_radius = 9;
    const auto plain = print([&](ServeEvents& events) { events.on_ready(ready); });
    EXPECT_EQ(plain.text,
              "Serving default, other on 1.2.3.4:5520, [::1]:5520 (read-only)\nCertificate FINGERPRINT\n"
              "Mine: at most 7 players, view radius 9 chunks\n"
              "Ready. Type help to list the commands; Ctrl+C stops the server\n");
    EXPECT_EQ(plain.json,
              R"({"event":"ready","addresses":["1.2.3.4:5520","[::1]:5520"],"certificate":"FINGERPRINT",)"
              R"("worlds":["default","other"],"password":false,"read_only":true,"name":"Mine",)"
              R"("max_players":7,"view_radius":9,"metrics":null})"
              "\n");
    ready.has_password = true;
    ready.can_edit = true;
    ready.metrics = "http://localhost:1";
    const auto more = print([&](ServeEvents& events) { events.on_ready(ready); });
    EXPECT_NE(more.text.find("(can be edited, with a password)\n"), std::string::npos) << more.text;
    EXPECT_NE(more.text.find("\nMetrics: http://localhost:1\nReady."), std::string::npos) << more.text;
    EXPECT_NE(more.json.find(R"("password":true,"read_only":false)"), std::string::npos) << more.json;
    EXPECT_TRUE(more.json.ends_with("\"metrics\":\"http://localhost:1\"}\n")) << more.json;
}

TEST_F(ServeEventsTest, WhatComesBeforeTheBeginningIsPrintedAfterIt) {
    const auto tell = [](ServeEvents& events) {
        events.on_answer("early", {true, {"early line"}});
        events.begin({"first line"});
        events.on_answer("late", {false, {"late 1", "late 2"}});
        events.begin({"again"});
    };
    EXPECT_EQ(print(tell, false).text, "first line\nearly line\nlate 1\nlate 2\nagain\n");
    EXPECT_EQ(print(tell, false).json,
              "first line\n"
              R"({"event":"answer","command":"early","done":true,"lines":["early line"]})"
              "\n"
              R"({"event":"answer","command":"late","done":false,"lines":["late 1","late 2"]})"
              "\nagain\n");
    EXPECT_EQ(print(
                  [](ServeEvents& events) {
                      events.on_answer("early", {true, {"early line"}});
                      events.forget();
                      events.begin({"first line"});
                  },
                  false)
                  .text,
              "first line\n");
}

TEST_F(ServeEventsTest, StoppingSaysHowLongAndWhomItTold) {
    const auto none = print([](ServeEvents& events) { events.on_stopping({"signal INT", "", 0, 3s}); });
    EXPECT_EQ(none.text, "Stopping (signal INT); no players are online\n");
    EXPECT_EQ(none.json, R"({"event":"stopping","why":"signal INT","reason":"","players":0,"notice":3})"
                         "\n");
    EXPECT_EQ(print([](ServeEvents& events) { events.on_stopping({"asked", "", 1, 90s}); }).text,
              "Stopping in 1 min 30 s (asked); told 1 player\n");
    EXPECT_EQ(print([](ServeEvents& events) { events.on_stopping({"asked", "new day", 2, 5s}); }).text,
              "Stopping in 5 s (asked); told 2 players: new day\n");
}

TEST_F(ServeEventsTest, StoppedCountsAndNamesWhatIsLost) {
    const auto fine = print([](ServeEvents& events) { events.on_stopped({61s, 1, 2'000, 0}); });
    EXPECT_EQ(fine.text, "Stopped after 1 min 1 s: 1 player joined, 2,000 chunks sent\n");
    EXPECT_EQ(fine.json, R"({"event":"stopped","seconds":61,"joined":1,"chunks_sent":2000,"unsaved":0})"
                         "\n");
    EXPECT_TRUE(print([](ServeEvents& events) {
                    events.on_stopped({1s, 0, 0, 1});
                }).text.ends_with("; 1 edit could not be saved and is lost\n"));
    EXPECT_TRUE(print([](ServeEvents& events) {
                    events.on_stopped({1s, 0, 0, 2});
                }).text.ends_with("; 2 edits could not be saved and are lost\n"));
}

TEST_F(ServeEventsTest, SavingIsToldOnceForEachNewEdit) {
    game::SaveReport report;
    report.saved_up_to = 1;
    const auto saved = print([&](ServeEvents& events) {
        events.on_saved(world(), report);
        events.on_saved(world(), report);
        auto next = report;
        next.saved_up_to = 1'500;
        events.on_saved(world(), next);
    });
    EXPECT_EQ(saved.text, "default: 1 edit saved\ndefault: 1,500 edits saved\n");
    EXPECT_EQ(saved.json, R"({"event":"saved","world":"default","edits":1})"
                          "\n"
                          R"({"event":"saved","world":"default","edits":1500})"
                          "\n");
}

TEST_F(ServeEventsTest, WhatIsLostIsNamedEachTimeAndWhatCannotBeSavedOnce) {
    game::SaveReport report;
    report.lost = {{{-3, 4}, 5, error(Errc::not_found, "gone")}};
    report.problems = {error(Errc::no_space, "full").in_file("file"), error(Errc::io, "second")};
    const auto told = print([&](ServeEvents& events) {
        events.on_saved(world(), report);
        report.lost.clear();
        events.on_saved(world(), report); // the same problem
        events.on_saved(world(), {});     // none
        events.on_saved(world(), report); // and again
        report.lost = {{{-3, 4}, 5, error(Errc::not_found, "gone")}};
    });
    const std::string unsaved = "default: edits cannot be saved now and are kept in memory: file: full\n";
    EXPECT_EQ(told.text, "default, chunk -3,4: 5 changed blocks are lost: gone\n" + unsaved + unsaved);
    const std::string json =
        R"({"event":"unsaved","world":"default","error":{"code":"no_space","message":"full","file":"file"}})"
        "\n";
    EXPECT_EQ(told.json, R"({"event":"lost","world":"default","chunk":[-3,4],"blocks":5,)"
                         R"("error":{"code":"not_found","message":"gone"}})"
                         "\n" + json
                             + json);
}

TEST_F(ServeEventsTest, AnEditIsToldWhereThatIsWanted) {
    game::EditOutcome outcome;
    outcome.number = 12;
    outcome.cells = {{{1, 2, -3}, {"Chair", {}, {}}, 12}};
    const protocol::Uuid player{};
    const auto one = [&](ServeEvents& events) { events.on_edit(world(), player, outcome); };
    EXPECT_EQ(print(one, true, false).text, "");
    const auto id = protocol::uuid_text(player);
    EXPECT_EQ(print(one).text, "default: edit 12 by " + id + ": Chair at 1 2 -3\n");
    outcome.cells.push_back({{1, 3, -3}, {"Back", {}, {}}, 12});
    outcome.cells.push_back({{1, 4, -3}, {"Top", {}, {}}, 12});
    EXPECT_EQ(print(one).text, "default: edit 12 by " + id + ": Chair at 1 2 -3 and 2 more cells\n");
    EXPECT_EQ(print(one).json, R"({"event":"edit","world":"default","number":12,"player":")" + id
                                   + R"(","blocks":[[1,2,-3,"Chair"],[1,3,-3,"Back"],[1,4,-3,"Top"]]})"
                                     "\n");
}

TEST_F(ServeEventsTest, PasswordTroubleIsToldWhileItIsNews) {
    net::Player player;
    player.name = "Ann";
    net::PeerFacts peer;
    peer.address = net::Address::loopback_v4(1234);
    const auto tell = [&](const net::PasswordTrouble& trouble) {
        return print([&](ServeEvents& events) { events.on_password_trouble(player, peer, trouble); });
    };
    EXPECT_EQ(tell({1, 0s, false, true}).text, "Ann from 127.0.0.1:1234 gave a wrong password (1 so far)\n");
    EXPECT_EQ(tell({4, 1001ms, false, true}).text,
              "Ann from 127.0.0.1:1234 gave a wrong password (4 so far); the next one is accepted in 2 s\n");
    EXPECT_EQ(tell({4, 2s, true, true}).text,
              "Ann from 127.0.0.1:1234 tried another password too early, after 4 wrong "
              "ones; the next one is accepted in 2 s\n");
    EXPECT_EQ(tell({4, 2s, true, false}).text, "");
    EXPECT_EQ(tell({4, 1001ms, true, true}).json,
              R"({"event":"password","player":"Ann","uuid":"00000000-0000-0000-0000-000000000000",)"
              R"("address":"127.0.0.1:1234","failures":4,"wait":2,"refused":true})"
              "\n");
}

TEST_F(ServeEventsTest, WorldsThatCannotBeShownAreNamed) {
    world::World broken;
    broken.name = "broken";
    const auto unopened =
        print([&](ServeEvents& events) { events.on_unopened(broken, error(Errc::io, "why")); });
    EXPECT_EQ(unopened.text, "broken cannot be opened and is not served: why\n");
    EXPECT_EQ(unopened.json, R"({"event":"unopened","world":"broken","error":{"code":"io","message":"why"}})"
                             "\n");
    const auto none = print([&](ServeEvents& events) { events.on_empty(world(), {}); });
    EXPECT_EQ(none.text, "default has no chunks; players see nothing there\n");
    EXPECT_EQ(none.json, R"({"event":"empty","world":"default","problems":[]})"
                         "\n");
    const std::vector problems{error(Errc::io, "first"), error(Errc::bad_magic, "second")};
    const auto unreadable = print([&](ServeEvents& events) { events.on_empty(world(), problems); });
    EXPECT_EQ(unreadable.text,
              "default has no readable chunks; players see nothing there. 2 files cannot be read; the "
              "first one: first\n");
    EXPECT_EQ(unreadable.json,
              R"({"event":"empty","world":"default","problems":[{"code":"io","message":"first"},)"
              R"({"code":"bad_magic","message":"second"}]})"
              "\n");
}

TEST_F(ServeEventsTest, TheSameUnreadableFileIsToldToPeopleOnce) {
    const auto told = print([&](ServeEvents& events) {
        for (const int x : {1, 2}) events.on_unreadable(world(), {x, 5}, error(Errc::bad_magic, "bad file"));
        events.on_unreadable(world(), {3, 5}, error(Errc::bad_magic, "other file"));
        events.on_unreadable(world(), {4, 5}, error(Errc::bad_magic, "bad file"));
    });
    EXPECT_EQ(told.text,
              "default, chunk 1,5 cannot be sent: bad file\ndefault, chunk 3,5 cannot be sent: other file\n"
              "default, chunk 4,5 cannot be sent: bad file\n");
    EXPECT_EQ(std::ranges::count(told.json, '\n'), 4) << told.json;
    EXPECT_TRUE(told.json.starts_with(R"({"event":"unreadable","world":"default","chunk":[1,5],)"
                                      R"("error":{"code":"bad_magic","message":"bad file"}})"))
        << told.json;
}

} // namespace
} // namespace orbis::app
