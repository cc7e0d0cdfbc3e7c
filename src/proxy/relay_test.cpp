#include "proxy/proxy_test_support.hpp"

#include <random>

namespace orbis::proxy {
namespace {

using namespace test;
using net::Close;
using net::StreamId;

std::string random_text(std::mt19937_64& random, std::size_t size) {
    std::string text(size, '\0');
    for (auto& c : text) c = static_cast<char>(random());
    return text;
}

/// Writes a text in pieces, at different moments.
void write_in_pieces(Between& between, const Peer& peer, StreamId stream, const std::string& text,
                     std::mt19937_64& random) {
    for (std::size_t at = 0; at < text.size();) {
        const auto count = std::min<std::size_t>(1 + random() % 30'000, text.size() - at);
        peer.write(stream, std::string_view(text).substr(at, count));
        at += count;
        if (random() % 4 == 0) between.run_for(std::chrono::microseconds(random() % 3000));
    }
}

TEST(Relay, ForwardsEveryByteInBothDirectionsWhateverItIs) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::mt19937_64 random(seed);
        Between between;
        between.start();
        const auto first = random_text(random, 30); // nothing that could be a frame
        auto& client = between.join(first);
        auto& server = between.at_server.back();
        ASSERT_EQ(server.connection->open_uni(), 3);
        ASSERT_EQ(server.connection->open_uni(), 7);
        const auto up = random_text(random, 400'000);
        std::map<StreamId, std::string> down;
        for (const StreamId stream : {0, 3, 7})
            down[stream] = random_text(random, 300'000 + random() % 900'000);
        write_in_pieces(between, client, 0, up, random);
        for (const auto& [stream, text] : down) write_in_pieces(between, server, stream, text, random);
        ASSERT_TRUE(between.until([&] { return server.heard(0).size() == first.size() + up.size(); }));
        ASSERT_TRUE(between.until([&] {
            return std::ranges::all_of(down, [&](const auto& each) {
                return client.heard(each.first).size() == each.second.size();
            });
        }));
        EXPECT_EQ(server.heard(0), first + up);
        for (const auto& [stream, text] : down) EXPECT_TRUE(client.heard(stream) == text) << stream;
        EXPECT_EQ(between.shared->forwarded[0], first.size() + up.size());
    }
}

TEST(Relay, TheServerIsOfferedTheClientsProtocolAndName) {
    Between between;
    between.start();
    auto& one = between.begin({"hytale/17", "hytale/2"}, "play.example");
    ASSERT_TRUE(
        between.until([&] { return between.at_server.size() == 1 && between.at_server[0].is_confirmed; }));
    EXPECT_EQ(one.protocol, "hytale/17");
    EXPECT_EQ(between.at_server[0].protocol, "hytale/17");
    EXPECT_EQ(between.at_server[0].server_name, "play.example");
    between.begin({"hytale/1"}, "");
    ASSERT_TRUE(
        between.until([&] { return between.at_server.size() == 2 && between.at_server[1].is_confirmed; }));
    EXPECT_EQ(between.at_server[1].protocol, "hytale/1");
    EXPECT_EQ(between.at_server[1].server_name, "");
}

TEST(Relay, WhatTheClientDoesNotReadIsLeftWithTheServer) {
    constexpr std::size_t k_buffer = 256 << 10;
    constexpr std::size_t k_much = 8 << 20;
    ProxyRules rules;
    rules.stream_buffer = k_buffer;
    Between between(rules);
    between.client_settings.max_stream_data_uni = between.client_settings.largest_stream_window = 64 << 10;
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    client.consumes = false;
    for (int count = 0; count < 2; ++count) server.connection->open_uni();
    const std::string much(k_much, 'x');
    server.write(3, much);
    between.run_for(20s);
    EXPECT_EQ(client.heard(3).size(), 64U << 10) << "its own window";
    EXPECT_LE(between.shard->held(), k_buffer);
    EXPECT_GE(server.connection->unsent(3), k_much - k_buffer - (64 << 10));
    // Other streams are not blocked by it, in no direction.
    server.write(7, "map");
    server.write(0, "chat message");
    client.write(0, " again");
    EXPECT_TRUE(between.until([&] { return client.heard(7) == "map" && client.heard(0) == "chat message"; }));
    EXPECT_TRUE(between.until([&] { return server.heard(0) == "hello again"; }));
    client.read_on();
    EXPECT_TRUE(between.until([&] { return client.heard(3).size() == k_much; }));
    between.run_for(1s);
    EXPECT_EQ(between.shard->held(), 0U);
}

TEST(Relay, WhatTheServerDoesNotReadIsLeftWithTheClient) {
    constexpr std::size_t k_buffer = 128 << 10;
    constexpr std::size_t k_much = 4 << 20;
    ProxyRules rules;
    rules.stream_buffer = k_buffer;
    Between between(rules);
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    server.consumes = false;
    client.write(0, std::string(k_much, 'x'));
    between.run_for(20s);
    EXPECT_LE(between.shard->held(), k_buffer);
    EXPECT_GE(client.connection->unsent(0),
              k_much - k_buffer - between.server_settings.max_stream_data_bidi_remote);
    server.read_on();
    EXPECT_TRUE(between.until([&] { return server.heard(0).size() == 5 + k_much; }));
}

TEST(Relay, EndsArriveWithTheirCodesAndReasonsAfterWhatWasSaid) {
    for (const bool is_servers : {false, true})
        for (const auto& close : {Close{Close::Kind::application, 0, "", false},
                                  Close{Close::Kind::application, 4, "too slow", false},
                                  Close{Close::Kind::application, 5, "2026.02.17", false},
                                  Close{Close::Kind::application, 1'234'567, "ü", false},
                                  Close{Close::Kind::transport, 0x0A, "", false},
                                  Close{Close::Kind::transport, 0x02, "go away", false}}) {
            Between between;
            between.start();
            auto& client = between.join();
            auto& server = between.at_server.back();
            auto& from = is_servers ? server : client;
            auto& to = is_servers ? client : server;
            const std::string last(30'000, 'b');
            from.write(0, last);
            // A side closes when the transport has taken its last words.
            ASSERT_TRUE(between.until([&] { return from.connection->unsent(0) == 0; }));
            from.connection->close(close);
            ASSERT_TRUE(between.until([&] { return to.close.has_value(); }, 5s));
            EXPECT_EQ(to.close->kind, close.kind);
            EXPECT_EQ(to.close->code, close.code);
            EXPECT_EQ(to.close->reason, close.reason);
            EXPECT_TRUE(to.close->by_peer);
            EXPECT_EQ(to.heard(0), is_servers ? last : "hello" + last);
            EXPECT_TRUE(between.until([&] { return between.shard->relays() == 0; }));
        }
}

TEST(Relay, TheLastWordsComeBeforeTheEnd) {
    Between between;
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    server.write(0, "the reason");
    // The client is slow to acknowledge: its answers are held back until the server is gone.
    ASSERT_TRUE(between.until([&] { return server.connection->held(0) == 0; }));
    server.connection->close(Close::application(net::CloseCode::none));
    ASSERT_TRUE(between.until([&] { return client.close.has_value(); }, 5s));
    EXPECT_EQ(client.heard(0), "the reason");
}

TEST(Relay, EndsOfStreamsArrive) {
    Between between;
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    server.connection->open_uni();
    server.write(3, "all of it");
    server.connection->finish(3);
    client.connection->finish(0);
    ASSERT_TRUE(between.until([&] { return client.ended.contains(3) && server.ended.contains(0); }));
    EXPECT_EQ(client.heard(3), "all of it");
    EXPECT_EQ(server.heard(0), "hello");
    server.write(0, "good-bye");
    server.connection->finish(0);
    ASSERT_TRUE(between.until([&] { return client.ended.contains(0); }));
    EXPECT_EQ(client.heard(0), "good-bye");
    EXPECT_FALSE(client.close);
}

TEST(Relay, ResetsAndRefusalsArriveWithTheirCodes) {
    Between between;
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    for (int count = 0; count < 2; ++count) server.connection->open_uni();
    server.write(3, "chunk");
    server.write(7, "map");
    ASSERT_TRUE(between.until([&] { return client.heard(7) == "map"; }));
    server.connection->reset(3, 41);
    ASSERT_TRUE(between.until([&] { return client.resets.contains(3); }));
    EXPECT_EQ(client.resets[3], 41U);
    client.connection->stop_sending(7, 42);
    ASSERT_TRUE(between.until([&] { return server.stops.contains(7); }));
    EXPECT_EQ(server.stops[7], 42U);
    client.connection->reset(0, 43);
    ASSERT_TRUE(between.until([&] { return server.resets.contains(0); }));
    EXPECT_EQ(server.resets[0], 43U);
    server.write(0, "still here");
    EXPECT_TRUE(between.until([&] { return client.heard(0) == "still here"; }));
}

TEST(Relay, AServerThatDoesNotListenToStreamZeroIsHeard) {
    Between between;
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    server.connection->stop_sending(0, 9);
    between.run_for(1s);
    client.write(0, "more");
    between.run_for(1s);
    client.write(0, "and more");
    ASSERT_TRUE(between.until([&] { return client.stops.contains(0); }));
    EXPECT_TRUE(client.connection);
}

TEST(Relay, LaterStreamsWaitUntilTheClientKnowsTheEarlierOnes) {
    Between between;
    between.client_settings.max_streams_uni = 5;
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    for (int count = 0; count < 5; ++count) server.connection->open_uni();
    server.write(11, "voice");
    server.write(7, "map");
    ASSERT_TRUE(between.until([&] { return between.shared->forwarded[1] == 8; }));
    EXPECT_TRUE(client.order.empty() || client.order.front() == 3);
    server.write(3, "chunk");
    ASSERT_TRUE(between.until([&] { return client.heard(11) == "voice"; }));
    EXPECT_EQ(client.order, (std::vector<StreamId>{3, 7, 11}));
    EXPECT_EQ(client.heard(3) + client.heard(7), "chunkmap");
    // One that never comes is announced.
    server.write(19, "later");
    ASSERT_TRUE(between.until([&] { return client.heard(19) == "later"; }));
    EXPECT_EQ(client.order, (std::vector<StreamId>{3, 7, 11, 19}));
}

TEST(Relay, StreamsMayComeAndGoForever) {
    Between between;
    between.client_settings.max_streams_uni = 2;
    between.start();
    auto& client = between.join(frame_of(99, "hello"));
    auto& server = between.at_server.back();
    for (int count = 0; count < 300; ++count) {
        ASSERT_TRUE(between.until([&] { return server.connection->uni_streams_left() > 0; })) << count;
        const auto stream = server.connection->open_uni().value();
        ASSERT_EQ(stream, 4 * count + 3);
        server.write(stream, "short");
        server.connection->finish(stream);
        ASSERT_TRUE(between.until([&] { return client.ended.contains(stream); })) << count;
        client.connection->allow_uni_streams(1);
    }
    EXPECT_EQ(client.heard(4 * 299 + 3), "short");
    between.run_for(1s);
    EXPECT_EQ(between.shard->held(), 0U);
}

TEST(Relay, AServerMayOpenNoMoreStreamsThanTheClientAllows) {
    Between between;
    between.client_settings.max_streams_uni = 0;
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    EXPECT_EQ(server.connection->open_uni(), std::nullopt);
    client.connection->allow_uni_streams(1);
    ASSERT_TRUE(between.until([&] { return server.connection->uni_streams_left() == 1; }));
    EXPECT_EQ(server.connection->open_uni(), 3);
    server.write(3, "chunk");
    EXPECT_TRUE(between.until([&] { return client.heard(3) == "chunk"; }));
}

TEST(Relay, ASilentClientEndsTheConnectionToTheServer) {
    ProxyRules rules;
    rules.idle_timeout = 30s;
    Between between(rules);
    between.start();
    auto& client = between.join();
    auto& server = between.at_server.back();
    between.run_for(100s);
    EXPECT_TRUE(client.connection) << "both ends are there, though nobody says anything";
    between.loop->hold(between.client.addresses().back().port());
    ASSERT_TRUE(between.until([&] { return server.close.has_value(); }, 60s));
    EXPECT_EQ(server.close->kind, Close::Kind::application);
    EXPECT_EQ(server.close->reason, "the client does not answer");
}

} // namespace
} // namespace orbis::proxy
