#pragma once

#include "bytes/descriptor.hpp"
#include "bytes/result.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

struct sockaddr;

namespace orbis::http {

/// Where a server listens: an IPv4 or IPv6 address and a port.
struct Address {
    bool is_v6 = false;
    std::array<std::uint8_t, 16> bytes{}; ///< the first four of them for IPv4
    std::uint16_t port = 0;               ///< 0: any free one

    /// Only programs of this machine can reach it.
    [[nodiscard]] bool is_loopback() const;
    /// All addresses of this machine: `0.0.0.0` or `[::]`.
    [[nodiscard]] bool is_any() const;
    /// The address as it stands in a URL, without the port: `127.0.0.1`, `[::1]`.
    [[nodiscard]] std::string host() const;
    /// `127.0.0.1:5521`
    [[nodiscard]] std::string text() const;
};

/// Reads `ADDRESS:PORT`: `127.0.0.1:5521`, `[::1]:5521`, `localhost:0`. Names other than `localhost` are not
/// looked up: which address a name leads to should not decide who can connect.
Result<Address> parse_address(std::string_view text);

/// What the machine at the other end of a connection is known by: its address. One that has IPv6 has a whole
/// network of addresses, so only the part that names the network counts. Empty for other kinds.
std::string client_name(const sockaddr& address);

/// Opens a socket that listens there, and puts the real port into `address`. `busy` when the port is taken.
Result<Descriptor> listen_at(Address& address);

} // namespace orbis::http
