#pragma once

#include "net/client.hpp"
#include "net/server.hpp"
#include "net/wire_test_support.hpp"
#include "support/wait_for.hpp"

/// Servers and clients on real sockets of this machine, for tests.
namespace orbis::net::test {

/// Nobody is given up because this machine is slow. What times mean is tested where clocks are imagined.
inline constexpr Duration k_more_than_enough = 1h;

/// Clients in one loop, over QUIC or TCP.
struct Clients {
    std::shared_ptr<Loop> loop;
    ClientContext context{*loop};
    std::deque<Visit> visits;
    std::vector<std::unique_ptr<TcpLink>> tcp;
    std::shared_ptr<TlsContext> tls = TlsContext::client(&identity()).value();
    UdpDriver driver{*loop, {}};
    Loop::Timer timer;
    std::shared_ptr<capture::Recorder> capture{}; ///< of those who join over QUIC

    /// In the loop of somebody else, who may be its server.
    explicit Clients(std::shared_ptr<Loop> shared) : loop(std::move(shared)) { tick(); }
    Clients() : Clients(std::shared_ptr<Loop>(*Loop::make())) {}
    ~Clients() { loop->cancel(timer); }
    Clients(const Clients&) = delete;
    Clients& operator=(const Clients&) = delete;
    void tick() {
        context.tick();
        timer = loop->after(20ms, [this] { tick(); });
    }

    Visit& join(const Address& server, ClientRules rules) {
        auto& visit = visits.emplace_back();
        ClientSettings settings{.server = server, .server_name = "localhost", .tls = tls};
        settings.quic.handshake_timeout = settings.quic.idle_timeout = k_more_than_enough;
        settings.capture = capture;
        visit.session =
            net::join(driver, context, settings, std::move(rules), std::make_unique<TestClientHandler>(visit))
                .value();
        return visit;
    }
    Visit& join_tcp(const Address& server, ClientRules rules) {
        auto& visit = visits.emplace_back();
        tcp.push_back(std::make_unique<TcpLink>(Side::client, *connect_tcp(server), server, *loop,
                                                LinkLimits{}, context.tools.decompressor));
        begin(visit, *tcp.back(), std::move(rules));
        tcp.back()->start();
        return visit;
    }
    void begin(Visit& visit, Link& link, ClientRules rules) {
        auto session = std::make_unique<ClientSession>(context, std::move(rules), link,
                                                       std::make_unique<TestClientHandler>(visit));
        visit.session = session.get();
        link.set_user(std::move(session));
    }
    bool all(ClientSession::Phase phase, Duration limit = orbis::test::k_patience) {
        return loop->run_until(
            [&] {
                return std::ranges::all_of(visits, [&](const Visit& visit) { return visit.reached(phase); });
            },
            limit);
    }
    bool all_closed(Duration limit = orbis::test::k_patience) {
        return loop->run_until(
            [&] {
                return std::ranges::all_of(visits,
                                           [](const Visit& visit) { return visit.close.has_value(); });
            },
            limit);
    }
};

/// One world per thread: they are not shared.
struct Worlds {
    std::deque<World> worlds;
    Server::MakeHandler make() {
        return
            [this](Loop&, std::size_t) { return std::make_unique<TestServerHandler>(worlds.emplace_back()); };
    }
};

inline ClientRules player(std::size_t number) {
    ClientRules rules;
    rules.uuid = uuid_of(static_cast<std::uint8_t>(number % 250 + 1));
    rules.uuid[14] = static_cast<std::uint8_t>(number / 250);
    rules.name = fmt::format("bot{}", number);
    rules.silence_limit = k_more_than_enough;
    return rules;
}

inline ServerSettings settings_for(std::size_t threads, ServerSettings::Transport transport) {
    ServerSettings settings;
    settings.addresses = {Address::loopback_v4(0)};
    settings.threads = threads;
    settings.transport = transport;
    settings.quic.handshake_timeout = k_more_than_enough;
    auto& times = settings.rules.times;
    for (auto* time :
         {&times.initial, &times.grant, &times.token, &times.exchange, &times.password, &times.world_settings,
          &times.assets_request, &times.send_assets, &times.add_to_universe, &times.play, &times.ready})
        *time = k_more_than_enough;
    return settings;
}

} // namespace orbis::net::test
