#include "net/server_test_support.hpp"
#include "proxy/proxy.hpp"
#include "proxy/proxy_metrics.hpp"
#include "support/wait_for.hpp"

#include <thread>

/// The whole proxy on real sockets and threads.
namespace orbis::proxy {
namespace {

using namespace net::test;
using Phase = net::ClientSession::Phase;

/// Counts, in any thread.
class Counts final : public ProxyEvents {
public:
    void on_join(const PlayerFacts& player) override {
        EXPECT_FALSE(player.name.empty());
        ++joins;
    }
    void on_leave(const PlayerFacts&, const Leave& leave) override {
        EXPECT_EQ(leave.by, Leave::By::proxy);
        EXPECT_GT(leave.received_bytes, 0U);
        ++leaves;
    }
    void on_refused(const PlayerFacts&, const std::string&) override { ++refusals; }
    void on_referral(const PlayerFacts&, const net::HostPort&, const std::optional<net::HostPort>&) override {
    }
    void on_shown(const PlayerFacts&, const ShownFrame&) override {}
    void on_rule_problem(const PlayerFacts&, const std::string&) override {}
    std::atomic<int> joins = 0;
    std::atomic<int> leaves = 0;
    std::atomic<int> refusals = 0;
};

/// Counts the bytes of all players, in any thread.
class ByteCounts final : public FrameObserver {
public:
    void on_sighting(const Sighting& sighting) override {
        bytes[static_cast<std::size_t>(sighting.from)] += sighting.bytes.size();
    }
    std::array<std::atomic<std::uint64_t>, 2> bytes{};
};

TEST(Proxy, LeadsPlayersOnSeveralThreads) {
    constexpr int k_players = 12;
    Worlds worlds;
    const auto server =
        net::Server::start(settings_for(2, net::ServerSettings::Transport::quic), identity(), worlds.make())
            .value();
    ProxySettings settings;
    settings.addresses = {net::Address::loopback_v4(0)};
    settings.threads = 3;
    settings.rules.targets = server->addresses();
    settings.rules.idle_timeout = settings.rules.connect_timeout = k_more_than_enough;
    Counts counts;
    ByteCounts seen;
    const auto proxy = Proxy::start(settings, identity(), counts, &seen).value();
    Clients clients;
    for (int count = 0; count < k_players; ++count)
        clients.join(proxy->addresses().front(), player(static_cast<std::size_t>(count)));
    ASSERT_TRUE(clients.all(Phase::play));
    EXPECT_TRUE(orbis::test::wait_for([&] { return counts.joins == k_players; }));
    EXPECT_EQ(server->connections(), static_cast<std::size_t>(k_players));
    const auto figures = proxy_metrics(*proxy, 1);
    EXPECT_NE(figures.find(fmt::format("orbis_proxy_players {}\n", k_players)), std::string::npos) << figures;

    // What is seen is counted as forwarded right after; what comes while the proxy leaves is only seen.
    for (const auto end : {0U, 1U}) {
        const auto bytes = seen.bytes[end].load();
        EXPECT_GT(bytes, 0U);
        EXPECT_TRUE(orbis::test::wait_for([&] { return proxy->shared().forwarded[end] >= bytes; }));
    }

    std::jthread stopping([&] { proxy->stop("The proxy stops.", k_more_than_enough); });
    ASSERT_TRUE(clients.all_closed());
    stopping.join();
    for (const auto& visit : clients.visits) EXPECT_EQ(visit.reason, "The proxy stops.");
    EXPECT_EQ(counts.leaves, k_players);
    EXPECT_EQ(counts.refusals, 0);
    EXPECT_EQ(proxy->shared().players, 0U);
}

TEST(Proxy, TwoCannotHaveOnePort) {
    Counts counts;
    ProxySettings settings;
    settings.addresses = {net::Address::loopback_v4(0)};
    settings.rules.targets = {net::Address::loopback_v4(9)};
    const auto first = Proxy::start(settings, identity(), counts).value();
    settings.addresses = first->addresses();
    const auto second = Proxy::start(settings, identity(), counts);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::busy);
}

} // namespace
} // namespace orbis::proxy
