#include "http/address.hpp"

#include "bytes/system_error.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace orbis::http {

namespace {

/// Connections that wait to be accepted; a page opens six, a hostile client thousands. A client that finds no
/// room tries again a second later.
constexpr int k_backlog = 4096;

Error not_an_address(std::string_view text) {
    return error(Errc::usage, "not ADDRESS:PORT: {}", text)
        .advise("such as 127.0.0.1:5521, [::1]:5521, or 0.0.0.0:5521 for the whole network");
}

sockaddr_storage to_system(const Address& address, socklen_t& length) {
    sockaddr_storage storage{};
    if (address.is_v6) {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(address.port);
        std::memcpy(&v6.sin6_addr, address.bytes.data(), 16);
        std::memcpy(&storage, &v6, sizeof v6);
        length = sizeof v6;
    } else {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(address.port);
        std::memcpy(&v4.sin_addr, address.bytes.data(), 4);
        std::memcpy(&storage, &v4, sizeof v4);
        length = sizeof v4;
    }
    return storage;
}

Result<std::uint16_t> port_of(int socket) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &length) != 0)
        return fail(system_error("read the address of a socket"));
    // The port stands at the same place in both kinds.
    sockaddr_in v4{};
    std::memcpy(&v4, &storage, sizeof v4);
    return ntohs(v4.sin_port);
}

Error cannot_listen(const Address& address) {
    const int reason = errno;
    if (reason == EADDRINUSE)
        return error(Errc::busy, "port {} of {} is in use by another program", address.port, address.host())
            .advise("stop that program, perhaps another orbis up, or choose another port with --http "
                    "ADDRESS:PORT; port 0 uses any free one");
    if (reason == EACCES)
        return error(Errc::usage, "this user may not listen on {}", address.text())
            .advise("choose a port above 1023");
    if (reason == EADDRNOTAVAIL || reason == EAFNOSUPPORT)
        return error(Errc::usage, "this machine has no address {}", address.host())
            .advise("127.0.0.1 is always there");
    errno = reason;
    return system_error("listen on " + address.text());
}

} // namespace

bool Address::is_loopback() const {
    if (!is_v6) return bytes[0] == 127;
    return std::all_of(bytes.begin(), bytes.end() - 1, [](auto byte) { return byte == 0; }) && bytes[15] == 1;
}

bool Address::is_any() const {
    return std::all_of(bytes.begin(), bytes.end(), [](auto byte) { return byte == 0; });
}

std::string Address::host() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(is_v6 ? AF_INET6 : AF_INET, bytes.data(), text.data(), text.size());
    return is_v6 ? fmt::format("[{}]", text.data()) : std::string(text.data());
}

std::string Address::text() const { return fmt::format("{}:{}", host(), port); }

std::string client_name(const sockaddr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.sa_family == AF_INET) {
        sockaddr_in from{};
        std::memcpy(&from, &address, sizeof from);
        inet_ntop(AF_INET, &from.sin_addr, text.data(), text.size());
    } else if (address.sa_family == AF_INET6) {
        sockaddr_in6 from{};
        std::memcpy(&from, &address, sizeof from);
        if (!IN6_IS_ADDR_V4MAPPED(&from.sin6_addr)) std::fill_n(from.sin6_addr.s6_addr + 8, 8, 0);
        inet_ntop(AF_INET6, &from.sin6_addr, text.data(), text.size());
    }
    return text.data();
}

Result<Address> parse_address(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return fail(not_an_address(text));
    Address address;
    const auto digits = text.substr(colon + 1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
        return fail(not_an_address(text));
    std::string host(text.substr(0, colon));
    if (host == "localhost") host = "127.0.0.1";
    if (host.find('\0') != std::string::npos) return fail(not_an_address(text));
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        address.is_v6 = true;
        host = host.substr(1, host.size() - 2);
    }
    if (inet_pton(address.is_v6 ? AF_INET6 : AF_INET, host.c_str(), address.bytes.data()) != 1)
        return fail(not_an_address(text));
    return address;
}

Result<Descriptor> listen_at(Address& address) {
    socklen_t length = 0;
    const auto where = to_system(address, length);
    Descriptor opened(socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!opened) return fail(cannot_listen(address));
    const int yes = 1;
    // A server that was just ended must not keep its port from the next one. On Linux this does not let two
    // listen at the same port.
    setsockopt(opened.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (address.is_v6) setsockopt(opened.number(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    if (bind(opened.number(), reinterpret_cast<const sockaddr*>(&where), length) != 0
        || listen(opened.number(), k_backlog) != 0)
        return fail(cannot_listen(address));
    TRY(address.port, port_of(opened.number()));
    return opened;
}

} // namespace orbis::http
