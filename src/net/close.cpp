#include "net/close.hpp"

#include "bytes/json_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace orbis::net {
namespace {

/// Of a peer's words.
constexpr std::size_t k_most_quoted = 300;

std::string_view application_name(std::uint64_t code) {
    static constexpr std::array<std::string_view, 7> k_names = {
        "no error", "rate limited",    "auth failed",    "invalid version",
        "timeout",  "client outdated", "server outdated"};
    return code < k_names.size() ? k_names[code] : "unknown code";
}

/// RFC 9000, section 20.1, and the TLS alerts that occur here (RFC 8446, section 6).
std::string_view transport_name(std::uint64_t code) {
    static constexpr std::array<std::string_view, 17> k_names = {"no error",
                                                                 "internal error",
                                                                 "connection refused",
                                                                 "flow control error",
                                                                 "stream limit error",
                                                                 "stream state error",
                                                                 "final size error",
                                                                 "frame encoding error",
                                                                 "transport parameter error",
                                                                 "connection id limit error",
                                                                 "protocol violation",
                                                                 "invalid token",
                                                                 "application error",
                                                                 "crypto buffer exceeded",
                                                                 "key update error",
                                                                 "aead limit reached",
                                                                 "no viable path"};
    if (code < k_names.size()) return k_names[code];
    switch (code) {
    case k_crypto_error + 40: return "TLS handshake failure";
    case k_crypto_error + 42: return "TLS bad certificate";
    case k_crypto_error + 48: return "TLS unknown certificate authority";
    case k_crypto_error + 70: return "TLS protocol version";
    case k_certificate_required: return "TLS certificate required";
    case k_no_application_protocol: return "TLS no application protocol";
    default: break;
    }
    return code >= k_crypto_error && code < k_crypto_error + 256 ? "TLS alert" : "unknown code";
}

} // namespace

std::string Close::text() const {
    const std::string_view who = by_peer ? "closed by the peer" : "closed";
    const auto with_reason = [&](std::string text) {
        if (reason.empty()) return text;
        // What a peer says may be meant to disturb the terminal of its reader.
        return fmt::format("{}: {}", text, by_peer ? json_quoted(reason.substr(0, k_most_quoted)) : reason);
    };
    switch (kind) {
    case Kind::application:
        return with_reason(fmt::format("{}: {} (application error {})", who, application_name(code), code));
    case Kind::transport:
        return with_reason(fmt::format("{}: {} (transport error 0x{:X})", who, transport_name(code), code));
    case Kind::idle: return "nothing was received for too long";
    case Kind::handshake_timeout: return "the handshake took too long";
    case Kind::version: return "the peer does not speak QUIC version 1";
    case Kind::reset: return "the peer does not know this connection (stateless reset)";
    case Kind::end: return "the peer closed the connection";
    case Kind::failed: return with_reason("failed");
    }
    return {};
}

} // namespace orbis::net
