#pragma once

#include "net/time.hpp"

namespace orbis::net {

/// Where this layer takes the time from: a loop, or a test that moves it by hand.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Time now() const = 0;
    /// The time of day, for tokens and pings.
    [[nodiscard]] virtual std::chrono::sys_time<Duration> wall() const {
        return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    }
};

} // namespace orbis::net
