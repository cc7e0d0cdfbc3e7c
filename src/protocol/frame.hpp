#pragma once

#include "bytes/result.hpp"
#include "bytes/zstd.hpp"
#include "protocol/packet_info.hpp"

#include <expected>
#include <optional>

namespace orbis::protocol {

/// `i32 payload length | i32 packet id`, both little-endian.
inline constexpr std::size_t k_frame_header = 8;

/// One packet as it came out of a stream.
struct Frame {
    std::int32_t id = 0;
    const PacketInfo* packet = nullptr; ///< null only for a watcher that met an unknown id
    Bytes payload;                      ///< decompressed; valid until the decoder is used again
    std::size_t length = 0;             ///< bytes that the frame took in the stream
};

/// Why a connection must be closed.
struct FrameFailure {
    enum class Kind : std::uint8_t {
        violation, ///< of the protocol: closed as such
        broken,    ///< compressed data that does not decompress: closed as an internal error
    };
    Kind kind = Kind::violation;
    Error error;
};

/// What may come out of a stream.
struct FrameRules {
    /// Who reads. A watcher, which has no side, lets every id and direction pass.
    std::optional<Side> receiver;
    /// The channel that the stream is tied to, if it is.
    std::optional<Channel> channel;
};

/// Cuts a stream into frames, piece by piece as it arrives, with the checks of docs/formats/protocol.md in
/// their order. It never holds more than what arrived and one decompressed payload; a length that is only
/// claimed allocates nothing.
class FrameDecoder {
public:
    FrameDecoder(Registry registry, FrameRules rules) : registry_(registry), rules_(rules) {}

    /// Takes over the next bytes of the stream. Frames that were handed out before are invalid then.
    void feed(Bytes bytes);

    /// The next frame; nothing when more bytes are needed. After a failure the stream is of no use.
    std::expected<std::optional<Frame>, FrameFailure> next();

    /// Bytes that wait for the rest of their frame.
    [[nodiscard]] std::size_t pending() const { return pending_.size() - start_; }

private:
    std::expected<Bytes, FrameFailure> decompressed(const PacketInfo& packet, Bytes payload);

    Registry registry_;
    FrameRules rules_;
    Buffer pending_;
    std::size_t start_ = 0; ///< of the next frame in pending_
    Decompressor decompressor_;
};

} // namespace orbis::protocol
