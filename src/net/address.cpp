#include "net/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstring>
#include <memory>
#include <netdb.h>

namespace orbis::net {
namespace {

bool is_loopback_v4(std::uint32_t network_order) { return (ntohl(network_order) >> 24) == 127; }

/// The IPv4 address in an IPv4-mapped one, `::ffff:192.0.2.1`.
std::uint32_t mapped_v4(const in6_addr& address) {
    std::uint32_t v4 = 0;
    std::memcpy(&v4, address.s6_addr + 12, sizeof v4);
    return v4;
}

Result<std::uint16_t> parse_port(std::string_view text, std::string_view whole) {
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (failure != std::errc{} || end != text.data() + text.size() || port == 0)
        return fail(error(Errc::usage, "'{1}' in {0} is not a port from 1 to 65535", whole, text)
                        .advise("write HOST:PORT, or [ADDRESS]:PORT for an IPv6 address"));
    return port;
}

} // namespace

Address::Address(const sockaddr* address) {
    if (address->sa_family == AF_INET) std::memcpy(&v4_, address, sizeof v4_);
    if (address->sa_family == AF_INET6) std::memcpy(&v6_, address, sizeof v6_);
}

Address Address::any_v4(std::uint16_t port) {
    Address made;
    made.v4_.sin_family = AF_INET;
    made.v4_.sin_port = htons(port);
    return made;
}

Address Address::any_v6(std::uint16_t port) {
    Address made;
    made.v6_.sin6_family = AF_INET6;
    made.v6_.sin6_port = htons(port);
    return made;
}

Address Address::loopback_v4(std::uint16_t port) {
    auto made = any_v4(port);
    made.v4_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return made;
}

Address Address::loopback_v6(std::uint16_t port) {
    auto made = any_v6(port);
    made.v6_.sin6_addr = in6addr_loopback;
    return made;
}

std::uint16_t Address::port() const {
    switch (family()) {
    case AF_INET: return ntohs(v4_.sin_port);
    case AF_INET6: return ntohs(v6_.sin6_port);
    default: return 0;
    }
}

void Address::set_port(std::uint16_t port) {
    if (family() == AF_INET) v4_.sin_port = htons(port);
    if (family() == AF_INET6) v6_.sin6_port = htons(port);
}

socklen_t Address::size() const {
    switch (family()) {
    case AF_INET: return sizeof v4_;
    case AF_INET6: return sizeof v6_;
    default: return 0;
    }
}

bool Address::is_loopback() const {
    if (family() == AF_INET) return is_loopback_v4(v4_.sin_addr.s_addr);
    if (family() != AF_INET6) return false;
    if (IN6_IS_ADDR_V4MAPPED(&v6_.sin6_addr)) return is_loopback_v4(mapped_v4(v6_.sin6_addr));
    return IN6_IS_ADDR_LOOPBACK(&v6_.sin6_addr);
}

bool Address::is_same_host(const Address& other) const {
    if (is_loopback() && other.is_loopback()) return true;
    if (family() != other.family()) return false;
    if (family() == AF_INET) return v4_.sin_addr.s_addr == other.v4_.sin_addr.s_addr;
    return std::memcmp(&v6_.sin6_addr, &other.v6_.sin6_addr, sizeof v6_.sin6_addr) == 0;
}

std::string Address::host() const {
    char text[INET6_ADDRSTRLEN] = "";
    if (family() == AF_INET) inet_ntop(AF_INET, &v4_.sin_addr, text, sizeof text);
    if (family() == AF_INET6) inet_ntop(AF_INET6, &v6_.sin6_addr, text, sizeof text);
    return text;
}

std::string Address::text() const {
    if (!is_set()) return "no address";
    if (family() == AF_INET) return fmt::format("{}:{}", host(), port());
    return fmt::format("[{}]:{}", host(), port());
}

bool Address::operator==(const Address& other) const {
    if (family() != other.family()) return false;
    if (family() == AF_INET)
        return v4_.sin_port == other.v4_.sin_port && v4_.sin_addr.s_addr == other.v4_.sin_addr.s_addr;
    return v6_.sin6_port == other.v6_.sin6_port && v6_.sin6_scope_id == other.v6_.sin6_scope_id
           && std::memcmp(&v6_.sin6_addr, &other.v6_.sin6_addr, sizeof v6_.sin6_addr) == 0;
}

Result<HostPort> parse_host_port(std::string_view text, std::uint16_t default_port) {
    const auto refuse = [&] {
        return fail(error(Errc::usage, "not HOST or HOST:PORT: '{}'", text)
                        .advise("write [ADDRESS]:PORT for an IPv6 address with a port"));
    };
    if (text.empty() || text.find_first_of(" \t\r\n") != std::string_view::npos) return refuse();
    if (text.front() == '[') {
        const auto end = text.find(']');
        if (end == std::string_view::npos || end == 1) return refuse();
        HostPort server{std::string(text.substr(1, end - 1)), default_port};
        const auto rest = text.substr(end + 1);
        if (rest.empty()) return server;
        if (rest.front() != ':') return refuse();
        TRY(server.port, parse_port(rest.substr(1), text));
        return server;
    }
    if (std::ranges::count(text, ':') != 1) return HostPort{std::string(text), default_port};
    const auto colon = text.find(':');
    if (colon == 0) return refuse();
    HostPort server{std::string(text.substr(0, colon)), default_port};
    TRY(server.port, parse_port(text.substr(colon + 1), text));
    return server;
}

Result<std::vector<Address>> resolve(const HostPort& server) {
    // The system would take it for an address, 5520 for 0.0.21.144.
    if (server.host.find_first_not_of("0123456789") == std::string::npos)
        return fail(error(Errc::usage, "a name or an address is needed, not the number '{}'", server.host)
                        .advise(fmt::format("for a port: 127.0.0.1:{}", server.host)));
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    const auto failure =
        getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found);
    if (failure != 0)
        return fail(
            error(Errc::not_found, "the name {} has no address: {}", server.host, gai_strerror(failure))
                .advise("check the spelling, or write the server's address in numbers"));
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> keep(found, freeaddrinfo);
    std::vector<Address> addresses;
    for (const auto* at = found; at; at = at->ai_next) {
        const Address address(at->ai_addr);
        if (address.is_set() && std::ranges::find(addresses, address) == addresses.end())
            addresses.push_back(address);
    }
    if (addresses.empty())
        return fail(Errc::not_found, "the name {} has no IPv4 or IPv6 address", server.host);
    return addresses;
}

} // namespace orbis::net
