#include "game/content/registry_frames.hpp"

#include "protocol/catalogue.hpp"
#include "protocol/generic_codec.hpp"

namespace orbis::game {
namespace {

const protocol::Schema& usual_schema() { return **protocol::find_schema(protocol::k_default_build); }

} // namespace

void RegistryFrames::add_value(const protocol::PacketInfo& info, Bytes payload) {
    const auto& schema = usual_schema();
    auto value = protocol::decode(*schema.packet(info.name), payload, schema.read_rules());
    if (value)
        values_.emplace_back(&info, *std::move(value));
    else
        failure_ = error(Errc::bad_value, "cannot be read again").about(info.name);
}

Result<std::vector<net::OutgoingFrame>> RegistryFrames::finish() {
    if (failure_) return fail(*std::move(failure_));
    Buffer payload;
    for (const auto& [info, value] : values_) {
        payload.clear();
        if (auto written = protocol::encode(*usual_schema().packet(info->name), value, payload); !written)
            return fail(std::move(written).error().about(info->name));
        TRY(auto frame, net::OutgoingFrame::make(tools_.framer, *info, payload));
        frames_.push_back(std::move(frame));
    }
    return std::move(frames_);
}

} // namespace orbis::game
