#include "net/capture_tap.hpp"

#include "net/quic_link.hpp"
#include "protocol/frame.hpp"

#include <cstring>

namespace orbis::net {

capture::Endpoint captured_endpoint(const Address& address) {
    capture::Endpoint out;
    if (address.family() == AF_INET) {
        const auto& v4 = *reinterpret_cast<const sockaddr_in*>(address.data());
        std::memcpy(out.address.data(), &v4.sin_addr, out.size = 4);
    } else if (address.family() == AF_INET6) {
        const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(address.data());
        std::memcpy(out.address.data(), &v6.sin6_addr, out.size = 16);
    }
    out.port = out.size > 0 ? address.port() : 0;
    return out;
}

void CaptureTap::on_frame(const Link& link, Side to, Channel channel, Bytes frame) {
    capture::Record record;
    record.time = capture::now_in_nanoseconds();
    record.to = to;
    record.channel = channel;
    record.stream = link.peer().is_tcp ? -1 : static_cast<std::int64_t>(stream_of(channel));
    record.session = session_;
    record.frame = frame;
    record.length = frame.size();
    if (to == Side::server && record.id() == capture::k_connect)
        build_ = capture::build_of_connect(frame.subspan(protocol::k_frame_header));
    record.build = build_.build;
    record.build_name = build_.name;
    // The own address is not known here, and says nothing that the peer's does not.
    (to == link.side() ? record.source : record.destination) = captured_endpoint(link.peer().address);
    recorder_->record(record);
}

} // namespace orbis::net
