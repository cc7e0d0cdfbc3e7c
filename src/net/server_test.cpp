#include "net/server_test_support.hpp"
#include "packets/connection.hpp"
#include "packets/interface.hpp"
#include "packets/setup.hpp"

#include <gtest/gtest.h>

/// Servers on real sockets of this machine.
namespace orbis::net {
namespace {

using namespace test;
using orbis::test::k_patience;
using Phase = ClientSession::Phase;

std::ptrdiff_t pings_of(const Visit& visit) {
    return std::ranges::count(visit.packets, packets::Ping::k_info.id);
}

TEST(ServerThreads, AreAsManyAsAskedForAndOneAtLeast) {
    for (const auto& [asked, transport, threads] :
         {std::tuple(std::size_t{0}, ServerSettings::Transport::quic, 1U),
          {1, ServerSettings::Transport::quic, 1U},
          {3, ServerSettings::Transport::quic, 3U},
          {3, ServerSettings::Transport::tcp, 1U}}) {
        Worlds worlds;
        const auto server = Server::start(settings_for(asked, transport), identity(), worlds.make());
        ASSERT_TRUE(server) << server.error().text();
        EXPECT_EQ(worlds.worlds.size(), threads) << asked;
    }
}

/// A server on four threads whose handlers answer a new view radius.
struct AnsweringServer {
    Worlds worlds;
    std::unique_ptr<Server> server =
        Server::start(settings_for(4, ServerSettings::Transport::quic), identity(),
                      [this](Loop&, std::size_t) {
                          auto& world = worlds.worlds.emplace_back();
                          world.answers_view_radius = true;
                          return std::make_unique<TestServerHandler>(world);
                      })
            .value();
    Address address = server->addresses().front();
};

/// Asks, and says whether the answer has come.
std::function<bool()> ask(Visit& visit) {
    visit.packets.clear();
    EXPECT_TRUE(visit.session->send(packets::ViewRadius{}));
    return [&visit] {
        return visit.close || std::ranges::count(visit.packets, packets::ServerInfo::k_info.id) > 0;
    };
}

class EveryServer : public testing::TestWithParam<std::pair<std::size_t, ServerSettings::Transport>> {};

TEST_P(EveryServer, LetsManyInAndSaysGoodbyeToAll) {
    const auto [threads, transport] = GetParam();
    Worlds worlds;
    auto settings = settings_for(threads, transport);
    settings.rules.ping_every = 20ms; // nobody waits for long
    auto server = Server::start(settings, identity(), worlds.make());
    ASSERT_TRUE(server) << server.error().text();
    Clients clients;
    for (std::size_t number = 0; number < 40; ++number) {
        if (transport == ServerSettings::Transport::tcp)
            clients.join_tcp((*server)->addresses().front(), player(number));
        else
            clients.join((*server)->addresses().front(), player(number));
    }
    ASSERT_TRUE(clients.all(Phase::play));
    EXPECT_EQ((*server)->connections(), 40u);
    EXPECT_EQ((*server)->roster().size(), 40u);
    // The first pings have their answers by the time of the third.
    EXPECT_TRUE(clients.loop->run_until(
        [&] {
            return std::ranges::all_of(
                clients.visits, [](const Visit& visit) { return visit.close || pings_of(visit) >= 3; });
        },
        k_patience));
    for (const auto& visit : clients.visits)
        ASSERT_TRUE(visit.session) << visit.close->text() << visit.reason.value_or("");
    std::jthread stopper([&] { (*server)->stop("The server stops.", k_patience); });
    EXPECT_TRUE(clients.all_closed());
    for (const auto& visit : clients.visits) EXPECT_EQ(visit.reason, "The server stops.");
}

INSTANTIATE_TEST_SUITE_P(Transports, EveryServer,
                         testing::Values(std::pair(std::size_t{1}, ServerSettings::Transport::quic),
                                         std::pair(std::size_t{3}, ServerSettings::Transport::quic),
                                         std::pair(std::size_t{1}, ServerSettings::Transport::tcp)));

TEST(Server, DatagramsForOtherThreadsDoNotHarm) {
    const AnsweringServer server;
    Clients clients;
    for (std::size_t number = 0; number < 16; ++number) clients.join(server.address, player(number));
    ASSERT_TRUE(clients.all(Phase::play));
    // Datagrams for all threads, and for some that do not exist, from a hundred ports: the kernel gives them
    // to any thread, and each passes them on. Nobody is confused by it.
    std::vector<UdpSocket> strangers;
    for (int count = 0; count < 100; ++count) strangers.push_back(UdpSocket::connect(server.address).value());
    for (std::uint8_t shard = 0; shard < 8; ++shard)
        for (auto& stranger : strangers) {
            Buffer datagram(60, 0x41);
            datagram[1] = shard; // the first byte of the id
            const Path path{stranger.address(), server.address};
            std::size_t done = 0;
            stranger.send({path, datagram, datagram.size(), 0}, done);
        }
    // A thread has read them by the time when it answers what came later.
    for (auto& visit : clients.visits) EXPECT_TRUE(clients.loop->run_until(ask(visit), k_patience));
    for (const auto& visit : clients.visits) EXPECT_TRUE(visit.session);
}

/// Sends what a client writes from a new port each time, as a router without a memory would.
TEST(Server, ConnectionsFindTheirThreadFromAnyPort) {
    const AnsweringServer server;
    const auto address = server.address;
    Clients clients;
    QuicEndpoint endpoint;
    Visit visit;
    auto socket = UdpSocket::connect(address).value();
    std::vector<UdpSocket> old;
    ReceiveBuffers buffers;
    const Path path{socket.address(), address};
    auto* connection = *endpoint.connect(*TlsContext::client(&identity()), QuicSettings::client(),
                                         "localhost", path, nullptr, clients.loop->now());
    auto link = std::make_unique<QuicLink>(Side::client, *connection, *clients.loop, LinkLimits{},
                                           clients.context.tools.decompressor);
    clients.begin(visit, *link, player(1));
    connection->set_handler(std::move(link));
    const auto turn = [&](const std::function<bool()>& condition) {
        const auto end = std::chrono::steady_clock::now() + k_patience;
        while (std::chrono::steady_clock::now() < end && !condition()) {
            clients.loop->run_until([] { return false; }, 1ms);
            endpoint.expire(clients.loop->now());
            endpoint.flush(
                [&](const DatagramBatch& batch) {
                    std::size_t done = 0;
                    socket.send({{socket.address(), address}, batch.bytes, batch.segment, batch.ecn}, done);
                },
                clients.loop->now());
            const auto take = [&](const ReceivedBatch& batch) {
                for (auto rest = batch.bytes; !rest.empty();) {
                    const auto size = std::min(batch.segment, rest.size());
                    endpoint.receive(path, 0, rest.first(size), clients.loop->now());
                    rest = rest.subspan(size);
                }
            };
            socket.receive(buffers, take);
            for (auto& each : old) each.receive(buffers, take);
        }
        return condition();
    };
    ASSERT_TRUE(turn([&] { return visit.reached(Phase::play); }));
    // By the odds some of these ports belong to other threads. Answers are lost where the old port is gone,
    // so the sockets stay.
    for (int change = 0; change < 8; ++change) {
        old.push_back(std::exchange(socket, UdpSocket::connect(address).value()));
        ASSERT_TRUE(turn(ask(visit)));
        ASSERT_FALSE(visit.close) << visit.close->text() << " " << visit.reason.value_or("");
    }
}

TEST(Server, ASecondLoginReplacesTheFirstAcrossThreads) {
    Worlds worlds;
    auto server =
        Server::start(settings_for(4, ServerSettings::Transport::quic), identity(), worlds.make()).value();
    Clients clients;
    for (int turn = 0; turn < 12; ++turn) {
        clients.join(server->addresses().front(), player(1));
        ASSERT_TRUE(
            clients.loop->run_until([&] { return clients.visits.back().reached(Phase::play); }, k_patience));
    }
    ASSERT_TRUE(clients.loop->run_until(
        [&] {
            return std::ranges::count_if(clients.visits, [](const Visit& visit) { return !visit.close; })
                   == 1;
        },
        k_patience));
    EXPECT_FALSE(clients.visits.back().close);
    EXPECT_EQ(server->roster().size(), 1u);
}

TEST(Server, AStormOfClientsIsServedWithoutATimeout) {
    Worlds worlds;
    auto server =
        Server::start(settings_for(2, ServerSettings::Transport::quic), identity(), worlds.make()).value();
    Clients clients;
    for (std::size_t number = 0; number < 100; ++number)
        clients.join(server->addresses().front(), player(number));
    EXPECT_TRUE(clients.all(Phase::play));
}

TEST(Server, AnotherPasswordIsForThoseWhoComeLater) {
    Worlds worlds;
    auto server =
        Server::start(settings_for(2, ServerSettings::Transport::quic), identity(), worlds.make()).value();
    Clients clients;
    clients.join(server->addresses().front(), player(1));
    ASSERT_TRUE(clients.all(Phase::play));
    server->set_password("secret");
    auto& stranger = clients.join(server->addresses().front(), player(2));
    clients.loop->run_until([&] { return stranger.close.has_value(); }, k_patience);
    EXPECT_TRUE(stranger.close);
    EXPECT_FALSE(stranger.reached(Phase::play));
    EXPECT_FALSE(clients.visits.front().close);
    auto knowing = player(3);
    knowing.password = "secret";
    auto& friendly = clients.join(server->addresses().front(), knowing);
    EXPECT_TRUE(clients.loop->run_until([&] { return friendly.reached(Phase::play); }, k_patience));
    const auto traffic = server->traffic();
    EXPECT_GT(traffic.received_datagrams, 6u);
    EXPECT_GT(traffic.received_bytes, traffic.received_datagrams * 20);
    EXPECT_GT(traffic.sent_datagrams, 6u);
    EXPECT_GT(traffic.sent_bytes, traffic.sent_datagrams * 20);
}

TEST(Server, TcpCannotCarryAccounts) {
    Worlds worlds;
    auto settings = settings_for(1, ServerSettings::Transport::tcp);
    settings.rules.auth = AuthMode::authenticated;
    auto server = Server::start(settings, identity(), worlds.make()).value();
    Clients clients;
    auto rules = player(1);
    rules.identity_token = "a.b.c";
    clients.join_tcp(server->addresses().front(), rules);
    ASSERT_TRUE(clients.all_closed());
    EXPECT_NE(clients.visits.front().reason.value_or("").find("QUIC"), std::string::npos);
    EXPECT_EQ(clients.visits.front().close->kind, Close::Kind::end);
}

TEST(Server, SaysWhyItCannotListen) {
    Worlds worlds;
    const auto taken = UdpSocket::bind(Address::loopback_v4(0)).value();
    auto settings = settings_for(1, ServerSettings::Transport::quic);
    settings.addresses = {taken.address()};
    const auto server = Server::start(settings, identity(), worlds.make());
    ASSERT_FALSE(server);
    EXPECT_EQ(server.error().code, Errc::busy);
}

} // namespace
} // namespace orbis::net
