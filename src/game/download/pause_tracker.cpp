#include "game/download/pause_tracker.hpp"

namespace orbis::game {

using namespace std::chrono_literals;

namespace {

/// Pings come every second.
constexpr net::Duration k_longest_silence = 2500ms;
/// The next pause may last this many times the longest one so far.
constexpr int k_pauses = 2;
constexpr net::Duration k_longest_wait = 30s;

} // namespace

bool PauseTracker::is_stuck(net::Time now) const {
    return has_pings_ && now - last_packet_ > k_longest_silence;
}

void PauseTracker::note_packet(net::Time now) {
    // A server that was stuck goes on now with what it was about to do.
    if (is_stuck(now)) quiet_since_ = now;
    last_packet_ = now;
}

void PauseTracker::note_chunk(net::Time now) {
    if (has_begun_) longest_pause_ = std::max(longest_pause_, now - quiet_since_);
    has_begun_ = true;
    quiet_since_ = now;
}

net::Duration PauseTracker::quiet(net::Time now) const {
    return is_stuck(now) ? net::Duration::zero() : now - quiet_since_;
}

net::Duration PauseTracker::least(net::Duration least) const {
    return std::max(least, std::min(longest_pause_ * k_pauses, k_longest_wait));
}

} // namespace orbis::game
