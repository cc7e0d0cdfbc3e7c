#include "wire/outgoing.hpp"

#include "protocol/catalogue.hpp"
#include "wire/inside.hpp"

namespace orbis::wire {

namespace {

Result<net::OutgoingFrame> outgoing_payload(const PacketEntry& entry, Bytes payload, protocol::Side to) {
    if (entry.build->schema.build() != protocol::k_default_build)
        return fail(error(Errc::unsupported, "connections use build {}, not {}", protocol::k_default_build,
                          entry.build->schema.build())
                        .about(entry.info->name));
    if (!entry.info->may_reach(to))
        return fail(error(Errc::usage, "a {} does not take this packet",
                          to == protocol::Side::client ? "client" : "server")
                        .about(entry.info->name));
    thread_local protocol::PayloadFramer framer;
    return net::OutgoingFrame::make(framer, *entry.info, payload);
}

} // namespace

Result<net::OutgoingFrame> outgoing(const Packet& packet, protocol::Side to) {
    TRY(const auto payload, packet.payload());
    return outgoing_payload(*Inside::state(packet).entry, payload, to);
}

Result<net::OutgoingFrame> outgoing(const Frame& frame, protocol::Side to) {
    TRY(const auto* entry, Inside::state(frame.protocol()).look_up(frame.id()));
    return outgoing_payload(*entry, frame.payload(), to);
}

Result<void> OnTheWay::add(std::size_t bytes) {
    if (posted_ + held_ + bytes > k_most)
        return fail(error(Errc::busy, "{} bytes are still on their way", posted_ + held_)
                        .advise("send again when some of them have arrived"));
    posted_ += bytes;
    return {};
}

} // namespace orbis::wire
