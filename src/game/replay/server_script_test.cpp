#include "capture/made_records_test.hpp"
#include "game/replay/login_packets.hpp"
#include "game/replay/server_script.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace orbis::game {
namespace {

using capture::Side;
using capture::made::Records;

/// A capture in a file of its own.
struct CaptureFile {
    explicit CaptureFile(const Records& records, std::size_t cut = 0) {
        const auto bytes = records.file();
        std::ofstream out(path, std::ios::binary);
        out.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size() - cut));
    }
    [[nodiscard]] ConnectionWanted wanted(std::optional<std::uint64_t> player = {}) const {
        return {.capture = path, .player = player};
    }

    orbis::test::TemporaryFolder folder;
    std::filesystem::path path = folder / "file.pcapng";
};

/// All steps in short: `>` is said, `<` is waited for, `!` after it means that nothing goes on without it.
struct Told {
    std::vector<std::string> steps;
    std::uint64_t left_out = 0;
    bool is_damaged = false;
};

Told tell(const CaptureFile& file, std::optional<std::uint64_t> player = {}) {
    const auto connection = find_connection(file.wanted(player)).value();
    auto script = ServerScript::open(file.wanted(player), connection).value();
    Told out;
    while (const auto step = script.next()) {
        const auto name = script.packet_name(step->packet);
        if (step->kind == ServerStep::Kind::say)
            out.steps.push_back(fmt::format("> {} {}", name, step->stream));
        else
            out.steps.push_back(fmt::format("< {} {}{}", name, step->count, step->is_required ? "!" : ""));
    }
    EXPECT_FALSE(script.next()) << "the end stays the end";
    out.left_out = script.left_out();
    out.is_damaged = script.damage().has_value();
    return out;
}

TEST(ServerScript, IsWhatTheServerSaidAndWhatItHeardBefore) {
    const CaptureFile file(capture::made::join());
    const auto told = tell(file);
    const std::vector<std::string> expected = {
        "< Connect 1!",          "> ConnectAccept 0", "> WorldSettings 0",  "< RequestAssets 1!",
        "> WorldLoadFinished 0", "< ViewRadius 1",    "< PlayerOptions 1!", "> JoinWorld 0",
        "< ClientReady 1!",      "> SetClientId 0",   "> SetChunk 3",       "< ChatMessage 1",
        "> ServerMessage 0",     "> Disconnect 0"};
    EXPECT_EQ(told.steps, expected);
    EXPECT_EQ(told.left_out, 1U) << "the password was accepted";
    EXPECT_FALSE(told.is_damaged);
}

TEST(ServerScript, HasFramesAsTheyAreButAsksForNoPassword) {
    const auto records = capture::made::join();
    const CaptureFile file(records);
    const auto connection = find_connection(file.wanted()).value();
    EXPECT_EQ(connection.name, "Ada");
    EXPECT_EQ(connection.build_name, "2026.02.17");
    auto script = ServerScript::open(file.wanted(), connection).value();
    std::vector<Buffer> said;
    std::vector<Buffer> captured;
    while (const auto step = script.next())
        if (step->kind == ServerStep::Kind::say) said.emplace_back(step->frame.begin(), step->frame.end());
    for (const auto& record : records.all())
        if (record.to == Side::client && record.id() != login::k_password_accepted)
            captured.emplace_back(record.frame.begin(), record.frame.end());
    ASSERT_EQ(said.size(), captured.size());
    EXPECT_NE(said[0], captured[0]);
    EXPECT_EQ(said[0], capture::made::frame("ConnectAccept", "{}"));
    EXPECT_TRUE(std::equal(said.begin() + 1, said.end(), captured.begin() + 1));
}

TEST(ServerScript, KnowsTheLoginOfEachBuild) {
    for (const auto& build : protocol::builds()) {
        const auto registry = protocol::schema_of(build).registry();
        const auto is = [&](std::int32_t id, std::initializer_list<std::string_view> names) {
            const auto* packet = registry.find(id);
            EXPECT_TRUE(packet == nullptr || std::ranges::find(names, packet->name) != names.end())
                << build.build << ": " << id << " is " << packet->name;
        };
        EXPECT_EQ(registry.find("ConnectAccept")->id, login::k_accept);
        EXPECT_EQ(registry.find("JoinWorld")->id, login::k_join_world);
        EXPECT_EQ(registry.find("ClientReady")->id, login::k_ready);
        EXPECT_EQ(registry.find("RequestAssets")->id, login::k_request_assets);
        is(login::k_connect, {"Connect"});
        is(login::k_goodbye, {"Disconnect", "ClientDisconnect"});
        is(login::k_auth_grant, {"AuthGrant"});
        is(login::k_auth_token, {"AuthToken"});
        is(login::k_server_token, {"ServerAuthToken"});
        is(login::k_password, {"PasswordResponse"});
        is(login::k_password_accepted, {"PasswordAccepted"});
        is(login::k_password_rejected, {"PasswordRejected"});
        is(login::k_referral, {"ClientReferral"});
        is(login::k_options, {"PlayerOptions", "SetupFinalize"});
        is(login::k_player_answer, {"InsecurePlayerOptions"});
        const auto accept = capture::made::frame("ConnectAccept", "{}", build.build);
        EXPECT_TRUE(std::ranges::equal(accept, login::k_accept_frame)) << build.build;
    }
}

TEST(ServerScript, LeavesOutWhatCannotBeSaidAgain) {
    auto records = capture::made::join();
    records.add(Side::client, "ClientReferral",
                R"({"hostTo":{"host":"other.example","port":5520},"data":null})");
    for (const std::int64_t stream :
         {std::int64_t{1}, std::int64_t{4}, std::int64_t{259}, std::int64_t{1} << 61})
        records.add(Side::client, "SetClientId", R"({"clientId":1})").stream = stream;
    auto& cut = records.add(Side::client, "SetClientId", R"({"clientId":2})");
    cut.frame = cut.frame.first(9);
    auto& empty = records.add(Side::client, "SetClientId", R"({"clientId":3})");
    empty.frame = empty.frame.first(8);
    empty.left_out = capture::LeftOut::payload;
    auto& nowhere = records.add(Side::client, "SetClientId", R"({"clientId":4})");
    nowhere.to.reset();
    const auto before = capture::made::join();
    const auto told = tell(CaptureFile(records));
    EXPECT_EQ(told.steps, tell(CaptureFile(before)).steps);
    EXPECT_EQ(told.left_out, 8U);
}

TEST(ServerScript, TakesTheChannelWhereNoStreamIsKnown) {
    auto records = capture::made::join();
    records
        .add(Side::client, "SetChunk",
             R"({"x":1,"y":2,"z":3,"localLight":null,"globalLight":null,"data":""})")
        .stream = -1;
    EXPECT_EQ(tell(CaptureFile(records)).steps.back(), "> SetChunk 3");
}

TEST(ServerScript, IsOneConnectionOfMany) {
    Records records;
    records.add(Side::server, "ChatMessage", R"({"message":"I was here before"})", 1);
    records.add(Side::server, "Connect", capture::made::k_connect_json, 2);
    records.add(Side::client, "Disconnect", R"({"reason":"full","type":"Disconnect"})", 2);
    records.add(Side::server, "Connect", capture::made::k_connect_json, 3);
    records.add(Side::client, "ConnectAccept", "{}", 3);
    records.add(Side::client, "JoinWorld",
                R"({"clearWorld":true,"fadeInOut":false,"worldUuid":"00112233-4455-6677-8899-aabbccddeeff"})",
                3);
    records.add(Side::client, "SetClientId", R"({"clientId":3})", 1);
    records.add(Side::server, "Connect", capture::made::k_connect_json, 3);
    records.add(Side::client, "SetClientId", R"({"clientId":3})", 3);
    const CaptureFile file(records);
    EXPECT_EQ(find_connection(file.wanted())->player, 3U) << "the first who joins a world";
    EXPECT_EQ(tell(file).steps,
              (std::vector<std::string>{"< Connect 1!", "> ConnectAccept 0", "> JoinWorld 0"}))
        << "another connection of this number follows";
    EXPECT_EQ(tell(file, 2).steps, (std::vector<std::string>{"< Connect 1!", "> Disconnect 0"}));
    EXPECT_EQ(find_connection(file.wanted(1)).error().problem,
              "the connection of player 1 began before this capture");
    EXPECT_EQ(find_connection(file.wanted(9)).error().problem, "there is no player 9 in this capture");
}

TEST(ServerScript, PlaysBuildsThatNobodyKnows) {
    const auto join = capture::made::join();
    Records records;
    for (const auto& record : join.all()) {
        auto& copy = records.add(*record.to, "SetClientId", R"({"clientId":0})");
        copy = record;
        copy.build = nullptr;
        copy.build_name = "12345";
    }
    const CaptureFile file(records);
    const auto connection = find_connection(file.wanted()).value();
    EXPECT_EQ(connection.build, nullptr);
    EXPECT_EQ(connection.build_name, "12345");
    const auto told = tell(file);
    EXPECT_EQ(told.steps.size(), tell(CaptureFile(join)).steps.size());
    EXPECT_EQ(told.steps[10], "> packet 131 3");
}

TEST(ServerScript, OfACutCaptureIsWhatComesBeforeTheDamage) {
    const auto records = capture::made::join();
    const auto told = tell(CaptureFile(records, 10));
    EXPECT_TRUE(told.is_damaged);
    EXPECT_EQ(told.steps.back(), "> ServerMessage 0");
}

} // namespace
} // namespace orbis::game
