#pragma once

#include "net/time.hpp"

#include <algorithm>

namespace orbis::net {

/// How many packets a client may send.
struct RateLimit {
    bool is_enabled = true;
    std::int64_t burst = 500;       ///< at once
    std::int64_t per_second = 2000; ///< in the long run
};

/// Counts packets as the game does: tokens come back in whole numbers, and the clock of their coming starts
/// again only when at least one came.
class TokenBucket {
public:
    TokenBucket(const RateLimit& limit, Time now) : limit_(limit), tokens_(limit.burst), since_(now) {}

    /// False when the packet is one too many.
    bool take(Time now) {
        if (!limit_.is_enabled) return true;
        // More than a full bucket does not matter, and the product must not overflow.
        const auto elapsed = std::min<Duration>(now - since_, std::chrono::hours(1));
        const auto come = elapsed.count() * limit_.per_second / 1'000'000'000;
        if (come > 0) {
            tokens_ = std::min(limit_.burst, tokens_ + come);
            since_ = now;
        }
        if (tokens_ <= 0) return false;
        --tokens_;
        return true;
    }

private:
    RateLimit limit_;
    std::int64_t tokens_;
    Time since_;
};

} // namespace orbis::net
