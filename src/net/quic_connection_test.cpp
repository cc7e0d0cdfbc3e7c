#include "net/identity_test_support.hpp"
#include "net/link.hpp"
#include "net/quic_packet.hpp"
#include "net/simulated_network.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;
using test::identity;

const Address k_pair_server = Address::loopback_v4(5520);
const Address k_pair_client = Address::loopback_v4(40'000);

/// What happened on one side of a connection.
struct Log {
    QuicConnection* connection = nullptr;
    std::map<StreamId, std::string> data;
    std::map<StreamId, bool> ended;
    std::map<StreamId, std::uint64_t> resets;
    std::map<StreamId, std::uint64_t> stops;
    int more_streams = 0;
    std::optional<Close> close;
    bool is_confirmed = false;
    bool consumes = true;
    std::string protocol;
    std::string server_name;
    Fingerprint certificate;
};

class Recorder final : public QuicHandler {
public:
    explicit Recorder(Log& log) : log_(log) {}
    void on_handshake(QuicConnection& connection) override {
        log_.connection = &connection;
        log_.protocol = connection.tls()->protocol();
        log_.server_name = connection.tls()->server_name();
        log_.certificate = fingerprint(connection.tls()->peer_certificate());
    }
    void on_confirmed(QuicConnection&) override { log_.is_confirmed = true; }
    void on_data(QuicConnection& connection, StreamId id, Bytes bytes, bool is_end) override {
        log_.data[id] += as_text(bytes);
        log_.ended[id] = is_end;
        if (log_.consumes) connection.consume(id, bytes.size());
    }
    void on_reset(QuicConnection&, StreamId id, std::uint64_t code) override { log_.resets[id] = code; }
    void on_stop_sending(QuicConnection&, StreamId id, std::uint64_t code) override { log_.stops[id] = code; }
    void on_more_streams(QuicConnection&) override { ++log_.more_streams; }
    void on_closed(QuicConnection&, const Close& close) override {
        log_.close = close;
        log_.connection = nullptr;
    }

private:
    Log& log_;
};

/// A server and a client on an imagined wire.
struct Pair {
    explicit Pair(std::uint64_t seed = 1) : network(seed) {}

    SimulatedNetwork network;
    Log at_server;
    Log at_client;
    QuicEndpoint server;
    QuicEndpoint client;
    QuicSettings server_settings = QuicSettings::server();
    QuicSettings client_settings = QuicSettings::client();
    QuicConnection* begun = nullptr;
    std::string name = "localhost";
    Address client_address = k_pair_client;

    void start(const Identity* shown = &identity(), std::vector<std::string> protocols = {"hytale/2"}) {
        network.attach(k_pair_server, server);
        network.attach(client_address, client);
        server.listen(*TlsContext::server(identity()), server_settings,
                      [this](QuicConnection&) { return std::make_unique<Recorder>(at_server); });
        begun = *client.connect(*TlsContext::client(shown, std::move(protocols)), client_settings, name,
                                {client_address, k_pair_server}, std::make_unique<Recorder>(at_client),
                                network.now());
    }
    bool establish() {
        return network.run_until([this] { return at_server.is_confirmed && at_client.is_confirmed; });
    }
};

TEST(QuicConnection, ShakesHandsWithCertificatesOnBothSides) {
    Pair pair;
    pair.start();
    ASSERT_TRUE(pair.establish());
    EXPECT_EQ(pair.at_server.protocol, "hytale/2");
    EXPECT_EQ(pair.at_server.certificate, identity().fingerprint());
    EXPECT_EQ(pair.at_client.certificate, identity().fingerprint());
    EXPECT_EQ(pair.at_server.server_name, "localhost");
    EXPECT_GE(pair.at_client.connection->round_trip(), 10ms);
}

TEST(QuicConnection, APingIsAnsweredAtOnce) {
    Pair pair;
    pair.client_settings.keep_alive = 100ms;
    pair.start();
    ASSERT_TRUE(pair.establish());
    pair.network.run_for(1s);
    std::vector<Time> asked;
    std::vector<Duration> waited;
    pair.network.observer = [&](const Address& from, const Address&, Bytes) {
        if (from == k_pair_client)
            asked.push_back(pair.network.now());
        else if (!asked.empty())
            waited.push_back(pair.network.now() - asked.back());
    };
    pair.network.run_for(2s);
    ASSERT_GE(waited.size(), 10u);
    // The way there takes 5 ms.
    EXPECT_LT(*std::ranges::max_element(waited), 20ms) << "the server has kept its answer back";
}

TEST(QuicConnection, TellsNamesOfServersButNoAddresses) {
    for (const auto* address : {"::1", "127.0.0.1", "fe80::1%lo"}) {
        Pair pair;
        pair.name = address;
        pair.start();
        ASSERT_TRUE(pair.establish()) << address;
        EXPECT_EQ(pair.at_server.server_name, "");
    }
}

TEST(QuicConnection, CarriesStreamsZeroThreeAndSeven) {
    Pair pair;
    pair.start();
    ASSERT_TRUE(pair.establish());
    EXPECT_EQ(pair.at_client.connection->open_bidi(), 0);
    EXPECT_EQ(pair.at_client.connection->open_bidi(), std::nullopt);
    EXPECT_EQ(pair.at_client.connection->open_uni(), std::nullopt);
    pair.at_client.connection->write(0, as_bytes("hello"));
    EXPECT_EQ(pair.at_server.connection->open_uni(), 3);
    EXPECT_EQ(pair.at_server.connection->open_uni(), 7);
    EXPECT_EQ(pair.at_server.connection->open_uni(), std::nullopt);
    pair.at_server.connection->write(7, as_bytes("map"));
    pair.at_server.connection->write(3, as_bytes("chunk"));
    ASSERT_TRUE(pair.network.run_until(
        [&] { return pair.at_client.data.size() == 2 && !pair.at_server.data.empty(); }));
    EXPECT_EQ(pair.at_server.data[0], "hello");
    EXPECT_EQ(pair.at_client.data[3], "chunk");
    EXPECT_EQ(pair.at_client.data[7], "map");
    pair.at_server.connection->write(0, as_bytes("welcome"));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.data[0] == "welcome"; }));
}

TEST(QuicConnection, ClosesWithACodeAndAReason) {
    Pair pair;
    pair.start();
    ASSERT_TRUE(pair.establish());
    pair.at_server.connection->close(Close::application(CloseCode::client_outdated, "2026.02.17"));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.close.has_value(); }));
    EXPECT_EQ(pair.at_client.close->kind, Close::Kind::application);
    EXPECT_EQ(pair.at_client.close->code, 5u);
    EXPECT_EQ(pair.at_client.close->reason, "2026.02.17");
    EXPECT_TRUE(pair.at_client.close->by_peer);
    EXPECT_FALSE(pair.at_server.close->by_peer);
    pair.network.run_for(5s);
    EXPECT_EQ(pair.server.connections(), 0u);
    EXPECT_EQ(pair.client.connections(), 0u);
}

TEST(QuicConnection, AClosedOneStaysForThreeProbesAndAnswersLatePacketsEverMoreRarely) {
    Pair pair;
    pair.client_settings.keep_alive = 100ms;
    pair.start();
    ASSERT_TRUE(pair.establish());
    Buffer late;
    pair.network.observer = [&](const Address& from, const Address&, Bytes datagram) {
        if (from == k_pair_client) late.assign(datagram.begin(), datagram.end());
    };
    pair.network.run_for(10s); // the round trip is known well by then
    const auto round_trip = pair.at_server.connection->round_trip();
    pair.network.detach(k_pair_client); // which would stop
    int answers = 0;
    pair.network.observer = [&](const Address& from, const Address&, Bytes) {
        if (from == k_pair_server) ++answers;
    };
    pair.at_server.connection->close(Close::application(CloseCode::timeout, "bye"));
    const auto start = pair.network.now();
    std::vector<int> told;
    for (int packet = 0; packet < 9; ++packet) {
        pair.network.run_for(8ms);
        told.push_back(answers);
        pair.network.inject(k_pair_client, k_pair_server, late);
    }
    EXPECT_EQ(told, (std::vector<int>{1, 2, 3, 3, 4, 4, 4, 4, 5})) << "the first, second, fourth and eighth";
    EXPECT_EQ(pair.server.connections(), 1u);
    while (pair.server.connections() > 0 && pair.network.now() < start + 10s) pair.network.run_for(1ms);
    const auto stayed = pair.network.now() - start;
    // A probe is sent after a round trip, what it varies by and how long the peer may wait to acknowledge.
    const auto probe = round_trip + 25ms;
    EXPECT_GE(stayed, 3 * probe);
    EXPECT_LE(stayed, 3 * (probe + 10ms)) << std::chrono::duration<double, std::milli>(stayed).count();
    pair.network.run_for(1s);
    EXPECT_LE(answers, 5) << "nobody is there any more";
}

/// The most that a server sends in one moment when it has much to say.
std::size_t most_at_once(Pair& pair) {
    pair.start();
    EXPECT_TRUE(pair.establish());
    std::map<Time, std::size_t> bytes;
    pair.network.observer = [&](const Address& from, const Address&, Bytes datagram) {
        if (from == k_pair_server) bytes[pair.network.now()] += datagram.size();
    };
    pair.at_server.connection->open_uni();
    pair.at_server.connection->write(3, Buffer(4'000'000, 1));
    EXPECT_TRUE(pair.network.run_until([&] { return pair.at_client.data[3].size() == 4'000'000; }));
    std::size_t most = 0;
    for (const auto& [time, count] : bytes) most = std::max(most, count);
    return most;
}

/// As much as goes to the kernel in one call.
constexpr std::size_t k_paced_at_once = 68'000;

TEST(QuicConnection, APacedSenderSpreadsWhatItSends) {
    Pair pair;
    pair.server_settings.congestion = QuicSettings::Congestion::bbr;
    EXPECT_LE(most_at_once(pair), k_paced_at_once);
}

TEST(QuicConnection, OnlyWhatLeavesTheMachineIsPaced) {
    Pair near;
    EXPECT_GT(most_at_once(near), k_paced_at_once);
    Pair far;
    far.client_address = resolve({"192.0.2.1", 40'000}).value().front();
    EXPECT_LE(most_at_once(far), k_paced_at_once);
}

TEST(QuicConnection, StreamsOfOnePriorityTakeTurnsAndManySmallPiecesAllArrive) {
    Pair pair;
    pair.start();
    ASSERT_TRUE(pair.establish());
    auto& server = *pair.at_server.connection;
    ASSERT_EQ(server.open_uni(), 3);
    ASSERT_EQ(server.open_uni(), 7);
    server.write(3, Buffer(3'000'000, 1));
    server.write(7, Buffer(3'000'000, 2));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.data[3].size() >= 1'000'000; }));
    EXPECT_GE(pair.at_client.data[7].size(), 500'000U) << "neither waits for the other";
    ASSERT_TRUE(pair.network.run_until(
        [&] { return pair.at_client.data[3].size() + pair.at_client.data[7].size() == 6'000'000; }));
    std::string sent;
    for (int i = 0; i < 40; ++i) {
        const auto piece = fmt::format("{} ", i);
        server.write(3, as_bytes(piece));
        sent += piece;
    }
    server.finish(3);
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.ended[3]; }));
    EXPECT_EQ(pair.at_client.data[3].substr(3'000'000), sent);
}

TEST(QuicConnection, RefusesClientsWithoutACertificate) {
    Pair pair;
    pair.start(nullptr);
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.close.has_value(); }));
    EXPECT_EQ(pair.at_client.close->kind, Close::Kind::transport);
    EXPECT_EQ(pair.at_client.close->code, k_certificate_required);
}

TEST(QuicConnection, RefusesOtherProtocols) {
    Pair pair;
    pair.start(&identity(), {"h3"});
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.close.has_value(); }));
    EXPECT_EQ(pair.at_client.close->code, k_no_application_protocol);
}

TEST(QuicConnection, MegabytesArriveWholeThroughABadWire) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Pair pair(seed);
        pair.network.conditions = {.loss = 0.05, .duplicate = 0.02, .reorder = 0.05, .corrupt = 0.01};
        pair.start();
        ASSERT_TRUE(pair.establish()) << seed;
        std::string sent;
        std::mt19937_64 random(seed);
        while (sent.size() < 2'000'000) sent += static_cast<char>(random());
        const auto stream = pair.at_server.connection->open_uni();
        ASSERT_EQ(stream, 3);
        for (std::size_t at = 0; at < sent.size();) {
            const auto size = std::min<std::size_t>(sent.size() - at, random() % 30'000);
            pair.at_server.connection->write(3, as_bytes(std::string_view(sent).substr(at, size)));
            at += size;
        }
        pair.at_server.connection->finish(3);
        ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.ended[3]; }, 120s)) << seed;
        EXPECT_TRUE(pair.at_client.data[3] == sent) << seed;
    }
}

TEST(QuicConnection, UrgentStreamsOvertakeBulk) {
    Pair pair;
    pair.start();
    ASSERT_TRUE(pair.establish());
    pair.at_client.connection->open_bidi();
    pair.at_client.connection->write(0, as_bytes("x"));
    ASSERT_TRUE(pair.network.run_until([&] { return !pair.at_server.data.empty(); }));
    pair.at_server.connection->open_uni();
    pair.at_server.connection->set_priority(0, 0);
    pair.at_server.connection->set_priority(3, 1);
    const Buffer bulk(20'000'000, 1);
    pair.at_server.connection->write(3, bulk);
    pair.network.run_for(50ms);
    const auto before = pair.at_client.data[3].size();
    ASSERT_LT(before, bulk.size());
    pair.at_server.connection->write(0, as_bytes("ping"));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.data[0] == "ping"; }, 50ms));
    EXPECT_LT(pair.at_client.data[3].size(), bulk.size());
}

TEST(QuicConnection, AReceiverThatDoesNotReadStopsTheSender) {
    Pair pair;
    pair.at_client.consumes = false;
    pair.start();
    ASSERT_TRUE(pair.establish());
    pair.at_server.connection->open_uni();
    pair.at_server.connection->write(3, Buffer(40'000'000, 1));
    pair.network.run_for(20s);
    EXPECT_EQ(pair.at_client.data[3].size(), pair.client_settings.max_stream_data_uni);
    EXPECT_EQ(pair.at_server.connection->unsent(3), 40'000'000 - pair.client_settings.max_stream_data_uni);
    // Other streams are not blocked by it.
    EXPECT_EQ(pair.at_server.connection->open_uni(), 7);
    pair.at_server.connection->write(7, as_bytes("map"));
    EXPECT_TRUE(pair.network.run_until([&] { return pair.at_client.data[7] == "map"; }));
}

TEST(QuicConnection, AResetArrivesWithItsCodeAndWhatWasNotSentIsLost) {
    Pair pair;
    pair.client_settings.max_stream_data_uni = 1000;
    pair.at_client.consumes = false;
    pair.start();
    ASSERT_TRUE(pair.establish());
    auto& server = *pair.at_server.connection;
    server.open_uni();
    server.write(3, Buffer(5000, 1));
    pair.network.run_for(1s);
    server.reset(3, 77);
    EXPECT_EQ(server.held(3), 0U);
    server.write(3, as_bytes("nobody hears this"));
    ASSERT_TRUE(pair.network.run_until([&] { return !pair.at_client.resets.empty(); }));
    EXPECT_EQ(pair.at_client.resets[3], 77U);
    EXPECT_EQ(pair.at_client.data[3].size(), 1000U);
    pair.network.run_for(1s);
    EXPECT_TRUE(pair.at_server.stops.empty()) << "that was our own doing";
    EXPECT_TRUE(server.is_open());
}

TEST(QuicConnection, APeerCanAskNotToBeSentMore) {
    Pair pair;
    pair.start();
    ASSERT_TRUE(pair.establish());
    pair.at_client.connection->open_bidi();
    pair.at_client.connection->write(0, as_bytes("hello"));
    auto& server = *pair.at_server.connection;
    server.open_uni();
    server.write(3, as_bytes("chunk"));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.data[3] == "chunk"; }));
    server.write(0, as_bytes("world"));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.data[0] == "world"; }));
    pair.at_client.connection->stop_sending(3, 5);
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_server.stops.contains(3); }));
    EXPECT_EQ(pair.at_server.stops[3], 5U);
    // Of the other kind of stream this is known with the next bytes.
    pair.at_client.connection->stop_sending(0, 6);
    pair.network.run_for(1s);
    EXPECT_FALSE(pair.at_server.stops.contains(0));
    server.write(0, as_bytes("more"));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_server.stops.contains(0); }));
    EXPECT_EQ(server.held(0), 0U);
    EXPECT_EQ(pair.at_client.data[0], "world");
    // The other direction goes on.
    pair.at_client.connection->write(0, as_bytes(" again"));
    EXPECT_TRUE(pair.network.run_until([&] { return pair.at_server.data[0] == "hello again"; }));
}

TEST(QuicConnection, AStreamCanBeAnnouncedBeforeItHasBytes) {
    Pair pair;
    pair.start();
    ASSERT_TRUE(pair.establish());
    auto& server = *pair.at_server.connection;
    server.open_uni();
    // Who knows a stream can refuse it.
    pair.network.run_for(1s);
    pair.at_client.connection->stop_sending(3, 8);
    pair.network.run_for(1s);
    EXPECT_TRUE(pair.at_server.stops.empty());
    server.announce(3);
    pair.network.run_for(1s);
    pair.at_client.connection->stop_sending(3, 8);
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_server.stops.contains(3); }));
    EXPECT_EQ(pair.at_server.stops[3], 8U);
    // It can still have bytes.
    EXPECT_EQ(server.open_uni(), 7);
    server.announce(7);
    pair.network.run_for(1s);
    server.write(7, as_bytes("map"));
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_client.data[7] == "map"; }));
}

TEST(QuicConnection, MoreStreamsCanBeAllowedLater) {
    Pair pair;
    pair.client_settings.max_streams_uni = 0;
    pair.start();
    ASSERT_TRUE(pair.establish());
    auto& server = *pair.at_server.connection;
    EXPECT_EQ(server.uni_streams_left(), 0U);
    EXPECT_EQ(server.open_uni(), std::nullopt);
    const auto before = pair.at_server.more_streams;
    pair.at_client.connection->allow_uni_streams(2);
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_server.more_streams > before; }));
    EXPECT_EQ(server.uni_streams_left(), 2U);
    EXPECT_EQ(server.open_uni(), 3);
}

TEST(QuicConnection, AServerOfAnyVersionTakesWhatTheClientPrefers) {
    const auto protocol_of = [](std::vector<std::string> offered) {
        Pair pair;
        pair.network.attach(k_pair_server, pair.server);
        pair.network.attach(k_pair_client, pair.client);
        pair.server.listen(*TlsContext::server_of_any_version(identity()), pair.server_settings,
                           [&](QuicConnection&) { return std::make_unique<Recorder>(pair.at_server); });
        (void)pair.client.connect(*TlsContext::client(&identity(), std::move(offered)), pair.client_settings,
                                  "somewhere.example", {k_pair_client, k_pair_server},
                                  std::make_unique<Recorder>(pair.at_client), pair.network.now());
        if (!pair.establish()) return pair.at_client.close.value_or(Close{}).text();
        EXPECT_EQ(pair.at_server.server_name, "somewhere.example");
        EXPECT_EQ(pair.at_client.protocol, pair.at_server.protocol);
        return pair.at_server.protocol;
    };
    for (const auto* name : {"hytale/1", "hytale/2", "hytale/3", "hytale/17", "hytale/999"})
        EXPECT_EQ(protocol_of({name}), name);
    EXPECT_EQ(protocol_of({"h3", "hytale/4", "hytale/2"}), "hytale/4");
    for (const auto* name : {"h3", "hytale/", "hytale/x", "hytale/1234", "hytale/2 "})
        EXPECT_EQ(protocol_of({name}),
                  "closed by the peer: TLS no application protocol (transport error 0x178)")
            << name;
}

TEST(QuicConnection, ClientsMayHaveIdsOfNoLength) {
    Pair pair;
    QuicEndpoint nameless({.id_length = 0});
    pair.network.attach(k_pair_server, pair.server);
    pair.network.attach(k_pair_client, nameless);
    pair.server.listen(*TlsContext::server(identity()), pair.server_settings,
                       [&](QuicConnection&) { return std::make_unique<Recorder>(pair.at_server); });
    ASSERT_TRUE(nameless.connect(*TlsContext::client(&identity()), pair.client_settings, "",
                                 {k_pair_client, k_pair_server}, std::make_unique<Recorder>(pair.at_client),
                                 pair.network.now()));
    ASSERT_TRUE(pair.establish());
    pair.at_client.connection->open_bidi();
    pair.at_client.connection->write(0, as_bytes("hello"));
    EXPECT_TRUE(pair.network.run_until([&] { return pair.at_server.data[0] == "hello"; }));
}

TEST(QuicConnection, EndsWhenNothingComesForTooLong) {
    Pair pair;
    pair.server_settings.keep_alive = 0s; // what is sent first after the last answer counts too
    pair.start();
    ASSERT_TRUE(pair.establish());
    pair.network.conditions.loss = 1;
    const auto start = pair.network.now();
    ASSERT_TRUE(pair.network.run_until([&] { return pair.at_server.close.has_value(); }, 100s));
    EXPECT_EQ(pair.at_server.close->kind, Close::Kind::idle);
    EXPECT_NEAR(std::chrono::duration<double>(pair.network.now() - start).count(), 60, 1);
}

TEST(QuicConnection, AHandshakeThatStopsEndsAfterTenSeconds) {
    Pair pair;
    pair.start();
    pair.network.run_until([&] { return pair.server.connections() == 1; });
    pair.network.conditions.loss = 1;
    pair.network.run_for(11s);
    EXPECT_EQ(pair.server.connections(), 0u);
    ASSERT_TRUE(pair.at_client.close);
    EXPECT_EQ(pair.at_client.close->kind, Close::Kind::handshake_timeout);
}

/// A link whose peer takes what the test says.
class HeldLink final : public Link {
public:
    HeldLink(const Clock& clock, const LinkLimits& limits, Decompressor& decompressor)
        : Link(Side::server, clock, limits, decompressor) {
        is_open_ = true;
    }
    bool open_play_channels() override { return true; }
    std::size_t unsent(Channel) const override { return 0; }
    std::size_t held(Channel channel) const override { return waiting[static_cast<std::size_t>(channel)]; }
    std::uint64_t sent(Channel) const override { return 0; }
    void pause(Channel) override {}
    void resume(Channel) override {}
    void set_largest_payload(std::uint32_t) override {}
    void close(Close close) override { closes.push_back(close.reason); }
    using Link::check_held;
    using Link::closed;

    std::array<std::size_t, k_channels> waiting{};
    std::vector<std::string> closes;

private:
    void send_bytes(Channel, Bytes) override {}
    void set_registry(protocol::Registry) override {}
    void send_frame(Channel, const protocol::SharedFrame&) override {}
};

TEST(Link, ClosesOnceWithTheFirstReasonWhenAllHasArrivedOrTheTimeIsOver) {
    SimulatedNetwork time;
    Decompressor decompressor;
    using Reasons = std::vector<std::string>;
    for (const bool arrives : {true, false}) {
        HeldLink link(time, {}, decompressor);
        link.waiting[0] = 1;
        link.close_when_delivered(Close::application(CloseCode::timeout, "first"), 3s);
        link.close_when_delivered(Close::application(CloseCode::timeout, "second"), 1s);
        EXPECT_TRUE(link.is_closing());
        time.run_for(3s - 1ns);
        link.tick();
        EXPECT_EQ(link.closes, Reasons{});
        if (arrives)
            link.waiting[0] = 0;
        else
            time.run_for(1ns);
        link.tick();
        EXPECT_EQ(link.closes, Reasons{"first"});
        link.closed(Close::application(CloseCode::timeout));
        EXPECT_FALSE(link.is_closing());
        EXPECT_FALSE(link.is_open());
    }
    HeldLink link(time, {}, decompressor);
    link.close_when_delivered(Close::application(CloseCode::timeout, "at once"), 3s);
    EXPECT_EQ(link.closes, Reasons{"at once"});
}

TEST(Link, OfEachChannelAsMuchAsItsLimitMayWait) {
    SimulatedNetwork time;
    Decompressor decompressor;
    LinkLimits limits;
    limits.most_held = {10, 20, 30};
    for (const auto& [channel, most] : {std::pair{Channel::normal, 10U}, std::pair{Channel::chunks, 20U}}) {
        HeldLink link(time, limits, decompressor);
        link.waiting[static_cast<std::size_t>(channel)] = most;
        link.check_held(channel);
        EXPECT_TRUE(link.closes.empty());
        link.waiting[static_cast<std::size_t>(channel)] = most + 1;
        link.check_held(channel);
        ASSERT_EQ(link.closes.size(), 1U);
        EXPECT_TRUE(link.closes[0].starts_with(
            fmt::format("the peer does not read: more than {} bytes are waiting on ", most)))
            << link.closes[0];
    }
}

} // namespace
} // namespace orbis::net
