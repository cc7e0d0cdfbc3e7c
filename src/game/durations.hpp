#pragma once

#include "net/time.hpp"

namespace orbis::game {

/// A duration as a number that reports and speeds count in.
constexpr double seconds_of(net::Duration time) { return std::chrono::duration<double>(time).count(); }
constexpr double milliseconds_of(net::Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace orbis::game
