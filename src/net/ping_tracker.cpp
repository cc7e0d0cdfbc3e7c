#include "net/ping_tracker.hpp"

namespace orbis::net {
namespace {

/// A kind that is never answered is tolerated; its row must not grow for days.
constexpr std::size_t k_most_waiting = 120;

} // namespace

void PingTracker::sent(std::int32_t id, Time now) {
    for (auto& row : waiting_) {
        row.push_back({id, now});
        if (row.size() > k_most_waiting) row.erase(row.begin());
    }
}

std::optional<Duration> PingTracker::answered(std::size_t kind, std::int32_t id, Time now) {
    if (kind >= k_kinds) return {};
    auto& row = waiting_[kind];
    if (row.empty() || row.front().id != id) return {};
    last_[kind] = now - row.front().time;
    row.erase(row.begin());
    return last_[kind];
}

} // namespace orbis::net
