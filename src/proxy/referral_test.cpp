#include "net/client.hpp"
#include "net/game_build.hpp"
#include "net/server_shard.hpp"
#include "net/wire_test_support.hpp"
#include "proxy/proxy_test_support.hpp"

/// Servers that send their players elsewhere.
namespace orbis::proxy {
namespace {

using namespace test;
using Phase = net::ClientSession::Phase;

/// A server of the game in the loop of the proxy.
struct GameServer {
    GameServer(net::Loop& loop, std::uint16_t port, std::optional<net::HostPort> refers_to = {}) {
        world.refers_to = std::move(refers_to);
        shard.emplace(loop, settings, net::TlsContext::server(net::test::identity()).value(), handler,
                      roster);
        EXPECT_TRUE(shard->listen(net::Address::loopback_v4(port)));
    }
    net::test::World world;
    net::test::TestServerHandler handler{world};
    net::Roster roster;
    net::ServerSettings settings;
    std::optional<net::ServerShard> shard;
};

/// Players of the game in the loop of the proxy.
struct Players {
    explicit Players(net::Loop& shared) : loop(shared), context(shared), driver(shared, {}) { tick(); }
    ~Players() { loop.cancel(timer); }
    Players(const Players&) = delete;
    Players& operator=(const Players&) = delete;
    void tick() {
        context.tick();
        timer = loop.after(20ms, [this] { tick(); });
    }
    net::test::Visit& join(std::uint16_t port, const net::GameBuild& build) {
        auto& visit = visits.emplace_back();
        net::ClientRules rules;
        rules.build = build;
        rules.uuid = net::test::uuid_of(static_cast<std::uint8_t>(visits.size()));
        rules.name = "ann";
        net::ClientSettings where{
            .server = net::Address::loopback_v4(port),
            .tls = net::TlsContext::client(&net::test::identity(), {build.protocol}).value()};
        visit.session =
            net::join(driver, context, where, rules, std::make_unique<net::test::TestClientHandler>(visit))
                .value();
        return visit;
    }
    net::Loop& loop;
    net::ClientContext context;
    std::deque<net::test::Visit> visits;
    net::UdpDriver driver;
    net::Loop::Timer timer;
};

TEST(Referral, PlayersOfEveryBuildComeBackAndAreLedThere) {
    for (const auto* build : net::spoken_builds()) {
        Between between;
        between.start(false);
        GameServer first(*between.loop, 7000, net::HostPort{"127.0.0.1", 50'001});
        GameServer second(*between.loop, 50'001);
        Players players(*between.loop);
        const auto spoken = net::GameBuild::of(*build);
        auto& visit = players.join(5520, spoken);
        ASSERT_TRUE(between.until([&] { return visit.referral.has_value(); })) << build->build;
        EXPECT_EQ(visit.referral->host, "127.0.0.1");
        EXPECT_NE(visit.referral->port, 50'001) << build->build;
        auto& again = players.join(visit.referral->port, spoken);
        ASSERT_TRUE(between.until([&] { return again.reached(Phase::play); })) << build->build;
        EXPECT_EQ(second.world.players.size(), 1U);
        EXPECT_TRUE(std::ranges::find(between.events.lines,
                                      "ann referred to 127.0.0.1:50001, comes back to 127.0.0.1")
                    != between.events.lines.end());
        // The same place has the same port.
        auto& other = players.join(5520, spoken);
        ASSERT_TRUE(between.until([&] { return other.referral.has_value(); }));
        EXPECT_EQ(other.referral->port, visit.referral->port);
    }
}

TEST(Referral, CanBePassedOnOrForbidden) {
    for (const auto how : {ProxyRules::Referrals::pass, ProxyRules::Referrals::forbid}) {
        ProxyRules rules;
        rules.referrals = how;
        Between between(rules);
        between.start(false);
        GameServer first(*between.loop, 7000, net::HostPort{"elsewhere.example", 1234});
        Players players(*between.loop);
        auto& visit = players.join(5520, net::GameBuild::current());
        if (how == ProxyRules::Referrals::pass) {
            ASSERT_TRUE(between.until([&] { return visit.referral.has_value(); }));
            EXPECT_EQ(visit.referral->host, "elsewhere.example");
            EXPECT_EQ(visit.referral->port, 1234);
        } else {
            ASSERT_TRUE(between.until([&] { return visit.close.has_value(); }));
            EXPECT_FALSE(visit.referral);
            EXPECT_EQ(visit.reason,
                      "The server sends you to elsewhere.example port 1234, which this proxy does not "
                      "allow.");
        }
    }
}

TEST(Referral, LeadsToNoMoreServersThanAllowed) {
    ProxyRules rules;
    rules.most_referrals = 2;
    rules.public_host = "proxy.example";
    Between between(rules);
    between.start(false);
    GameServer first(*between.loop, 7000, net::HostPort{"127.0.0.1", 50'001});
    Players players(*between.loop);
    for (std::uint16_t count = 0; count < 3; ++count) {
        first.world.refers_to->port = static_cast<std::uint16_t>(50'001 + count);
        auto& visit = players.join(5520, net::GameBuild::current());
        if (count < 2) {
            ASSERT_TRUE(between.until([&] { return visit.referral.has_value(); }));
            EXPECT_EQ(visit.referral->host, "proxy.example");
        } else {
            ASSERT_TRUE(between.until([&] { return visit.close.has_value(); }));
            EXPECT_EQ(visit.reason,
                      "The server sends you to 127.0.0.1 port 50003, but this proxy cannot lead you there.");
        }
    }
}

} // namespace
} // namespace orbis::proxy
