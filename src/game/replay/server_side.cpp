#include "game/replay/server_side.hpp"

#include "game/replay/server_play.hpp"
#include "net/identity.hpp"
#include "net/udp_driver.hpp"

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

constexpr net::Duration k_play_tick = 2ms;
/// Beside those who are played to: some may come who say nothing.
constexpr std::size_t k_most_strangers = 64;

} // namespace

Result<std::size_t> replay_server_side(const ServerSideRules& rules, const net::Identity& identity,
                                       ServerSideEvents& events, const std::function<bool()>& is_stopped,
                                       std::shared_ptr<net::Loop> loop) {
    TRY(const auto connection, find_connection(rules.connection));
    if (!loop) {
        TRY(loop, net::Loop::make());
    }
    TRY(auto tls, net::TlsContext::server_of_any_version(identity));
    ServerPlayContext context{rules, connection, *loop, events};
    net::UdpDriver driver(*loop, {.most_connections = rules.clients + k_most_strangers});
    driver.endpoint().listen(std::move(tls), net::QuicSettings::server(),
                             [&context](net::QuicConnection& accepted) {
                                 return std::make_unique<ServerPlay>(context, accepted);
                             });
    for (const auto& address : rules.addresses) {
        TRY(auto socket, loop->bind_udp(address, false));
        driver.add(std::move(socket));
    }
    events.on_ready(connection, driver.addresses());

    bool is_over = false;
    net::Loop::Timer timer;
    const std::function<void()> turns = [&] {
        timer = loop->after(k_play_tick, turns);
        context.tick();
        if (is_over || !is_stopped || !is_stopped()) return;
        is_over = true;
        context.stop();
    };
    turns();
    loop->run_until([&] { return is_over || context.over >= rules.clients; }, std::chrono::hours(24 * 365));
    // Those who still are there get the last words.
    loop->run_until([&] { return context.over >= context.let_in; }, 3s);
    loop->cancel(timer);
    driver.endpoint().close_all(net::Close::application(net::CloseCode::none));
    driver.turn();
    return context.let_in;
}

} // namespace orbis::game
