#pragma once

#include <chrono>
#include <stop_token>

namespace orbis::http {

/// Where the threads of a live map take the time from, and where they rest: the system's clock, or one that
/// a test holds. From any thread.
class LiveClock {
public:
    using Time = std::chrono::steady_clock::time_point;

    virtual ~LiveClock() = default;
    [[nodiscard]] virtual Time now() const = 0;
    /// Returns when that time has passed, or `stop` was requested. Whether to go on.
    virtual bool rest(const std::stop_token& stop, std::chrono::milliseconds time) = 0;

    /// That of the system.
    static LiveClock& system();
};

} // namespace orbis::http
