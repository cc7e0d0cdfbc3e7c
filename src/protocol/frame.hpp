#pragma once

#include "bytes/result.hpp"
#include "bytes/zstd.hpp"
#include "protocol/packet_info.hpp"

#include <expected>
#include <memory>
#include <optional>

namespace orbis::protocol {

/// `i32 payload length | i32 packet id`, both little-endian.
inline constexpr std::size_t k_frame_header = 8;

/// One packet as it came out of a stream.
struct Frame {
    std::int32_t id = 0;
    const PacketInfo* packet = nullptr; ///< null only for a watcher that met an unknown id
    Bytes payload;                      ///< valid until the decoder is used again
    std::size_t length = 0;             ///< bytes that the frame took in the stream
    bool is_compressed = false;         ///< whether the payload still is, as `FrameRules` may want it
};

/// What is wrong with a frame.
enum class FrameFault : std::uint8_t {
    frame_length,    ///< negative, or more than any payload may have
    packet_unknown,  ///< no packet of the build, or not one for this side
    packet_too_long, ///< more than this packet may have
    channel,         ///< a packet of another channel than the stream's
    zstd_header,     ///< not a zstd frame that states its size
    zstd_too_long,   ///< states more content than this packet may have
    zstd_data,       ///< does not decompress to what it states, or is followed by something
    payload,         ///< cannot be read as its build says
};

/// `frame-length` for example: the codes of the vectors. Stable: scripts may rely on them.
std::string_view name(FrameFault fault);

/// Why a connection must be closed.
struct FrameFailure {
    FrameFault fault;
    Error error; ///< offsets count from the start of the frame

    /// Broken data closes as an internal error, everything else as a violation of the protocol.
    [[nodiscard]] bool is_violation() const { return fault != FrameFault::zstd_data; }
};

/// What may come out of a stream.
struct FrameRules {
    /// The side that reads. A watcher, which has no side, lets every direction and every unknown id pass.
    std::optional<Side> receiver;
    /// The channel that the stream is tied to, if it is.
    std::optional<Channel> channel;
    /// Payloads above this are refused, compressed or not, even if their packet may have them: what a
    /// receiver is ready to hold for one peer.
    std::uint32_t largest = k_largest_payload;
    /// Whether payloads come out decompressed. Readers of few packets decompress these on their own.
    bool decompresses = true;
};

/// The content of a compressed payload, with the checks of a receiver that holds up to `largest` bytes; valid
/// until the decompressor is used again.
std::expected<Bytes, FrameFailure> decompress_payload(Decompressor& decompressor, const PacketInfo& packet,
                                                      Bytes payload, std::uint32_t largest);

/// Cuts a stream into frames, piece by piece as it arrives, with the checks of docs/formats/protocol.md in
/// their order. It never holds more than what arrived and one decompressed payload; a length that is only
/// claimed allocates nothing.
class FrameDecoder {
public:
    FrameDecoder(Registry registry, FrameRules rules) : registry_(registry), rules_(rules) {}
    /// With a decompressor that many share: a frame is valid until any of them is used again.
    FrameDecoder(Registry registry, FrameRules rules, Decompressor& shared)
        : registry_(registry), rules_(rules), decompressor_(&shared) {}

    /// Changes what the receiver is ready to hold, for frames that come from now on.
    void set_largest(std::uint32_t largest) { rules_.largest = largest; }
    /// The stream is one of another build, from the next frame on.
    void set_registry(Registry registry) { registry_ = registry; }

    /// Takes over the next bytes of the stream. Frames that were handed out before are invalid then.
    void feed(Bytes bytes);

    /// The next frame; nothing when more bytes are needed. After a failure the stream is of no use.
    std::expected<std::optional<Frame>, FrameFailure> next();

    /// Bytes that wait for the rest of their frame.
    [[nodiscard]] std::size_t pending() const { return pending_.size() - start_; }

private:
    Registry registry_;
    FrameRules rules_;
    Buffer pending_;
    std::size_t start_ = 0; ///< of the next frame in pending_
    Decompressor* decompressor_ = nullptr;
    std::unique_ptr<Decompressor> own_decompressor_; ///< made for the first frame that needs one
};

} // namespace orbis::protocol
