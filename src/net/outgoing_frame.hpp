#pragma once

#include "net/renderings.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/packet_codec.hpp"

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

    [[nodiscard]] protocol::Channel channel() const { return info_->channel; }
    /// The id of its packet.
    [[nodiscard]] std::int32_t packet() const { return info_->id; }
    [[nodiscard]] const protocol::PacketInfo& info() const { return *info_; }
    [[nodiscard]] const protocol::SharedFrame& frame() const { return frame_; }
    /// Says that it was made for clients of one other build.
    void set_words(const protocol::Dialect& dialect) { words_ = &dialect; }
    /// The dialect in which it is; null for the usual build.
    [[nodiscard]] const protocol::Dialect* words() const { return words_; }
    /// The same for clients of other builds.
    [[nodiscard]] Renderings& renderings() const { return *renderings_; }

private:
    OutgoingFrame(const protocol::PacketInfo& packet, protocol::SharedFrame frame)
        : info_(&packet), frame_(std::move(frame)) {}

    const protocol::PacketInfo* info_; ///< lives as long as the program
    protocol::SharedFrame frame_;
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
