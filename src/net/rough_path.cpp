#include "net/rough_path.hpp"

#include <algorithm>

namespace orbis::net {
namespace {

/// At least so long is held back what others shall overtake.
constexpr Duration k_least_hold = std::chrono::milliseconds(10);

/// From 0 to 1. The standard's distributions differ from library to library.
double part(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

} // namespace

std::optional<Duration> RoughPath::next() {
    // Always the same number of draws, so that one setting does not change what another does.
    const auto is_lost = part(random_) < conditions_.loss;
    const auto is_held = part(random_) < conditions_.reorder;
    const auto hold = part(random_);
    if (is_lost) return {};
    if (!is_held) return conditions_.delay;
    const auto most = static_cast<double>(std::max(conditions_.delay, k_least_hold).count());
    return conditions_.delay + Duration(static_cast<std::int64_t>(most * (0.5 + hold)));
}

} // namespace orbis::net
