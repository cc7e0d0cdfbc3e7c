#include "game/download/usual_frames.hpp"

#include "capture/record_decoder.hpp"
#include "packets/registry.hpp"

namespace orbis::game {

namespace {

constexpr std::uint32_t k_largest_captured = 128 << 20;

} // namespace

Result<void> UsualFrames::hear(const capture::Record& record, const net::Interpreter::Take& take) {
    const auto* packet = capture::packet_of(record);
    if (packet == nullptr || !record.is_whole()) return {};
    const auto payload = record.frame.subspan(protocol::k_frame_header);
    protocol::Frame frame{record.id(), packet, payload, record.frame.size(),
                          packet->compressed && !payload.empty()};
    const auto* dialect = protocol::Dialect::of(*record.build);
    if (dialect == nullptr) {
        frame.packet = packets::registry().find(frame.id);
        if (frame.packet != nullptr) take(frame);
        return {};
    }
    if (!interpreter_ || &interpreter_->dialect() != dialect)
        interpreter_.emplace(*dialect, protocol::Side::client, false, framer_, decompressor_,
                             [](protocol::Channel, Bytes) {});
    const auto heard =
        interpreter_->hear(frame, k_largest_captured, [](const protocol::PacketInfo&) { return true; }, take);
    if (!heard) return fail(Error(heard.error().error).about(packet->name));
    return {};
}

} // namespace orbis::game
