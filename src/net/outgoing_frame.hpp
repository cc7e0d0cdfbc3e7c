#pragma once

#include "net/late_frame.hpp"
#include "net/renderings.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/packet_codec.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace orbis::net {

/// A frame and the channel that it belongs to. It can only be made from a packet, which knows its channel, so
/// no sender can put it on another. Made once for many receivers.
class OutgoingFrame {
public:
    template <protocol::Side From, protocol::SentBy<From> P>
    static Result<OutgoingFrame> make(protocol::FrameWriter<From>& writer, const P& packet) {
        TRY(auto frame, writer.shared_frame(packet));
        return OutgoingFrame(P::k_info, std::move(frame));
    }
    /// From a payload that was written before, such as one that is kept with its chunk.
    static Result<OutgoingFrame> make(protocol::PayloadFramer& framer, const protocol::PacketInfo& packet,
                                      Bytes payload) {
        TRY(const auto frame, framer.frame(packet, payload));
        return OutgoingFrame(packet, protocol::SharedFrame(frame));
    }

    /// From a payload that is kept: its frame is made when it is first asked for. For packets that clients of
    /// some builds never get as they are.
    static Result<OutgoingFrame> keep(const protocol::PacketInfo& packet,
                                      std::shared_ptr<const Buffer> payload) {
        TRY_DO(protocol::check_payload_size(packet, payload->size()));
        return OutgoingFrame(packet, std::make_shared<LateFrame>(packet, std::move(payload)));
    }

    [[nodiscard]] protocol::Channel channel() const { return info_->channel; }
    /// The id of its packet.
    [[nodiscard]] std::int32_t packet() const { return info_->id; }
    [[nodiscard]] const protocol::PacketInfo& info() const { return *info_; }
    /// Made now if it was not, which takes as long as to compress it.
    [[nodiscard]] const protocol::SharedFrame& frame() const { return late_ ? late_->frame() : *frame_; }
    /// Makes it now if it was not.
    void make_frame(protocol::PayloadFramer& framer) const {
        if (late_) late_->make(framer);
    }
    /// The payload before compression where it was kept; null else.
    [[nodiscard]] std::shared_ptr<const Buffer> payload() const { return late_ ? late_->payload() : nullptr; }
    /// What all copies of it share, and no other frame has as long as somebody holds it.
    [[nodiscard]] std::shared_ptr<const void> memory() const {
        if (late_) return late_;
        return frame_->memory();
    }
    /// Whether the packets are the same.
    bool operator==(const OutgoingFrame& other) const {
        if (info_ != other.info_) return false;
        if (late_ && other.late_) return late_ == other.late_ || *late_->payload() == *other.late_->payload();
        return frame() == other.frame();
    }
    /// Memory that it takes, with what was made of it for other builds.
    [[nodiscard]] std::size_t bytes() const {
        return (late_ ? late_->bytes() : frame_->bytes().size()) + renderings_->bytes();
    }
    /// Says that it was made for clients of one other build.
    void set_words(const protocol::Dialect& dialect) { words_ = &dialect; }
    /// The dialect in which it is; null for the usual build.
    [[nodiscard]] const protocol::Dialect* words() const { return words_; }
    /// The same for clients of other builds.
    [[nodiscard]] Renderings& renderings() const { return *renderings_; }

private:
    OutgoingFrame(const protocol::PacketInfo& packet, protocol::SharedFrame frame)
        : info_(&packet), frame_(std::move(frame)) {}
    OutgoingFrame(const protocol::PacketInfo& packet, std::shared_ptr<LateFrame> frame)
        : info_(&packet), late_(std::move(frame)) {}

    const protocol::PacketInfo* info_; ///< lives as long as the program
    std::optional<protocol::SharedFrame> frame_;
    std::shared_ptr<LateFrame> late_; ///< in its place
    const protocol::Dialect* words_ = nullptr;
    std::shared_ptr<Renderings> renderings_ = std::make_shared<Renderings>();
};

/// What makes and reads packets in one thread; connections share it.
template <protocol::Side At>
struct FrameTools {
    protocol::FrameWriter<At> writer;
    protocol::PayloadFramer framer;
    Decompressor decompressor;
    protocol::Arena arena;
};

} // namespace orbis::net
