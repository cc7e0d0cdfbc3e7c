#include "capture/made_records_test.hpp"
#include "game/bot/test_server_test.hpp"
#include "game/replay/client_side.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using capture::Side;
using capture::made::Records;

/// A player of a capture joins a server of the test, in a loop in which nobody waits for anything.
struct ClientReplays : testing::Test {
    ClientReplays() {
        world.add_flat({0, 0});
        server.emplace(*loop, world);
        rules.server = server->place();
        rules.capture = folder / "file.pcapng";
    }
    Result<ClientSideReport> play(const Records& records, std::size_t cut = 0) {
        const auto bytes = records.file();
        std::ofstream(rules.capture, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size() - cut));
        return replay_client_side(rules, is_stopped, loop);
    }

    orbis::test::TemporaryFolder folder;
    std::shared_ptr<net::SimulatedLoop> loop = test_server::make_loop();
    test_server::World world;
    std::optional<test_server::Server> server;
    ClientSideRules rules;
    std::function<bool()> is_stopped;
};

/// Two players, of whom the second joins first.
Records talk() {
    Records made;
    made.add(Side::server, "Connect", capture::made::k_connect_json, 1);
    made.add(Side::server, "Connect", capture::made::k_connect_json, 2);
    made.add(Side::server, "ClientReady", R"({"readyForChunks":true,"readyForGameplay":false})", 2);
    made.add(Side::server, "ClientReady", R"({"readyForChunks":true,"readyForGameplay":false})", 1);
    made.add(Side::server, "ChatMessage", R"({"message":"one"})", 2);
    made.add(Side::client, "SetClientId", R"({"clientId":1})", 2);
    made.add(Side::server, "ChatMessage", R"({"message":"of the other"})", 1);
    made.add(Side::server, "Pong", R"({"id":1,"time":null,"type":"Raw","packetQueueSize":0})", 2);
    made.add(Side::server, "ChatMessage", R"({"message":"two"})", 2).time += 4'000'000'000;
    made.add(Side::server, "Disconnect", R"({"reason":"bye","type":"Disconnect"})", 2).time += 4'000'000'000;
    return made;
}

TEST_F(ClientReplays, SayAgainWhatThePlayerSaidAtTheSameTimes) {
    const auto report = play(talk());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->is_fine()) << report->problem.value_or("");
    EXPECT_EQ(report->player, 2U);
    EXPECT_EQ(report->name, "Ada");
    EXPECT_EQ(report->sent, 2U);
    EXPECT_EQ(report->left_out, 4U) << "Connect, ClientReady, Pong, Disconnect are new";
    EXPECT_GT(report->received, 5U);
    EXPECT_NEAR(report->seconds, 4, 0.1);
    EXPECT_EQ(world.chat, (std::vector<std::string>{"Ada: one", "Ada: two"}));
}

TEST_F(ClientReplays, OrAtOnceUnderAnotherNameOfAnotherPlayer) {
    rules.is_at_once = true;
    rules.name = "Bea";
    rules.player = 1;
    const auto report = play(talk());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->is_fine());
    EXPECT_LT(report->seconds, 1);
    EXPECT_EQ(world.chat, (std::vector<std::string>{"Bea: of the other"}));
}

TEST_F(ClientReplays, TellWhereTheCaptureIsDamaged) {
    rules.is_at_once = true;
    const auto report = play(talk(), 10);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_FALSE(report->is_fine());
    ASSERT_TRUE(report->damage);
    EXPECT_EQ(report->sent, 2U) << "what comes before is said";
}

TEST_F(ClientReplays, TellThatTheyWereStopped) {
    is_stopped = [this] { return !world.chat.empty(); };
    const auto report = play(talk());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->problem, "it was interrupted");
    EXPECT_EQ(report->sent, 1U);
}

TEST_F(ClientReplays, TellWhereTheServerSendsThePlayer) {
    world.refer_to = net::HostPort{"127.0.0.1", 9};
    const auto report = play(talk());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->problem, "the server sends the player to 127.0.0.1:9; replay it there");
    EXPECT_EQ(report->sent, 0U);
}

TEST_F(ClientReplays, NeedSomebodyWhoJoinsAWorld) {
    const auto nobody = play(capture::made::visit());
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().problem, "nobody joins a world in this capture");
    EXPECT_FALSE(nobody.error().advice.empty());
    rules.player = 7;
    EXPECT_EQ(play(talk()).error().problem, "player 7 joins no world in this capture");
}

} // namespace
} // namespace orbis::game
