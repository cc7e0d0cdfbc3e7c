#pragma once

#include "protocol/frame.hpp"
#include "protocol/packet_codec.hpp"

#include <memory>

namespace orbis::protocol {

/// A frame that several connections send: made once, shared without copies, gone with its last holder.
class SharedFrame {
public:
    explicit SharedFrame(Bytes frame);

    [[nodiscard]] Bytes bytes() const { return {memory_.get(), size_}; }
    /// The memory itself, for those who hold it longer than this object.
    [[nodiscard]] const std::shared_ptr<const std::uint8_t[]>& memory() const { return memory_; }
    /// Whether the bytes are the same; at once where they are the same memory.
    bool operator==(const SharedFrame& other) const;

private:
    std::shared_ptr<const std::uint8_t[]> memory_;
    std::size_t size_;
};

/// An error for payloads that are longer than the packet may be, before compression.
Result<void> check_payload_size(const PacketInfo& packet, std::size_t size);

/// Makes frames from payloads that are written already. Keeps its compressor and buffers: one per thread.
class PayloadFramer {
public:
    explicit PayloadFramer(int level = Compressor::k_game_level) : compressor_(level) {}

    /// The frame of a payload; valid until the next call.
    Result<Bytes> frame(const PacketInfo& packet, Bytes payload);

    /// The same for a payload of `size` bytes that is in one Zstandard frame already.
    Result<Bytes> frame_packed(const PacketInfo& packet, Bytes packed, std::size_t size);

    /// Compresses the payload of `memory`, which has room for a header before it, when the packet wants it,
    /// and fills in the header. The frame is in `memory` or in a buffer of its own.
    Result<Bytes> finish(const PacketInfo& packet, MutableBytes memory);

private:
    Bytes with_header(const PacketInfo& packet, Bytes payload);

    Compressor compressor_;
    GrowingBuffer buffer_;
};

/// Makes the frames that one side sends on one channel, or on any. Packets that may not be sent there do not
/// compile. Keeps its compressor and buffers: one per thread.
template <Side From, auto On = AnyChannel{}>
class FrameWriter {
public:
    explicit FrameWriter(int level = Compressor::k_game_level) : framer_(level) {}

    /// The frame of a packet; valid until the next call.
    template <SentBy<From> P>
        requires OnChannel<P, On>
    Result<Bytes> frame(const P& packet) {
        auto memory = payload_.write(packet, k_frame_header);
        if (!memory) return std::unexpected(std::move(memory).error());
        return framer_.finish(P::k_info, *memory);
    }

    /// The payload of a packet before compression; valid until the next call.
    template <SentBy<From> P>
        requires OnChannel<P, On>
    Result<Bytes> payload(const P& packet) {
        TRY(const auto memory, payload_.write(packet));
        return Bytes(memory);
    }

    /// The frame of a packet for many receivers.
    template <SentBy<From> P>
        requires OnChannel<P, On>
    Result<SharedFrame> shared_frame(const P& packet) {
        TRY(const auto made, frame(packet));
        return SharedFrame(made);
    }

private:
    PayloadWriter payload_;
    PayloadFramer framer_;
};

} // namespace orbis::protocol
