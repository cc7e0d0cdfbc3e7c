#pragma once

#include "net/time.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace orbis::net {

/// The pings of one connection that wait for their answers. Each kind of answer has a row of its own: a
/// client answers every ping of a kind, in order, exactly once, or never.
class PingTracker {
public:
    static constexpr std::size_t k_kinds = 3; ///< Raw, Direct, Tick

    void sent(std::int32_t id, Time now);
    /// The round trip; nothing when this answer is not the next one.
    std::optional<Duration> answered(std::size_t kind, std::int32_t id, Time now);
    /// The last round trip of a kind; zero before the first.
    [[nodiscard]] Duration last(std::size_t kind) const { return last_[kind]; }

private:
    struct Sent {
        std::int32_t id;
        Time time;
    };
    std::array<std::vector<Sent>, k_kinds> waiting_; ///< one or two each, as a rule
    std::array<Duration, k_kinds> last_{};
};

} // namespace orbis::net
