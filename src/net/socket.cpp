#include "net/socket.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace orbis::net {

Socket::~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void Socket::set(int level, int option, int value) const {
    setsockopt(descriptor_, level, option, &value, sizeof value);
}

Address Socket::address() const {
    sockaddr_storage found{};
    socklen_t size = sizeof found;
    if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&found), &size) != 0) return {};
    return Address(reinterpret_cast<sockaddr*>(&found));
}

Error socket_failure(std::string_view what, const Address& address) {
    const auto code = errno;
    return error(code == EADDRINUSE ? Errc::busy : Errc::io, "cannot {} {}: {}", what, address.text(),
                 std::strerror(code))
        .advise(code == EADDRINUSE ? "another program has this port; stop it or choose another port" : "");
}

} // namespace orbis::net
