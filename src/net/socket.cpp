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
    auto problem = error(Errc::io, "cannot {} {}: {}", what, address.text(), std::strerror(code));
    const auto advise = [&](Errc kind, const char* advice) {
        problem.code = kind;
        return std::move(problem).advise(advice);
    };
    switch (code) {
    case EADDRINUSE:
        return advise(Errc::busy, "another program uses this port; stop it or choose another port");
    case EADDRNOTAVAIL:
        return advise(Errc::usage, "this machine does not have that address; use 0.0.0.0 for all its "
                                   "addresses, or 127.0.0.1 for this machine only");
    case EACCES: return advise(Errc::usage, "ports below 1024 are for root only; choose a higher one");
    default: return problem;
    }
}

} // namespace orbis::net
