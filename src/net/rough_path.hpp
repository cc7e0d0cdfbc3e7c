#pragma once

#include "net/time.hpp"

#include <cstdint>
#include <optional>
#include <random>

namespace orbis::net {

/// How badly datagrams travel, on purpose.
struct RoughConditions {
    double loss = 0;    ///< chance of a datagram to be lost
    double reorder = 0; ///< chance to be held back, so that later ones overtake it
    Duration delay = Duration::zero();
    std::uint64_t seed = 1;
    bool on_accepted = true; ///< of connections that others have begun
    bool on_begun = true;    ///< of those that were begun here

    [[nodiscard]] bool is_any() const { return loss > 0 || reorder > 0 || delay > Duration::zero(); }
};

/// Decides what happens to each datagram, the same for the same seed and the same number of datagrams before
/// it.
class RoughPath {
public:
    explicit RoughPath(const RoughConditions& conditions)
        : conditions_(conditions), random_(conditions.seed) {}

    [[nodiscard]] bool applies(bool was_begun_here) const {
        return was_begun_here ? conditions_.on_begun : conditions_.on_accepted;
    }
    /// How much later the next datagram arrives; nothing when it is lost.
    std::optional<Duration> next();

private:
    RoughConditions conditions_;
    std::mt19937_64 random_;
};

} // namespace orbis::net
