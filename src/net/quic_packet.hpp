#pragma once

#include "net/quic_connection.hpp"

namespace orbis::net {

/// The smallest datagram that may begin a connection (RFC 9000, section 14.1).
inline constexpr std::size_t k_smallest_first_datagram = 1200;

/// What can be read from a datagram without any key.
struct PacketHead {
    bool is_long = false;      ///< handshake packets; short ones come later
    std::uint32_t version = 0; ///< of long packets
    bool is_known_version = true;
    ConnectionId destination;
    Bytes source;            ///< of long packets, up to 255 bytes in other versions; a view of the datagram
    Bytes whole_destination; ///< the same for the destination
};

/// Reads the head of the first packet; nothing for noise. Short packets do not say how long their id is.
std::optional<PacketHead> read_head(Bytes datagram, std::size_t short_id_length);

/// What a server must know of a packet that may begin a connection; nothing when it may not.
std::optional<FirstPacket> read_first_packet(Bytes datagram);

/// "I speak version 1 only", for a packet of another version.
Buffer version_negotiation(const PacketHead& head);

/// "I do not know this connection", shorter than what it answers; empty when that is impossible.
Buffer stateless_reset(std::size_t answered, const std::array<std::uint8_t, 16>& token);

/// The token that this secret gives for an id.
std::array<std::uint8_t, 16> make_reset_token(Bytes secret, const ConnectionId& id);

} // namespace orbis::net
