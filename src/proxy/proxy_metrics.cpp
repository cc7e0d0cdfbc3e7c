#include "proxy/proxy_metrics.hpp"

#include "game/serve/game_metrics.hpp"
#include "game/serve/metrics_text.hpp"
#include "proxy/proxy.hpp"

namespace orbis::proxy {

std::string proxy_metrics(const Proxy& proxy, double uptime_seconds) {
    const auto& shared = proxy.shared();
    const auto figures = proxy.figures();
    game::MetricsText out;
    const auto gauge = [&](std::string_view name, std::string_view help, auto value) {
        out.gauge(name, help, static_cast<double>(value));
    };
    const auto counter = [&](std::string_view name, std::string_view help, auto value) {
        out.counter(name, help, static_cast<double>(value));
    };
    gauge("orbis_uptime_seconds", "Since the proxy was started.", uptime_seconds);
    gauge("orbis_resident_bytes", "Memory of the process.", game::resident_bytes());
    gauge("orbis_proxy_players", "Players who are connected through the proxy.", shared.players.load());
    gauge("orbis_proxy_players_limit", "Most players at a time.", shared.rules.most_players);
    counter("orbis_proxy_joined_total", "Players who have joined.", shared.joined.load());
    counter("orbis_proxy_refused_total", "Players who were turned away because of a limit.",
            shared.refused.load());
    counter("orbis_proxy_unreachable_total", "Players for whom the server was not reached.",
            shared.unreachable.load());
    constexpr std::array<std::string_view, 3> k_by = {"client", "server", "proxy"};
    for (std::size_t at = 0; at < k_by.size(); ++at)
        out.counter("orbis_proxy_left_total", "Players who left, by the side that ended it.",
                    static_cast<double>(shared.left[at].load()), {{"by", k_by[at]}});
    for (std::size_t at = 0; at < 2; ++at)
        out.counter("orbis_proxy_forwarded_bytes_total", "Bytes of streams that were forwarded.",
                    static_cast<double>(shared.forwarded[at].load()), {{"from", k_by[at]}});
    gauge("orbis_held_bytes", "Bytes that wait to be sent or to be acknowledged.", figures.held_bytes);
    counter("orbis_sent_bytes_total", "Bytes of datagrams that were sent.", figures.sent_bytes);
    counter("orbis_sent_datagrams_total", "Datagrams that were sent.", figures.sent_datagrams);
    counter("orbis_received_bytes_total", "Bytes of datagrams that were received.", figures.received_bytes);
    counter("orbis_received_datagrams_total", "Datagrams that were received.", figures.received_datagrams);
    return out.text();
}

} // namespace orbis::proxy
