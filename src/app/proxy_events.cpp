#include "app/proxy_events.hpp"

#include "bytes/joined.hpp"
#include "protocol/uuid.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

JsonWriter proxy_event(std::string_view name) {
    JsonWriter json;
    json.object().member("event", name);
    return json;
}

JsonWriter proxy_event(std::string_view name, const proxy::PlayerFacts& player) {
    auto json = proxy_event(name);
    json.member("session", player.number).member("player", player.name).key("uuid");
    if (player.uuid)
        json.string(protocol::uuid_text(*player.uuid));
    else
        json.null();
    json.member("address", player.client.text()).member("build", player.version);
    json.member("protocol", player.protocol).member("server_name", player.server_name);
    json.key("server");
    if (player.server.is_set())
        json.string(player.server.text());
    else
        json.null();
    return json;
}

/// Names and builds of players that are not known have no text.
std::string name_of(const proxy::PlayerFacts& player) {
    return player.name.empty() ? fmt::format("Player {}", player.number) : player.name;
}

} // namespace

void ProxyPrinter::print(std::string text, JsonWriter& json) {
    output_.add(console_.json() ? json.end().take() : std::move(text));
}

void ProxyPrinter::on_ready(const Ready& ready) {
    auto json = proxy_event("ready");
    const auto list = [&](std::string_view key, const std::vector<std::string>& texts) {
        json.key(key).array();
        for (const auto& text : texts) json.string(text);
        json.end();
    };
    list("addresses", ready.addresses);
    json.member("target", ready.target);
    list("targets", ready.targets);
    json.member("certificate", ready.certificate).key("metrics");
    if (ready.metrics.empty())
        json.null();
    else
        json.string(ready.metrics);
    json.key("inspector");
    if (ready.inspector.empty())
        json.null();
    else
        json.string(ready.inspector);
    if (console_.json()) return print({}, json);
    output_.add(fmt::format("Proxy on {} for the server {}", joined(ready.addresses, ", "), ready.target));
    output_.add(fmt::format("Certificate {}", ready.certificate));
    if (!ready.metrics.empty()) output_.add(fmt::format("Metrics: {}", ready.metrics));
    if (!ready.inspector.empty()) output_.add(fmt::format("Inspector: {}", ready.inspector));
    output_.add("Ready. Ctrl+C stops the proxy");
}

void ProxyPrinter::on_stopping(std::string_view why, std::size_t players) {
    auto json = proxy_event("stopping");
    json.member("why", why).member("players", players);
    print(fmt::format("Stopping ({}); {}", why,
                      players == 0 ? "no players are connected" : "told " + counted(players, "player")),
          json);
}

void ProxyPrinter::on_stopped(std::chrono::seconds uptime, std::uint64_t joined, std::uint64_t bytes) {
    auto json = proxy_event("stopped");
    json.member("seconds", uptime.count()).member("joined", joined).member("forwarded_bytes", bytes);
    print(fmt::format("Stopped after {} s: {} joined, {} forwarded", uptime.count(),
                      counted(joined, "player"), human_bytes(bytes)),
          json);
}

void ProxyPrinter::on_join(const proxy::PlayerFacts& player) {
    auto json = proxy_event("join", player);
    print(fmt::format("{} joined from {}{}", name_of(player), player.client.text(),
                      player.version.empty() ? "" : fmt::format(" (build {})", player.version)),
          json);
}

void ProxyPrinter::on_leave(const proxy::PlayerFacts& player, const proxy::Leave& leave) {
    constexpr std::array<std::string_view, 3> k_by = {"client", "server", "proxy"};
    const auto by = k_by[static_cast<std::size_t>(leave.by)];
    auto json = proxy_event("leave", player);
    json.member("by", by).member("reason", leave.why);
    json.member("seconds", std::chrono::floor<std::chrono::seconds>(leave.time).count());
    json.member("sent_bytes", leave.sent_bytes).member("received_bytes", leave.received_bytes);
    print(fmt::format("{} left after {} s, ended by the {}: {} (sent {}, received {})", name_of(player),
                      std::chrono::floor<std::chrono::seconds>(leave.time).count(), by, leave.why,
                      human_bytes(leave.sent_bytes), human_bytes(leave.received_bytes)),
          json);
}

void ProxyPrinter::on_refused(const proxy::PlayerFacts& player, const std::string& why) {
    auto json = proxy_event("refused", player);
    json.member("reason", why);
    print(fmt::format("{} from {} was turned away: {}", name_of(player), player.client.text(), why), json);
}

void ProxyPrinter::on_shown(const proxy::PlayerFacts& player, const proxy::ShownFrame& frame) {
    const bool is_up = frame.from == proxy::End::client;
    auto json = proxy_event("frame");
    json.member("session", player.number).member("player", player.name);
    json.member("to", is_up ? "server" : "client").member("stream", frame.stream);
    json.member("packet", frame.packet).member("bytes", frame.size).key("value");
    if (frame.value.empty())
        json.null();
    else
        json.raw(frame.value);
    print(fmt::format("{} {} {}", name_of(player), is_up ? "→" : "←", frame.packet)
              + (frame.value.empty() ? fmt::format(", {}", human_bytes(frame.size)) : " " + frame.value),
          json);
}

void ProxyPrinter::on_rule_problem(const proxy::PlayerFacts& player, const std::string& problem) {
    auto json = proxy_event("rule_problem");
    json.member("session", player.number).member("player", player.name).member("problem", problem);
    print(fmt::format("{}: {}", name_of(player), problem), json);
}

void ProxyPrinter::on_referral(const proxy::PlayerFacts& player, const net::HostPort& to,
                               const std::optional<net::HostPort>& back) {
    const auto text = [](const net::HostPort& place) { return fmt::format("{}:{}", place.host, place.port); };
    auto json = proxy_event("referral", player);
    json.member("to", text(to)).key("back");
    if (back)
        json.string(text(*back));
    else
        json.null();
    print(fmt::format("{} is sent to {} by the server{}", name_of(player), text(to),
                      back ? fmt::format(", and comes back through {}", text(*back)) : "; refused"),
          json);
}

} // namespace orbis::app
