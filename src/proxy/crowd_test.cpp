#include "net/client.hpp"
#include "net/game_build.hpp"
#include "net/server_shard.hpp"
#include "net/wire_test_support.hpp"
#include "proxy/proxy_test_support.hpp"

#include <random>

/// Many at once, hostile ones among them, and whole sessions of the game.
namespace orbis::proxy {
namespace {

using namespace test;
using Phase = net::ClientSession::Phase;

/// Frames as an observer sees them.
class Notes final : public FrameObserver {
public:
    void on_sighting(const Sighting& sighting) override {
        auto& notes = seen[{sighting.from, sighting.stream}];
        notes.emplace_back(sighting.kind, std::string(as_text(sighting.bytes)));
        players.insert(sighting.player.number);
    }
    void on_round_trips(const RoundTrips& round) override { trips.emplace_back(round.client, round.server); }
    [[nodiscard]] std::string all(End from, net::StreamId stream) {
        std::string text;
        for (const auto& [kind, bytes] : seen[{from, stream}]) text += bytes;
        return text;
    }
    std::map<std::pair<End, net::StreamId>, std::vector<std::pair<Sighting::Kind, std::string>>> seen;
    std::set<std::uint64_t> players;
    std::vector<std::pair<net::Duration, net::Duration>> trips;
};

TEST(Observer, IsToldOfRoundTripsOnceASecond) {
    Notes notes;
    Between between({}, &notes);
    between.start();
    between.join(frame_of(99, "who I am"));
    const auto before = notes.trips.size();
    between.run_for(10s);
    const auto told = notes.trips.size() - before;
    EXPECT_GE(told, 9U);
    EXPECT_LE(told, 11U);
    EXPECT_GT(notes.trips.back().first, net::Duration::zero());
    EXPECT_GT(notes.trips.back().second, net::Duration::zero());
}

TEST(Observer, SeesFramesOfEveryStreamWhileBytesTravelOn) {
    Notes notes;
    Between between({}, &notes);
    between.start();
    const auto first = frame_of(99, "who I am");
    auto& client = between.join(first);
    auto& server = between.at_server.back();
    server.connection->open_uni();
    const auto chunk = frame_of(131, std::string(40'000, 'c'));
    server.write(3, chunk.substr(0, 30'000));
    ASSERT_TRUE(between.until([&] { return client.heard(3).size() == 30'000; })) << "half a frame travels on";
    EXPECT_TRUE(notes.all(End::server, 3).empty());
    server.write(3, chunk.substr(30'000));
    server.write(3, "\xff\xff\xff\xff what is this");
    ASSERT_TRUE(between.until([&] { return client.heard(3).size() == chunk.size() + 17; }));
    using Kind = Sighting::Kind;
    const auto& from_server = notes.seen[{End::server, 3}];
    ASSERT_GE(from_server.size(), 2U);
    EXPECT_EQ(from_server[0].first, Kind::frame);
    EXPECT_TRUE(from_server[0].second == chunk);
    EXPECT_EQ(from_server[1].first, Kind::bytes);
    const auto& from_client = notes.seen[{End::client, 0}];
    ASSERT_EQ(from_client.size(), 1U);
    EXPECT_EQ(from_client[0], (std::pair{Kind::frame, first}));
    // One that is too large comes in pieces, before all of it has come.
    const auto huge = frame_of(7, std::string(17 << 20, 'h')).substr(0, 200'000);
    client.write(0, huge);
    ASSERT_TRUE(between.until([&] { return server.heard(0).size() == first.size() + huge.size(); }));
    EXPECT_GT(from_client.size(), 2U);
    EXPECT_EQ(from_client.back().first, Kind::part);
    EXPECT_TRUE(notes.all(End::client, 0) == first + huge);
    EXPECT_EQ(notes.players, std::set<std::uint64_t>{1});
}

TEST(Crowd, ManyPlayersHaveEachTheirOwn) {
    constexpr int k_players = 60;
    Between between;
    between.start();
    for (int count = 0; count < k_players; ++count) between.join(fmt::format("I am {}", count));
    ASSERT_EQ(between.at_server.size(), k_players);
    for (auto& server : between.at_server) {
        server.connection->open_uni();
        server.write(3, server.heard(0) + std::string(50'000, '.'));
    }
    ASSERT_TRUE(between.until([&] {
        return std::ranges::all_of(between.clients,
                                   [](const Peer& each) { return each.heard(3).size() > 50'000; });
    }));
    for (int count = 0; count < k_players; ++count)
        EXPECT_TRUE(between.clients[static_cast<std::size_t>(count)].heard(3).starts_with(
            fmt::format("I am {}.", count)));
    EXPECT_EQ(between.shared->players, static_cast<std::size_t>(k_players));
    for (auto& client : between.clients)
        client.connection->close(net::Close::application(net::CloseCode::none, "bye"));
    ASSERT_TRUE(between.until([&] { return between.shard->relays() == 0; }));
    EXPECT_EQ(between.shared->players, 0U);
    EXPECT_EQ(between.shard->held(), 0U);
    between.run_for(10s);
    EXPECT_EQ(between.shard->driver().endpoint().connections(), 0U);
    EXPECT_EQ(between.shard->driver().addresses().size(), 1U) << "the sockets to the server are closed";
}

TEST(Crowd, NoiseAndHostileClientsDisturbNobody) {
    Between between;
    between.start();
    auto& good = between.join();
    auto& server = between.at_server.back();
    std::mt19937_64 random(3);
    auto stranger = between.loop->connect_udp(net::Address::loopback_v4(5520)).value();
    for (int round = 0; round < 200; ++round) {
        Buffer noise(random() % 1400);
        for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
        std::size_t done = 0;
        (void)stranger.send({{stranger.address(), net::Address::loopback_v4(5520)}, noise, noise.size(), 0},
                            done);
    }
    for (int count = 0; count < 20; ++count) {
        auto& bad = between.begin();
        ASSERT_TRUE(between.until([&] { return bad.is_confirmed || bad.close; }));
        if (!bad.connection || count % 4 == 0) continue; // says nothing at all
        bad.connection->open_bidi();
        bad.write(0, std::string(1 + random() % 5000, static_cast<char>(random())));
        if (count % 4 == 1) bad.connection->reset(0, random() % 100);
        if (count % 4 == 2) bad.connection->close(net::Close::transport(0x0A));
        bad.consumes = false;
    }
    between.run_for(5s);
    // A server can be hostile too, to one of its clients.
    for (auto& each : between.at_server) {
        if (&each == &server || !each.connection) continue;
        each.consumes = false;
        while (each.connection->open_uni()) {
        }
        each.write(7, std::string(3'000'000, 'x'));
        each.connection->reset(3, 1);
    }
    between.run_for(5s);
    good.write(0, " again");
    ASSERT_TRUE(between.until([&] { return server.heard(0) == "hello again"; }));
    server.connection->open_uni();
    server.write(3, std::string(100'000, 'y'));
    EXPECT_TRUE(between.until([&] { return good.heard(3).size() == 100'000; }, 5s));
    const auto& rules = between.shared->rules;
    EXPECT_LE(between.shard->held(), between.shard->relays() * 4 * rules.stream_buffer);
}

TEST(Crowd, StreamsKeepTheirOrderAndTheirBytesOnBadNetworks) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        ProxyRules rules;
        rules.rough = {.loss = 0.1, .reorder = 0.3, .delay = 15ms, .seed = seed};
        Between between(rules);
        between.start();
        auto& client = between.join();
        auto& server = between.at_server.back();
        for (int count = 0; count < 2; ++count) server.connection->open_uni();
        const std::string chunks(150'000, 'c');
        const std::string map(50'000, 'm');
        server.write(7, map);
        server.write(3, chunks);
        server.write(0, "chat message");
        client.write(0, std::string(20'000, 'u'));
        ASSERT_TRUE(between.until([&] { return client.heard(3) == chunks && client.heard(7) == map; }, 300s))
            << seed;
        ASSERT_TRUE(between.until(
            [&] { return server.heard(0).size() == 20'005 && client.heard(0) == "chat message"; }, 300s));
        EXPECT_LT(std::ranges::find(client.order, 3), std::ranges::find(client.order, 7)) << seed;
        server.connection->close(net::Close::application(net::CloseCode::rate_limited, "enough"));
        ASSERT_TRUE(between.until([&] { return client.close.has_value(); }, 300s));
    }
}

/// A server of the game and players who come to it through the proxy.
TEST(Crowd, WholeSessionsOfTheGameWorkThroughTheProxy) {
    Between between;
    between.start(false);
    auto& loop = *between.loop;
    net::test::World world;
    net::test::TestServerHandler handler(world);
    net::Roster roster;
    net::ServerSettings settings;
    net::ServerShard server(loop, settings, net::TlsContext::server(net::test::identity()).value(), handler,
                            roster);
    ASSERT_TRUE(server.listen(net::Address::loopback_v4(7000)));

    net::ClientContext context(loop);
    std::deque<net::test::Visit> visits;
    net::UdpDriver driver(loop, {});
    net::Loop::Timer timer;
    std::function<void()> tick = [&] {
        context.tick();
        timer = loop.after(20ms, tick);
    };
    tick();
    const auto builds = net::spoken_builds();
    for (std::size_t count = 0; count < builds.size(); ++count) {
        auto& visit = visits.emplace_back();
        net::ClientRules rules;
        rules.build = net::GameBuild::of(*builds[count]);
        rules.uuid = net::test::uuid_of(static_cast<std::uint8_t>(count + 1));
        rules.name = fmt::format("player{}", count);
        net::ClientSettings where{
            .server = net::Address::loopback_v4(5520),
            .tls = net::TlsContext::client(&net::test::identity(), {rules.build.protocol}).value()};
        visit.session =
            net::join(driver, context, where, rules, std::make_unique<net::test::TestClientHandler>(visit))
                .value();
    }
    ASSERT_TRUE(between.until([&] {
        return std::ranges::all_of(visits, [](const auto& visit) { return visit.reached(Phase::play); });
    }));
    between.run_for(90s); // of pings
    for (auto& visit : visits) ASSERT_TRUE(visit.session);
    EXPECT_EQ(between.events.players.size(), builds.size());
    std::set<std::string> names;
    for (const auto& player : between.events.players) {
        EXPECT_NE(player.build, nullptr);
        names.insert(player.name);
    }
    for (std::size_t count = 0; count < builds.size(); ++count)
        EXPECT_TRUE(names.contains(fmt::format("player{}", count)));
    visits[0].session->leave();
    ASSERT_TRUE(between.until([&] { return visits[0].close.has_value(); }));
    server.disconnect_all("The server stops.");
    ASSERT_TRUE(between.until([&] {
        return std::ranges::all_of(visits, [](const auto& visit) { return visit.close.has_value(); });
    }));
    for (std::size_t count = 1; count < visits.size(); ++count)
        EXPECT_EQ(visits[count].reason, "The server stops.") << builds[count]->build;
    loop.cancel(timer);
}

} // namespace
} // namespace orbis::proxy
