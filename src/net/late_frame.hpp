#pragma once

#include "protocol/frame_writer.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace orbis::net {

/// The frame of a payload that is kept, made when it is needed. Threads may use it at the same time.
class LateFrame {
public:
    /// The payload must not be longer than the packet may be. The packet lives as long as the program.
    LateFrame(const protocol::PacketInfo& packet, std::shared_ptr<const Buffer> payload)
        : packet_(packet), payload_(std::move(payload)) {}

    [[nodiscard]] const std::shared_ptr<const Buffer>& payload() const { return payload_; }
    [[nodiscard]] const protocol::SharedFrame& frame() {
        thread_local protocol::PayloadFramer framer; // few threads ever come here first
        return make(framer);
    }
    const protocol::SharedFrame& make(protocol::PayloadFramer& framer) {
        const std::lock_guard lock(mutex_);
        // Only what is too long cannot be compressed.
        if (!frame_) frame_.emplace(framer.frame(packet_, *payload_).value());
        return *frame_;
    }
    /// Memory that it takes now.
    [[nodiscard]] std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        return payload_->size() + (frame_ ? frame_->bytes().size() : 0);
    }

private:
    const protocol::PacketInfo& packet_;
    std::shared_ptr<const Buffer> payload_;
    mutable std::mutex mutex_;
    std::optional<protocol::SharedFrame> frame_;
};

} // namespace orbis::net
