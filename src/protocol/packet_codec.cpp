#include "protocol/packet_codec.hpp"

namespace orbis::protocol {

std::unexpected<Error> PayloadWriter::refuse(const Encoder& out, const PacketInfo& packet, std::size_t size) {
    if (!out.ok()) return fail(out.error().about(packet.name));
    return fail(error(Errc::too_large, "expected at most {} bytes of payload, found {}", packet.largest, size)
                    .about(packet.name));
}

} // namespace orbis::protocol
