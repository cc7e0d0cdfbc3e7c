#pragma once

#include <chrono>
#include <cstdint>

namespace orbis::net {

using Duration = std::chrono::nanoseconds;

/// A moment of a clock that never goes back. Nothing in this layer asks a clock by itself: whoever calls says
/// what time it is, so that tests need not wait.
using Time = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Later than everything: no timer is set.
inline constexpr Time k_never = Time::max();

} // namespace orbis::net
