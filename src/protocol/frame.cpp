#include "protocol/frame.hpp"

#include "bytes/reader.hpp"

#include <algorithm>

namespace orbis::protocol {

namespace {

/// One large frame does not hold its memory forever.
constexpr std::size_t k_largest_kept = 256 * 1024;

std::unexpected<FrameFailure> refuse(FrameFault fault, Error&& error) {
    return std::unexpected(FrameFailure{fault, std::move(error)});
}

} // namespace

std::string_view name(FrameFault fault) {
    switch (fault) {
    case FrameFault::frame_length: return "frame-length";
    case FrameFault::packet_unknown: return "packet-unknown";
    case FrameFault::packet_too_long: return "packet-too-long";
    case FrameFault::channel: return "channel";
    case FrameFault::zstd_header: return "zstd-header";
    case FrameFault::zstd_too_long: return "zstd-too-long";
    case FrameFault::zstd_data: return "zstd-data";
    case FrameFault::payload: return "payload";
    }
    return "unknown";
}

void FrameDecoder::feed(Bytes bytes) {
    if (start_ > 0) {
        pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(start_));
        start_ = 0;
        if (pending_.empty() && pending_.capacity() > k_largest_kept) pending_.shrink_to_fit();
    }
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

std::expected<std::optional<Frame>, FrameFailure> FrameDecoder::next() {
    const auto waiting = Bytes(pending_).subspan(start_);
    if (waiting.size() < k_frame_header) return std::nullopt;
    const auto length = load_le<std::int32_t>(waiting.data());
    const auto id = load_le<std::int32_t>(waiting.data() + 4);
    if (length < 0 || static_cast<std::uint32_t>(length) > k_largest_payload)
        return refuse(
            FrameFault::frame_length,
            error(Errc::bad_value, "expected a payload of 0 to {} bytes, found {}", k_largest_payload, length)
                .about("frame header")
                .at(0));

    const auto size = static_cast<std::size_t>(length);
    const auto* packet = registry_.find(id);
    if (rules_.receiver) {
        if (packet == nullptr)
            return refuse(FrameFault::packet_unknown,
                          error(Errc::unknown_kind, "expected the id of a packet, found {}", id)
                              .about("frame header")
                              .at(4));
        if (!packet->may_reach(*rules_.receiver))
            return refuse(FrameFault::packet_unknown,
                          error(Errc::bad_value, "expected a packet for the {}, found one for the other side",
                                *rules_.receiver == Side::client ? "client" : "server")
                              .about(packet->name)
                              .at(4));
    }
    const auto largest = std::min(packet != nullptr ? packet->largest : k_largest_payload, rules_.largest);
    if (size > largest)
        return refuse(FrameFault::packet_too_long,
                      error(Errc::too_large, "expected a payload of up to {} bytes, found {}", largest, size)
                          .about(packet != nullptr ? packet->name : "frame header")
                          .at(0));
    if (packet != nullptr && rules_.channel && packet->channel != *rules_.channel)
        return refuse(FrameFault::channel,
                      error(Errc::bad_value, "expected a packet of the channel {}, found one of {}",
                            name(*rules_.channel), name(packet->channel))
                          .about(packet->name)
                          .at(4));
    if (waiting.size() - k_frame_header < size) return std::nullopt;

    Frame frame{id, packet, waiting.subspan(k_frame_header, size), k_frame_header + size, false};
    frame.is_compressed = packet != nullptr && packet->compressed && size > 0;
    if (frame.is_compressed && rules_.decompresses) {
        if (decompressor_ == nullptr) {
            own_decompressor_ = std::make_unique<Decompressor>();
            decompressor_ = own_decompressor_.get();
        }
        auto content = decompress_payload(*decompressor_, *packet, frame.payload, rules_.largest);
        if (!content) return std::unexpected(std::move(content).error());
        frame.payload = *content;
        frame.is_compressed = false;
    }
    start_ += frame.length;
    return frame;
}

std::expected<Bytes, FrameFailure> decompress_payload(Decompressor& decompressor, const PacketInfo& packet,
                                                      Bytes payload, std::uint32_t receiver_largest) {
    const auto stated = zstd_content_size(payload);
    if (!stated)
        return refuse(FrameFault::zstd_header,
                      error(Errc::bad_frame, "expected a Zstandard frame that states its size, found none")
                          .about(packet.name)
                          .at(k_frame_header));
    const auto largest = std::min(packet.largest, receiver_largest);
    if (*stated > largest)
        return refuse(FrameFault::zstd_too_long,
                      error(Errc::too_large,
                            "expected at most {} bytes of content, found a frame that states {}", largest,
                            *stated)
                          .about(packet.name)
                          .at(k_frame_header));
    const auto length = zstd_frame_length(payload);
    if (!length || !is_only_skippable(payload.subspan(*length)))
        return refuse(
            FrameFault::zstd_data,
            error(Errc::bad_frame, "expected one whole Zstandard frame, found another length or more data")
                .about(packet.name)
                .at(k_frame_header));
    // Against nothing: how far a packet may shrink is not that of a chunk, and it has a limit of its own.
    auto content = decompressor.decompress_against({}, payload.first(*length), *stated, largest);
    if (!content) return refuse(FrameFault::zstd_data, std::move(content).error().about(packet.name));
    return *content;
}

} // namespace orbis::protocol
