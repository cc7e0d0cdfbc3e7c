#pragma once

#include <cstdint>
#include <string>

namespace orbis::wire {

/// The codes with which the game closes connections.
enum class CloseCode : std::uint8_t {
    none = 0,            ///< a normal end
    rate_limited = 1,    ///< too many packets
    auth_failed = 2,     ///< defined by the game, never sent by it
    invalid_version = 3, ///< defined by the game, never sent by it
    timeout = 4,         ///< silence, and errors while a packet was handled
    client_outdated = 5, ///< the client is of an older build
    server_outdated = 6, ///< the server is of an older build
};

/// How a connection ended.
struct Ending {
    /// Whether `code` is a code of the game; if not, the connection broke, or QUIC or TLS closed it.
    bool has_code = false;
    CloseCode code = CloseCode::none; ///< that it was closed with
    bool by_peer = false;             ///< whether the other side closed it
    std::string reason;               ///< what the one who closed it said; of a peer: any text at all
    std::string text;                 ///< all of it in one line for people; words of a peer are quoted
};

} // namespace orbis::wire
