#pragma once

namespace orbis::net {
class Address;
}

namespace orbis::game {

/// Chunks per second that the game sends to an address: 256 on the same machine, 128 in private networks,
/// 36 elsewhere.
int chunks_per_second(const net::Address& address);

} // namespace orbis::game
