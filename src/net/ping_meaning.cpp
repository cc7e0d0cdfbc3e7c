#include "net/ping_meaning.hpp"

#include "bytes/json_writer.hpp"

#include <algorithm>

namespace orbis::net::meaning {
namespace {

constexpr std::size_t k_most_quoted = 300;

} // namespace

std::string quoted_text(std::string_view text) {
    if (text.size() <= k_most_quoted) return json_quoted(text);
    auto end = k_most_quoted;
    while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end; // not inside a character
    return json_quoted(std::string(text.substr(0, end)) + " …");
}

Error not_reached(const PingRules& rules, const std::vector<Reached>& addresses) {
    const std::string_view kind = rules.is_tcp ? "TCP" : "UDP";
    const auto port = rules.place.port;
    const auto all_are = [&](Reached::Answer answer) {
        return std::ranges::all_of(addresses, [&](const Reached& at) { return at.answer == answer; });
    };
    if (all_are(Reached::Answer::unreachable))
        return error(Errc::io, "there is no route from this machine to the server")
            .advise("check the network of this machine: its connection, routes and firewall");
    if (std::ranges::none_of(addresses,
                             [](const Reached& at) { return at.answer == Reached::Answer::silent; }))
        return error(Errc::io,
                     "{} port {} is refused: no program listens there, or a firewall rejects everybody", kind,
                     port)
            .advise(rules.is_tcp
                        ? "start the server or check the port; most servers use QUIC: try without --tcp"
                        : "start the server or check the port; for a server in TCP mode: --tcp");
    if (rules.is_tcp)
        return error(Errc::io,
                     "nothing comes back from TCP port {}: the machine is off, or a firewall or "
                     "router drops the packets",
                     port)
            .advise("check the address, and open the port there; most servers use QUIC: try without --tcp");
    return error(Errc::io,
                 "nothing comes back from UDP port {}: the machine is off, or a firewall or router drops the "
                 "packets",
                 port)
        .advise(fmt::format("check the address; open UDP {0} in the firewall and forward it in the router: "
                            "QUIC is UDP, a rule for TCP {0} does not help",
                            port));
}

Error not_quic(const PingRules& rules) {
    return error(Errc::unsupported, "UDP port {} is used by something other than a game server",
                 rules.place.port)
        .advise("check the port");
}

Error other_versions() {
    return error(Errc::unsupported, "the game uses version 1 of QUIC, which this server does not support")
        .advise("check address and port: this is not a known server of the game");
}

Error no_handshake(const std::optional<Close>& close) {
    if (close && close->kind == Close::Kind::version) return other_versions();
    if (close && close->by_peer)
        return error(Errc::unsupported, "the server closed the connection before it started")
            .advise("it may be full or shutting down: try again, and check its log");
    return error(Errc::io, "the server answers with its versions, but does not start a connection")
        .advise("it may be overloaded, or something on the way lets only single packets through: try again "
                "from another network, and check the server's log");
}

Error no_tls(const Close& close) {
    return error(Errc::unsupported, "the two sides could not agree on encryption (TLS 1.3)")
        .advise(close.by_peer ? "check the server's log: the refusal came from there"
                              : "check address and port: what the server sent is not what a server of the "
                                "game sends");
}

Error other_protocol(const PingRules& rules, std::string_view found) {
    if (found == "hytale/1")
        return error(Errc::mismatch, "the server uses the game's first protocol (before 2026.01.24)")
            .advise("update the server, or use a client of its version");
    if (!found.empty())
        return error(Errc::mismatch, "the server uses another protocol of the game than {}",
                     rules.build.protocol)
            .advise(fmt::format("use a client of the server's version; --build says as which version ping "
                                "asks: {}",
                                names_of(spoken_builds())));
    return error(Errc::mismatch, "this server does not use the game's protocol")
        .advise("check address and port: it may serve web pages or something else over QUIC");
}

Error certificate_not_accepted() {
    return error(Errc::unsupported,
                 "the server did not accept the certificate that was created for this ping")
        .advise("servers of the game accept any; a proxy in front of it may not: check its log");
}

Error not_answered(const PingRules& rules, const std::optional<Close>& close) {
    if (!close)
        return error(Errc::io, "the server accepted the connection, but does not answer `Connect`")
            .advise("it may be overloaded or still starting: try again, and check its log");
    if (rules.is_tcp)
        return error(Errc::mismatch,
                     "over TCP a server of another version than {} closes the connection without a message; "
                     "so do other programs",
                     rules.build.version)
            .advise("check the port and the server's version; its log may say more");
    return error(Errc::mismatch, "the server did not understand `Connect` of version {}", rules.build.version)
        .advise("use a client of the server's version; its log may say more");
}

Error other_build(const PingRules& rules, bool server_is_newer, const std::optional<std::string>& version) {
    const auto of = version ? fmt::format(" ({})", quoted_text(*version)) : std::string();
    return error(Errc::mismatch, "the server{} is {} than {}, the version of this ping{}", of,
                 server_is_newer ? "newer" : "older", rules.build.version,
                 server_is_newer ? "" : ", or differs from it")
        .advise(fmt::format("the network is fine: use a game client of exactly the server's version; --build "
                            "says as which version ping asks: {}",
                            names_of(spoken_builds())));
}

Error refused(const PingRules& rules, std::string_view reason) {
    return error(Errc::unsupported, "the server understood us and refused: {}", quoted_text(reason))
        .advise(rules.is_tcp ? "if it asks for a Hytale account: that does not work over TCP, use QUIC"
                             : "if it asks for a Hytale account, everything works up to here: ping has no "
                               "account; otherwise the reason says what to do");
}

Error account_asked() {
    return error(Errc::unsupported, "the server asks for a Hytale account")
        .advise("everything works up to here: ping has no account");
}

Error password_asked() {
    return error(Errc::mismatch, "the server asks for a password")
        .advise("give it with --password-file to check whether it is right");
}

Error password_refused(int attempts_left) {
    return error(Errc::mismatch, "the password is wrong ({} more attempts were left)", attempts_left)
        .advise("check the file: its first line is the password");
}

} // namespace orbis::net::meaning
