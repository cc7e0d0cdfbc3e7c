#include "bytes/reader.hpp"
#include "net/wire_test_support.hpp"
#include "protocol/generic_codec.hpp"
#include "proxy/proxy_test_support.hpp"

namespace orbis::proxy {
namespace {

using namespace test;

/// What a client of a build says first.
std::string connect_of(const protocol::BuildInfo& build) {
    const auto& schema = protocol::schema_of(build);
    const auto* layout = schema.packet("Connect");
    std::vector<protocol::Value> fields;
    for (const auto& field : layout->fields) {
        protocol::Value value;
        if (field.name == "protocolCrc")
            value = protocol::Value{std::int64_t{build.crc.value_or(0)}};
        else if (field.name == "protocolHash")
            value = protocol::Value{std::string(build.hash)};
        else if (field.name == "protocolBuildNumber")
            value = protocol::Value{std::int64_t{build.build_number}};
        else if (field.name == "clientVersion")
            value = protocol::Value{std::string(build.build)};
        else if (field.name == "clientType")
            value = protocol::Value{protocol::Value::Symbol{field.type.enumeration, 0}};
        else if (field.name == "uuid")
            value = protocol::Value{net::test::uuid_of(7)};
        else if (field.name == "username")
            value = protocol::Value{std::string("ann")};
        else if (field.name == "language")
            value = protocol::Value{std::string("en")};
        fields.push_back(std::move(value));
    }
    Buffer payload;
    EXPECT_TRUE(
        encode(*layout, protocol::Value{protocol::Value::Record{layout, std::move(fields)}}, payload));
    return frame_of(0, as_text(payload));
}

/// Whose build is that of what it says.
PlayerFacts player_of(const protocol::BuildInfo& build) {
    PlayerFacts player;
    player.protocol = "hytale/2";
    const auto connect = connect_of(build);
    learn(player, End::client, as_bytes(connect));
    return player;
}

TEST(GameWords, KnowTheBuildAndThePlayerFromTheFirstPacket) {
    for (const auto& build : protocol::builds()) {
        const auto player = player_of(build);
        ASSERT_EQ(player.build, &build) << build.build;
        const bool says_name = protocol::schema_of(build).packet("Connect")->find("username") != nullptr;
        EXPECT_EQ(player.name, says_name ? "ann" : "") << build.build;
        EXPECT_EQ(player.uuid.has_value(), says_name) << build.build;
    }
    PlayerFacts stranger;
    std::string payload(60, '\0');
    payload.replace(1, 4, "abcd");
    payload.replace(9, 7, "2031.01");
    learn(stranger, End::client, as_bytes(frame_of(0, payload)));
    EXPECT_EQ(stranger.build, nullptr);
    EXPECT_EQ(stranger.version, "2031.01");
}

TEST(GameWords, SayGoodbyeSoThatClientsOfEveryBuildUnderstand) {
    for (const auto& build : protocol::builds()) {
        const auto player = player_of(build);
        const auto frame = disconnect_frame(player, "The proxy is full.");
        ASSERT_TRUE(frame) << build.build;
        EXPECT_EQ(disconnect_text(player, End::server, *frame), "The proxy is full.") << build.build;
        const auto id = load_le<std::int32_t>(frame->data() + 4);
        const auto* packet = protocol::schema_of(build).registry().find(id);
        ASSERT_NE(packet, nullptr);
        EXPECT_TRUE(packet->name == "Disconnect" || packet->name == "ServerDisconnect") << packet->name;
        EXPECT_TRUE(is_telling(player, End::server, id));
        EXPECT_FALSE(is_telling(player, End::server, 131));
    }
}

/// The first words of a client of the usual build.
std::string usual_connect() { return connect_of(*protocol::find_build(protocol::k_default_build)); }

std::optional<std::string> goodbye_of(const Peer& client) {
    PlayerFacts player;
    player.protocol = "hytale/2";
    const auto heard = client.heard(0);
    if (heard.size() < protocol::k_frame_header) return {};
    return disconnect_text(player, End::server, as_bytes(heard));
}

TEST(Refusal, AClientIsToldInWordsThatNoServerAnswers) {
    Between between;
    between.start(false);
    auto& client = between.begin();
    ASSERT_TRUE(between.until([&] { return client.is_confirmed; }));
    client.connection->open_bidi();
    client.write(0, usual_connect());
    ASSERT_TRUE(between.until([&] { return client.close.has_value(); }));
    EXPECT_EQ(goodbye_of(client), "The server 127.0.0.1:7000 does not answer.");
    EXPECT_EQ(client.close->kind, net::Close::Kind::application);
    EXPECT_EQ(client.close->code, 0U);
    EXPECT_EQ(between.events.lines,
              std::vector<std::string>{"refused: The server 127.0.0.1:7000 does not answer."});
    EXPECT_EQ(between.shared->unreachable, 1U);
    EXPECT_TRUE(between.until([&] { return between.shard->relays() == 0; }));
    EXPECT_EQ(between.shared->players, 0U);
}

TEST(Refusal, TheNextAddressIsTriedWhereNothingListens) {
    ProxyRules rules;
    rules.targets = {net::Address::loopback_v4(7001), net::Address::loopback_v4(7000)};
    Between between(rules);
    between.start();
    auto& client = between.join(usual_connect());
    between.at_server.back().write(0, "welcome!");
    EXPECT_TRUE(between.until([&] { return client.heard(0) == "welcome!"; }));
    EXPECT_EQ(between.events.lines, std::vector<std::string>{"join ann"});
}

TEST(Refusal, ASilentServerIsGivenUp) {
    Between between;
    between.start();
    auto& client = between.begin();
    between.loop->hold(7000);
    ASSERT_TRUE(between.until([&] { return client.is_confirmed; }));
    client.connection->open_bidi();
    client.write(0, usual_connect());
    ASSERT_TRUE(between.until([&] { return client.close.has_value(); }));
    EXPECT_EQ(goodbye_of(client), "The server 127.0.0.1:7000 does not answer.");
}

TEST(Refusal, AServerThatFallsSilentIsToldOfBetweenFrames) {
    ProxyRules rules;
    rules.idle_timeout = 20s;
    Between between(rules);
    between.start();
    auto& client = between.join(usual_connect());
    between.loop->hold(7000);
    ASSERT_TRUE(between.until([&] { return client.close.has_value(); }));
    EXPECT_EQ(goodbye_of(client), "The server does not answer any more.");
    EXPECT_EQ(client.close->code, 4U);
    ASSERT_EQ(between.events.lines.size(), 2U);
    EXPECT_EQ(between.events.lines[1], "leave ann by server: nothing was received for too long");
}

TEST(Refusal, NothingIsSaidInTheMiddleOfAFrame) {
    ProxyRules rules;
    rules.idle_timeout = 20s;
    Between between(rules);
    between.start();
    auto& client = between.join(usual_connect());
    const auto half = frame_of(20, std::string(100, 'x')).substr(0, 50);
    between.at_server.back().write(0, half);
    ASSERT_TRUE(between.until([&] { return client.heard(0) == half; }));
    between.loop->hold(7000);
    ASSERT_TRUE(between.until([&] { return client.close.has_value(); }));
    EXPECT_EQ(client.heard(0), half);
    EXPECT_EQ(client.close->code, 4U);
    EXPECT_EQ(client.close->reason, "The server does not answer any more.");
}

TEST(Refusal, WhatAServerSaysInTheHandshakeIsPassedOn) {
    Between between;
    between.start();
    between.server.endpoint().listen(net::TlsContext::server(net::test::identity(), {"hytale/2"}).value(),
                                     between.server_settings, [&](net::QuicConnection&) {
                                         return std::make_unique<PeerHandler>(
                                             between.at_server.emplace_back());
                                     });
    auto& client = between.begin({"hytale/9"});
    ASSERT_TRUE(between.until([&] { return client.close.has_value(); }));
    EXPECT_EQ(client.close->kind, net::Close::Kind::transport);
    EXPECT_EQ(client.close->code, net::k_no_application_protocol);
}

TEST(Refusal, ThereAreAsManyPlayersAsAllowed) {
    ProxyRules rules;
    rules.most_players = 3;
    Between between(rules);
    between.start();
    for (int count = 0; count < 3; ++count) between.join(usual_connect());
    auto& one_more = between.begin();
    ASSERT_TRUE(between.until([&] { return one_more.is_confirmed; }));
    one_more.connection->open_bidi();
    one_more.write(0, usual_connect());
    ASSERT_TRUE(between.until([&] { return one_more.close.has_value(); }));
    EXPECT_EQ(goodbye_of(one_more), "The proxy is full.");
    EXPECT_EQ(between.at_server.size(), 3U);
    EXPECT_EQ(between.shared->refused, 1U);
    // There is room again when somebody leaves.
    between.clients[0].connection->close(net::Close::application(net::CloseCode::none));
    ASSERT_TRUE(between.until([&] { return between.shared->players == 2; }));
    between.join(usual_connect());
    EXPECT_EQ(between.at_server.size(), 4U);
}

TEST(Refusal, OneAddressHasAsManyPlayersAsAllowed) {
    ProxyRules rules;
    rules.most_per_address = 1;
    Between between(rules);
    between.start();
    between.join(usual_connect());
    auto& second = between.begin();
    ASSERT_TRUE(between.until([&] { return second.is_confirmed; }));
    second.connection->open_bidi();
    second.write(0, usual_connect());
    ASSERT_TRUE(between.until([&] { return second.close.has_value(); }));
    EXPECT_EQ(goodbye_of(second), "Too many players come from your address.");
}

TEST(Refusal, APlayerGetsAsManyBytesPerSecondAsAllowed) {
    ProxyRules rules;
    rules.player_rate = 100'000;
    rules.stream_buffer = 64 << 10;
    Between between(rules);
    between.start();
    auto& client = between.join(usual_connect());
    auto& server = between.at_server.back();
    server.connection->open_uni();
    const std::size_t much = 2'000'000;
    server.write(3, std::string(much, 'x'));
    const auto begin = between.loop->now();
    ASSERT_TRUE(between.until([&] { return client.heard(3).size() == much; }, 120s));
    const auto seconds = net::seconds_of(between.loop->now() - begin);
    // A second's worth and the window come at once.
    EXPECT_GT(seconds, (2'000'000.0 - 100'000 - (64 << 10)) / 100'000 - 0.5);
    EXPECT_LT(seconds, 20.5);
}

TEST(Refusal, AllAreToldWhenTheProxyStops) {
    Between between;
    between.start();
    for (int count = 0; count < 3; ++count) between.join(usual_connect());
    between.shard->send_all_away("The proxy stops.");
    ASSERT_TRUE(between.until([&] {
        return std::ranges::all_of(between.clients, [](const Peer& each) { return each.close.has_value(); });
    }));
    for (const auto& client : between.clients) EXPECT_EQ(goodbye_of(client), "The proxy stops.");
    ASSERT_TRUE(between.until([&] {
        return std::ranges::all_of(between.at_server,
                                   [](const Peer& each) { return each.close.has_value(); });
    }));
    EXPECT_TRUE(between.until([&] { return between.shard->relays() == 0; }));
    EXPECT_EQ(between.events.lines.size(), 6U);
    EXPECT_EQ(between.events.lines.back(), "leave ann by proxy: The proxy stops.");
}

} // namespace
} // namespace orbis::proxy
