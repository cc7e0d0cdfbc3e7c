#pragma once

#include "bytes/result.hpp"
#include "proxy/frame_observer.hpp"

/// The few packets that a proxy understands, in the layout of any build that has a schema.
namespace orbis::proxy {

/// Whether a packet tells who a player is, or why one side leaves.
bool is_telling(const PlayerFacts& player, End from, std::int32_t id);
/// Learns from a frame who the player is, and which build their client is of.
void learn(PlayerFacts& player, End from, Bytes frame);
/// What a Disconnect says; nothing for other frames.
std::optional<std::string> disconnect_text(const PlayerFacts& player, End from, Bytes frame);

/// A Disconnect from a server, in words that the client of this player understands; in those of the usual
/// build if that is not known.
Result<Buffer> disconnect_frame(const PlayerFacts& player, std::string_view reason);

/// Whether a packet of a server may send its player elsewhere.
bool is_referral(const PlayerFacts& player, std::int32_t id);
/// Where it sends them; nothing if that cannot be read.
std::optional<net::HostPort> referral_of(const PlayerFacts& player, Bytes frame);
/// The same frame with another address. An error if it cannot be changed without changing more.
Result<Buffer> with_referral(const PlayerFacts& player, Bytes frame, const net::HostPort& to);

} // namespace orbis::proxy
