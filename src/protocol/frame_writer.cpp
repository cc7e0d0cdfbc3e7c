#include "protocol/frame_writer.hpp"

#include "bytes/writer.hpp"

#include <cstring>

namespace orbis::protocol {

namespace {

void put_header(std::uint8_t* at, std::size_t size, std::int32_t id) {
    store_le(at, static_cast<std::int32_t>(size));
    store_le(at + 4, id);
}

} // namespace

Result<void> check_payload_size(const PacketInfo& packet, std::size_t size) {
    if (size <= packet.largest) return {};
    return fail(error(Errc::too_large, "expected at most {} bytes of payload, found {}", packet.largest, size)
                    .about(packet.name));
}

SharedFrame::SharedFrame(Bytes frame) : size_(frame.size()) {
    auto memory = std::make_shared_for_overwrite<std::uint8_t[]>(frame.size());
    if (!frame.empty()) std::memcpy(memory.get(), frame.data(), frame.size());
    memory_ = std::move(memory);
}

bool SharedFrame::operator==(const SharedFrame& other) const {
    return size_ == other.size_
           && (memory_ == other.memory_ || std::memcmp(memory_.get(), other.memory_.get(), size_) == 0);
}

Result<Bytes> PayloadFramer::frame(const PacketInfo& packet, Bytes payload) {
    TRY_DO(check_payload_size(packet, payload.size()));
    if (packet.compressed && !payload.empty()) {
        TRY(payload, compressor_.compress(payload));
    }
    return with_header(packet, payload);
}

Result<Bytes> PayloadFramer::frame_packed(const PacketInfo& packet, Bytes packed, std::size_t size) {
    TRY_DO(check_payload_size(packet, size));
    return with_header(packet, packed);
}

Bytes PayloadFramer::with_header(const PacketInfo& packet, Bytes payload) {
    const auto frame = buffer_.take(k_frame_header + payload.size());
    put_header(frame.data(), payload.size(), packet.id);
    if (!payload.empty()) std::memcpy(frame.data() + k_frame_header, payload.data(), payload.size());
    return frame;
}

Result<Bytes> PayloadFramer::finish(const PacketInfo& packet, MutableBytes memory) {
    const auto payload = memory.subspan(k_frame_header);
    if (packet.compressed && !payload.empty()) return frame(packet, payload);
    put_header(memory.data(), payload.size(), packet.id);
    return Bytes(memory);
}

} // namespace orbis::protocol
