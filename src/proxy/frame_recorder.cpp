#include "proxy/frame_recorder.hpp"

#include "capture/recorder.hpp"
#include "net/capture_tap.hpp"
#include "proxy/record_of.hpp"

namespace orbis::proxy {

capture::Record record_of(const Sighting& sighting) {
    const auto& player = sighting.player;
    const bool is_up = sighting.from == End::client;
    capture::Record record;
    record.time = sighting.time.time_since_epoch().count();
    record.to = is_up ? protocol::Side::server : protocol::Side::client;
    record.stream = sighting.stream;
    // Stream 0 is Default, and those of a server are the other channels in their order.
    record.channel = static_cast<protocol::Channel>((sighting.stream + 1) / 4);
    record.session = player.number;
    record.build = player.build;
    record.build_name = player.version;
    record.source = net::captured_endpoint(is_up ? player.client : player.server);
    record.destination = net::captured_endpoint(is_up ? player.server : player.client);
    record.frame = sighting.bytes;
    record.length = sighting.bytes.size();
    return record;
}

void FrameRecorder::on_sighting(const Sighting& sighting) {
    if (sighting.kind == Sighting::Kind::frame) recorder_->record(record_of(sighting));
}

} // namespace orbis::proxy
