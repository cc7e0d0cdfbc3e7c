#pragma once

#include "bytes/result.hpp"

#include <cstddef>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::net {

/// The port of the game.
inline constexpr std::uint16_t k_default_port = 5520;

/// An IPv4 or IPv6 address with its port, as the system calls take it.
class Address {
public:
    /// No address at all.
    Address() = default;
    explicit Address(const sockaddr* address);

    static Address any_v4(std::uint16_t port);
    static Address any_v6(std::uint16_t port);
    static Address loopback_v4(std::uint16_t port);
    static Address loopback_v6(std::uint16_t port);

    [[nodiscard]] bool is_set() const { return family() != AF_UNSPEC; }
    [[nodiscard]] int family() const { return any_.sa_family; }
    [[nodiscard]] std::uint16_t port() const;
    void set_port(std::uint16_t port);
    /// Both as one number: what sockets of this machine differ in.
    [[nodiscard]] std::uint32_t family_and_port() const {
        return static_cast<std::uint32_t>(family()) << 16 | port();
    }

    [[nodiscard]] const sockaddr* data() const { return &any_; }
    [[nodiscard]] sockaddr* data() { return &any_; }
    [[nodiscard]] socklen_t size() const;

    /// 127.0.0.0/8, ::1 and their IPv4-mapped forms.
    [[nodiscard]] bool is_loopback() const;
    /// Whether both are of one host: the same address, or both loopback. Ports do not matter.
    [[nodiscard]] bool is_same_host(const Address& other) const;

    /// `192.0.2.1:5520`, `[2001:db8::1]:5520`.
    [[nodiscard]] std::string text() const;
    /// Without the port and without brackets.
    [[nodiscard]] std::string host() const;

    bool operator==(const Address& other) const;

private:
    union {
        sockaddr any_;
        sockaddr_in v4_;
        sockaddr_in6 v6_{};
    };
};

/// A name or address and a port that a user typed.
struct HostPort {
    std::string host;
    std::uint16_t port = k_default_port;
};

/// Reads `HOST`, `HOST:PORT`, `[IPV6]:PORT` and a bare IPv6 address.
Result<HostPort> parse_host_port(std::string_view text, std::uint16_t default_port = k_default_port);

/// Asks the system for all addresses of a name. Blocks.
Result<std::vector<Address>> resolve(const HostPort& server);

} // namespace orbis::net
