#include "orbis/wire/frame.hpp"

#include "protocol/frame.hpp"
#include "wire/inside.hpp"

namespace orbis::wire {

Result<Frame> Frame::make(std::string_view name, std::vector<std::uint8_t> payload,
                          const Protocol& protocol) {
    const auto& build = Inside::state(protocol);
    TRY(const auto* entry, build.look_up(name));
    return Inside::frame(build, entry->info->id, std::move(payload), 0);
}

std::string_view Frame::name() const {
    const auto* entry = Inside::state(protocol_).find(id_);
    return entry != nullptr ? entry->info->name : std::string_view();
}

Result<Packet> Frame::packet(Reading reading) const { return protocol_.decode(id_, payload_, reading); }

Result<std::vector<std::uint8_t>> Frame::bytes() const {
    TRY(const auto* entry, Inside::state(protocol_).look_up(id_));
    TRY(const auto frame, framed(*entry, payload_));
    return Buffer(frame.begin(), frame.end());
}

struct FrameReader::State {
    const BuildState& build;
    protocol::FrameDecoder decoder;
    std::optional<Error> failure; ///< the first, which stays
};

FrameReader::FrameReader(const Protocol& protocol, Receiver side) {
    protocol::FrameRules rules;
    if (side == Receiver::client) rules.receiver = protocol::Side::client;
    if (side == Receiver::server) rules.receiver = protocol::Side::server;
    const auto& build = Inside::state(protocol);
    state_ = std::make_unique<State>(build, protocol::FrameDecoder(build.schema.registry(), rules));
}

FrameReader::~FrameReader() = default;
FrameReader::FrameReader(FrameReader&& other) noexcept = default;
FrameReader& FrameReader::operator=(FrameReader&& other) noexcept = default;

void FrameReader::feed(std::span<const std::uint8_t> bytes) {
    if (!state_->failure) state_->decoder.feed(bytes);
}

Result<std::optional<Frame>> FrameReader::next() {
    if (state_->failure) return std::unexpected(*state_->failure);
    auto next = state_->decoder.next();
    if (!next) {
        state_->failure = std::move(next.error().error);
        return std::unexpected(*state_->failure);
    }
    if (!*next) return std::nullopt;
    const auto& frame = **next;
    return Inside::frame(state_->build, frame.id, Buffer(frame.payload.begin(), frame.payload.end()),
                         frame.length);
}

std::size_t FrameReader::pending() const { return state_->decoder.pending(); }

} // namespace orbis::wire
