#include "net/quic_packet.hpp"
#include "net/wire_test_support.hpp"
#include "packets/player.hpp"
#include "packets/world.hpp"

#include <gtest/gtest.h>

/// What anybody can send to a port, with or without a connection.
namespace orbis::net {
namespace {

using namespace test;

/// The first datagram of a client who never says more.
Buffer first_datagram(QuicEndpoint& endpoint, const Path& path, Time now) {
    Buffer first;
    static Raw unused;
    (void)endpoint.connect(*TlsContext::client(&identity()), QuicSettings::client(), "localhost", path,
                           std::make_unique<RawHandler>(unused), now);
    endpoint.flush(
        [&](const DatagramBatch& batch) {
            if (first.empty())
                first.assign(batch.bytes.begin(),
                             batch.bytes.begin() + static_cast<std::ptrdiff_t>(batch.segment));
        },
        now);
    return first;
}

Address stranger(std::uint16_t number) {
    return resolve({fmt::format("192.0.2.{}", number % 250 + 1), static_cast<std::uint16_t>(1000 + number)})
        ->front();
}

TEST(QuicEndpoint, NoiseBeginsNothing) {
    Wire wire;
    wire.start();
    std::mt19937_64 random(3);
    for (int count = 0; count < 5000; ++count) {
        Buffer noise(random() % 1500);
        for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
        wire.network.inject(stranger(static_cast<std::uint16_t>(count)), k_server_address, noise);
        wire.network.run_for(1ms);
    }
    EXPECT_EQ(wire.server.connections(), 0u);
    auto& visit = wire.new_visit();
    wire.join(visit);
    EXPECT_TRUE(wire.network.run_until([&] { return visit.reached(ClientSession::Phase::play); }));
}

TEST(QuicEndpoint, AnswersToStrangersAreSmallerThanTheirQuestions) {
    Wire wire;
    wire.start();
    std::map<std::string, std::ptrdiff_t> balance;
    wire.network.observer = [&](const Address& from, const Address& to, Bytes datagram) {
        const auto size = static_cast<std::ptrdiff_t>(datagram.size());
        if (from == k_server_address)
            balance[to.text()] -= size;
        else
            balance[from.text()] += size;
    };
    std::mt19937_64 random(4);
    for (std::uint16_t count = 0; count < 2000; ++count) {
        Buffer noise(1 + random() % 1500);
        for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
        wire.network.inject(stranger(count), k_server_address, noise);
        wire.network.run_for(1ms);
    }
    wire.network.run_for(20s);
    for (const auto& [address, bytes] : balance) EXPECT_GE(bytes, 0) << address;
    EXPECT_EQ(wire.server.connections(), 0u);
}

TEST(QuicEndpoint, OtherVersionsAreToldWhichOneIsSpoken) {
    Wire wire;
    wire.start();
    std::vector<Buffer> answers;
    wire.network.stranger = [&](const Address&, const Address&, Bytes datagram) {
        answers.emplace_back(datagram.begin(), datagram.end());
    };
    Buffer question(1200);
    question[0] = 0xc0;
    question[1] = 0x0a, question[2] = 0x1a, question[3] = 0x2a, question[4] = 0x3a; // a version to be ignored
    question[5] = 4;
    std::fill_n(question.begin() + 6, 4, std::uint8_t{0xaa});
    question[10] = 3;
    std::fill_n(question.begin() + 11, 3, std::uint8_t{0xbb});
    wire.network.inject(stranger(1), k_server_address, question);
    wire.network.run_for(1s);
    ASSERT_EQ(answers.size(), 1u);
    const auto& answer = answers.front();
    ASSERT_EQ(answer.size(), 1u + 4 + 1 + 3 + 1 + 4 + 4);
    EXPECT_EQ(Buffer(answer.begin() + 1, answer.end()),
              (Buffer{0, 0, 0, 0, 3, 0xbb, 0xbb, 0xbb, 4, 0xaa, 0xaa, 0xaa, 0xaa, 0, 0, 0, 1}));
    // Small questions get no answer: it could go to somebody who did not ask.
    question.resize(1199);
    wire.network.inject(stranger(1), k_server_address, question);
    wire.network.run_for(1s);
    EXPECT_EQ(answers.size(), 1u);
}

TEST(QuicEndpoint, AnAddressThatDoesNotAnswerGetsThreeTimesItsBytesAtMost) {
    Wire wire;
    wire.start();
    QuicEndpoint client;
    const auto victim = stranger(5);
    const auto first = first_datagram(client, {victim, k_server_address}, wire.network.now());
    ASSERT_GE(first.size(), 1200u);
    std::size_t received = 0;
    std::size_t sent = 0;
    wire.network.observer = [&](const Address& from, const Address&, Bytes datagram) {
        (from == k_server_address ? sent : received) += datagram.size();
    };
    wire.network.inject(victim, k_server_address, first);
    wire.network.run_for(30s);
    EXPECT_GT(sent, 0u);
    EXPECT_LE(sent, 3 * received);
    EXPECT_EQ(wire.server.connections(), 0u); // given up after ten seconds
}

TEST(QuicEndpoint, HalfOpenHandshakesDoNotKeepOthersOut) {
    constexpr std::size_t k_most = 128;
    EXPECT_LE(EndpointSettings{}.most_handshakes, 1024u) << "memory that strangers can take";
    Wire wire(1, {.most_handshakes = k_most});
    wire.start();
    auto& before = wire.new_player({.uuid = uuid_of(9)});
    QuicEndpoint client;
    for (std::uint16_t count = 0; count < 200; ++count) {
        const auto from = stranger(count);
        wire.network.inject(from, k_server_address,
                            first_datagram(client, {from, k_server_address}, wire.network.now()));
    }
    wire.network.run_for(100ms);
    EXPECT_EQ(wire.server.connections(), k_most + 1);
    auto& visit = wire.new_visit();
    wire.join(visit);
    const auto start = wire.network.now();
    EXPECT_TRUE(wire.network.run_until([&] { return visit.reached(ClientSession::Phase::play); }));
    EXPECT_LT(wire.network.now() - start, 500ms);
    EXPECT_TRUE(before.session);
    wire.network.run_for(12s);
    EXPECT_EQ(wire.server.connections(), 2u);
}

TEST(QuicEndpoint, ManyWhoComeAtOnceAreLetInOneAfterAnother) {
    Wire wire;
    wire.start();
    QuicEndpoint client;
    for (std::uint16_t count = 0; count < 50; ++count) {
        const Path path{k_server_address, stranger(count)};
        const auto first = first_datagram(client, {path.remote, path.local}, wire.network.now());
        wire.server.receive(path, 0, first, wire.network.now());
        wire.server.receive(path, 0, first, wire.network.now()); // who waits asks again
    }
    const auto per_turn = EndpointSettings{}.handshakes_per_turn;
    const auto ignore = [](const DatagramBatch&) {};
    std::size_t turns = 1;
    for (; wire.server.connections() < 50 && turns < 100; ++turns) {
        EXPECT_EQ(wire.server.connections(), turns * per_turn);
        wire.server.flush(ignore, wire.network.now());
    }
    EXPECT_EQ(turns, (50 + per_turn - 1) / per_turn);
    while (wire.server.flush(ignore, wire.network.now())) {
    }
    EXPECT_EQ(wire.server.connections(), 50u);
}

TEST(QuicEndpoint, ConnectionsThoseWhoWaitAndAnswersToNoiseHaveExactLimits) {
    const auto per_turn = EndpointSettings{}.handshakes_per_turn;
    for (const std::size_t most : {per_turn + 3, per_turn + 30}) {
        Wire wire(1, {.most_connections = most, .most_waiting = 10});
        wire.start();
        QuicEndpoint client;
        for (std::uint16_t count = 0; count < per_turn + 20; ++count) {
            const Path path{k_server_address, stranger(count)};
            wire.server.receive(path, 0,
                                first_datagram(client, {path.remote, path.local}, wire.network.now()),
                                wire.network.now());
        }
        const auto ignore = [](const DatagramBatch&) {};
        for (int turn = 0; turn < 50; ++turn) wire.server.flush(ignore, wire.network.now());
        EXPECT_EQ(wire.server.connections(), std::min(most, per_turn + 10));
    }
    Wire wire;
    wire.start();
    for (std::uint16_t count = 0; count < 100; ++count)
        wire.server.receive({k_server_address, stranger(count)}, 0, Buffer(60, 0x41), wire.network.now());
    int answers = 0;
    wire.server.flush([&](const DatagramBatch&) { ++answers; }, wire.network.now());
    EXPECT_EQ(answers, 64);
    wire.server.flush([&](const DatagramBatch&) { ++answers; }, wire.network.now());
    EXPECT_EQ(answers, 64) << "the others are lost, as noise is";
}

TEST(QuicEndpoint, WhoIsSpokenToOftenAcknowledgesWhileSpeaking) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    ASSERT_TRUE(wire.play_raw(raw));
    wire.network.run_for(500ms);
    auto* session = *wire.context.sessions.begin();
    std::map<bool, int> datagrams; // by whether they are the server's
    wire.network.observer = [&](const Address& from, const Address&, Bytes) {
        ++datagrams[from == k_server_address];
    };
    for (int tick = 0; tick < 100; ++tick) {
        wire.write(raw, packets::ClientMovement{});
        wire.network.run_for(15ms);
        (void)session->send(packets::UpdateTime{});
        wire.network.run_for(18ms);
    }
    // One for each tick, and a few for pings. With acknowledgements alone it would be twice as many.
    EXPECT_LT(datagrams[true], 130);
    EXPECT_LT(datagrams[false], 130);
    EXPECT_GE(datagrams[false], 100);
}

TEST(QuicEndpoint, AForgottenConnectionIsReset) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    ASSERT_TRUE(raw.connection);
    wire.network.run_for(100ms);
    EXPECT_GT(wire.server.known_ids(), 1U);
    // The server closes, and nobody hears of it.
    wire.network.conditions.loss = 1;
    wire.session().link().close(Close::application(CloseCode::none));
    wire.network.run_for(10s);
    ASSERT_EQ(wire.server.connections(), 0u);
    EXPECT_EQ(wire.server.known_ids(), 0U);
    wire.network.conditions.loss = 0;
    wire.write(raw, wire.connect_frame());
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 5s));
    EXPECT_EQ(raw.close->kind, Close::Kind::reset);
}

TEST(QuicEndpoint, AServerThatIsGoneEndsByTheClock) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    ASSERT_TRUE(raw.connection);
    wire.network.detach(k_server_address);
    wire.write(raw, wire.connect_frame());
    ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 120s));
    EXPECT_EQ(raw.close->kind, Close::Kind::idle);
}

TEST(QuicEndpoint, ResetsBelongToTheirConnections) {
    std::array<std::uint8_t, 32> secret{1, 2, 3};
    ConnectionId id;
    id.size = 20;
    const auto token = make_reset_token(secret, id);
    EXPECT_EQ(make_reset_token(secret, id), token);
    id.data[3] = 1;
    EXPECT_NE(make_reset_token(secret, id), token);
    EXPECT_TRUE(stateless_reset(21, token).empty());
    for (std::size_t size = 22; size < 100; ++size) {
        const auto reset = stateless_reset(size, token);
        ASSERT_LT(reset.size(), size);
        ASSERT_TRUE(std::equal(token.begin(), token.end(), reset.end() - 16));
    }
}

TEST(QuicEndpoint, CutAndChangedPacketsOfAConnectionDoNotHarmIt) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_player();
    std::vector<std::tuple<Address, Address, Buffer>> seen;
    wire.network.observer = [&](const Address& from, const Address& to, Bytes datagram) {
        if (seen.size() < 200) seen.emplace_back(from, to, Buffer(datagram.begin(), datagram.end()));
    };
    wire.network.run_for(60s);
    wire.network.observer = {};
    std::mt19937_64 random(5);
    for (auto [from, to, datagram] : seen) {
        for (int turn = 0; turn < 20; ++turn) {
            auto changed = datagram;
            changed.resize(random() % (changed.size() + 1));
            for (auto flips = random() % 4; flips > 0 && !changed.empty(); --flips)
                changed[random() % changed.size()] ^= static_cast<std::uint8_t>(random());
            wire.network.inject(from, to, changed);
        }
        wire.network.inject(from, to, datagram); // an old one again
    }
    wire.network.run_for(60s);
    EXPECT_TRUE(visit.session);
}

TEST(QuicEndpoint, CopiesFromAnotherPortHarmNobody) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_visit();
    auto& other = wire.new_visit();
    wire.join(visit);
    wire.join(other, {.uuid = uuid_of(2)});
    ASSERT_TRUE(wire.network.run_until([&] {
        return visit.reached(ClientSession::Phase::play) && other.reached(ClientSession::Phase::play);
    }));
    // Somebody on the way repeats what the first client says, as if it had moved.
    const auto first = Address::loopback_v4(40'000);
    const auto elsewhere = Address::loopback_v4(50'000);
    std::vector<Buffer> copies;
    wire.network.observer = [&](const Address& from, const Address&, Bytes datagram) {
        if (from == first) copies.emplace_back(datagram.begin(), datagram.end());
    };
    for (int turn = 0; turn < 200; ++turn) {
        wire.network.run_for(50ms);
        for (const auto& datagram : std::exchange(copies, {}))
            wire.network.inject(elsewhere, k_server_address, datagram);
    }
    EXPECT_TRUE(visit.session);
    EXPECT_TRUE(other.session);
}

TEST(QuicEndpoint, IdsNameTheirShard) {
    Wire wire;
    QuicEndpoint server({.shard = 42});
    wire.network.attach(k_server_address, server);
    server.listen(*TlsContext::server(identity()), QuicSettings::server(), [&](QuicConnection&) {
        static Raw unused;
        return std::make_unique<RawHandler>(unused);
    });
    std::map<int, int> shards;
    wire.network.observer = [&](const Address& from, const Address&, Bytes datagram) {
        if (from == k_server_address) return;
        const auto shard = server.shard_of(datagram);
        ++shards[shard ? *shard : -1];
    };
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    ASSERT_TRUE(raw.connection);
    raw.connection->write(0, as_bytes("hello"));
    wire.network.run_for(1s);
    EXPECT_EQ(shards.size(), 2u); // first packets say nothing, the others 42
    EXPECT_GT(shards[-1], 0);
    EXPECT_GT(shards[42], 0);
}

} // namespace
} // namespace orbis::net
