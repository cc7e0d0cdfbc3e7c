#pragma once

#include <cstdint>
#include <string>

namespace orbis::net {

/// Application error codes of the game (docs/formats/network.md).
enum class CloseCode : std::uint8_t {
    none = 0,            ///< a normal end, also after a Disconnect packet
    rate_limited = 1,    ///< too many packets
    auth_failed = 2,     ///< defined by the game, never sent
    invalid_version = 3, ///< defined by the game, never sent
    timeout = 4,         ///< inactivity, and errors while a packet is handled
    client_outdated = 5,
    server_outdated = 6,
};

/// Transport error codes of QUIC that the game uses.
inline constexpr std::uint64_t k_protocol_violation = 0x0A;
/// TLS alerts are transport errors from here on.
inline constexpr std::uint64_t k_crypto_error = 0x100;
inline constexpr std::uint64_t k_certificate_required = k_crypto_error + 116;
inline constexpr std::uint64_t k_no_application_protocol = k_crypto_error + 120;

/// How a connection ended.
struct Close {
    enum class Kind : std::uint8_t {
        application,       ///< one side closed it with a code of the game
        transport,         ///< one side closed it with a code of QUIC or TLS
        idle,              ///< nothing came for the time that both had agreed on
        handshake_timeout, ///< the handshake did not end in time
        version,           ///< the peer speaks no version of QUIC that we know
        reset,             ///< the peer does not know the connection any more
        end,               ///< TCP only: the peer closed the connection
        failed,            ///< the library or the system failed; `reason` says how
    };

    Kind kind = Kind::transport;
    std::uint64_t code = 0;
    std::string reason;
    bool by_peer = false;

    static Close application(CloseCode code, std::string reason = {}) {
        return {Kind::application, static_cast<std::uint64_t>(code), std::move(reason), false};
    }
    static Close transport(std::uint64_t code) { return {Kind::transport, code, {}, false}; }

    /// In words, for people; those of the peer are quoted: `closed by the peer: client outdated (application
    /// error 5): "2026.02.17"`.
    [[nodiscard]] std::string text() const;
};

} // namespace orbis::net
