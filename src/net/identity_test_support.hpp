#pragma once

#include "net/identity.hpp"

namespace orbis::net::test {

/// One certificate for all servers and clients of a test program.
inline const Identity& identity() {
    static const auto made =
        make_self_signed(KeyKind::ecdsa_p256, std::chrono::sys_seconds(std::chrono::seconds(1'770'000'000)));
    return *made;
}

} // namespace orbis::net::test
