#pragma once

#include "net/outgoing_frame.hpp"

#include <optional>
#include <vector>

namespace orbis::game {

/// Gathers frames, and remembers the first packet that could not be written.
class RegistryFrames {
public:
    explicit RegistryFrames(net::FrameTools<protocol::Side::server>& tools) : tools_(tools) {}

    template <protocol::SentBy<protocol::Side::server> P>
    void add(const P& packet) {
        if (failure_) return;
        if (auto frame = net::OutgoingFrame::make(tools_.writer, packet))
            frames_.push_back(*std::move(frame));
        else
            failure_ = std::move(frame).error().about(P::k_info.name);
    }

    Result<std::vector<net::OutgoingFrame>> finish() {
        if (failure_) return fail(*std::move(failure_));
        return std::move(frames_);
    }

private:
    net::FrameTools<protocol::Side::server>& tools_;
    std::vector<net::OutgoingFrame> frames_;
    std::optional<Error> failure_;
};

} // namespace orbis::game
