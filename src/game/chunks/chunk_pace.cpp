#include "game/chunks/chunk_pace.hpp"

#include "net/address.hpp"

#include <arpa/inet.h>
#include <cstdint>

namespace orbis::game {
namespace {

constexpr int k_here = 256;
constexpr int k_nearby = 128;
constexpr int k_elsewhere = 36;

/// Private, link-local and multicast.
bool is_nearby(std::uint32_t v4) {
    return v4 >> 24 == 10 || v4 >> 20 == 0xAC1 || v4 >> 16 == 0xC0A8 || v4 >> 16 == 0xA9FE || v4 >> 28 == 0xE;
}

bool is_nearby(const in6_addr& v6) {
    const auto first = static_cast<unsigned>(v6.s6_addr[0] << 8 | v6.s6_addr[1]);
    if (IN6_IS_ADDR_V4MAPPED(&v6) != 0)
        return is_nearby(static_cast<std::uint32_t>(v6.s6_addr[12]) << 24
                         | static_cast<std::uint32_t>(v6.s6_addr[13]) << 16
                         | static_cast<std::uint32_t>(v6.s6_addr[14]) << 8 | v6.s6_addr[15]);
    const bool is_local = (first & 0xFFC0) == 0xFE80 || (first & 0xFFC0) == 0xFEC0;
    return is_local || (first & 0xFE00) == 0xFC00 || (first & 0xFF00) == 0xFF00;
}

} // namespace

int chunks_per_second(const net::Address& address) {
    if (address.is_loopback()) return k_here;
    bool nearby = false;
    if (address.family() == AF_INET)
        nearby = is_nearby(ntohl(reinterpret_cast<const sockaddr_in*>(address.data())->sin_addr.s_addr));
    if (address.family() == AF_INET6)
        nearby = is_nearby(reinterpret_cast<const sockaddr_in6*>(address.data())->sin6_addr);
    return nearby ? k_nearby : k_elsewhere;
}

} // namespace orbis::game
