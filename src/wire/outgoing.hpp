#pragma once

#include "net/outgoing_frame.hpp"
#include "orbis/wire/frame.hpp"

#include <atomic>

namespace orbis::wire {

/// What a packet or frame is on its way to a side of the usual build; an error where that side takes none of
/// its kind. May be called by any thread.
Result<net::OutgoingFrame> outgoing(const Packet& packet, protocol::Side to);
Result<net::OutgoingFrame> outgoing(const Frame& frame, protocol::Side to);

/// How much a connection has on its way: counted by any thread, so that who sends too fast hears of it before
/// the connection ends for that.
class OnTheWay {
public:
    static constexpr std::size_t k_most = 16 << 20; ///< bytes

    /// Before bytes are handed to the connection's thread; an error if there are too many.
    Result<void> add(std::size_t bytes);
    /// In that thread: they are the connection's now, which holds so many in all.
    void handed_over(std::size_t bytes, std::size_t held) {
        held_ = held;
        posted_ -= bytes;
    }
    /// In that thread: what the connection holds now.
    void set_held(std::size_t held) { held_ = held; }
    [[nodiscard]] std::size_t bytes() const { return posted_ + held_; }

private:
    std::atomic<std::size_t> posted_ = 0;
    std::atomic<std::size_t> held_ = 0;
};

} // namespace orbis::wire
