#pragma once

#include "net/time.hpp"

#include <algorithm>

namespace orbis::game {

/// How long a server has been quiet, and how long it may be, from what it did before: a server that has
/// paused in the middle of sending may do so again, and one that sends nothing at all, not even its ping of
/// every second, is not quiet but stuck.
class PauseTracker {
public:
    /// The player is at another stop: what comes is in answer to that.
    void begin(net::Time now) { quiet_since_ = now, has_begun_ = false; }
    /// A packet of any kind has come.
    void note_packet(net::Time now);
    void note_ping() { has_pings_ = true; }
    /// Something of a chunk has come.
    void note_chunk(net::Time now);

    /// How long nothing of a chunk has come while the server was there. Zero while it is stuck.
    [[nodiscard]] net::Duration quiet(net::Time now) const;
    /// How long nothing at all has come. Servers send a ping every second.
    [[nodiscard]] net::Duration silence(net::Time now) const {
        return last_packet_ == net::Time{} ? net::Duration::zero() : now - last_packet_;
    }
    /// The least time to wait: `least`, or longer where the server has paused for longer.
    [[nodiscard]] net::Duration least(net::Duration least) const;

private:
    [[nodiscard]] bool is_stuck(net::Time now) const;

    net::Time quiet_since_{};
    net::Time last_packet_{};
    net::Duration longest_pause_{}; ///< between two chunks at one stop
    bool has_begun_ = false;        ///< something has come at this stop
    bool has_pings_ = false;
};

} // namespace orbis::game
