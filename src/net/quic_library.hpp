#pragma once

#include "net/quic_connection.hpp"

#include <cstring>
#include <ngtcp2/ngtcp2.h>

/// What the two halves of a connection, its course and its sending, both say to the library. For
/// quic_connection*.cpp only.
namespace orbis::net {

/// Datagrams above this size are dropped by some peers before path MTU discovery.
inline constexpr std::size_t k_largest_datagram = 1452;

inline ngtcp2_tstamp stamp(Time time) { return static_cast<ngtcp2_tstamp>(time.time_since_epoch().count()); }

inline bool is_at(const ngtcp2_addr& address, const Address& other) {
    return address.addrlen == other.size() && std::memcmp(address.addr, other.data(), address.addrlen) == 0;
}

} // namespace orbis::net
