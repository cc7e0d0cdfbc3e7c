#pragma once

#include <chrono>
#include <cstdint>

namespace orbis::net {

using Duration = std::chrono::nanoseconds;

/// A moment of a clock that never goes back. Nothing in this layer asks the system for it but `Loop`: all
/// others are told, or ask the `Clock` that they are given, so that tests need not wait.
using Time = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Later than everything: no timer is set.
inline constexpr Time k_never = Time::max();

/// A duration as a number that reports and speeds count in.
constexpr double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }
constexpr double milliseconds_of(Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace orbis::net
