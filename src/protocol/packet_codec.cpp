#include "protocol/packet_codec.hpp"

#include <algorithm>

namespace orbis::protocol {

Result<MutableBytes> PayloadWriter::refuse(const Encoder& out, const PacketInfo& packet, std::size_t size) {
    if (out.failed()) return fail(out.error().about(packet.name));
    return fail(error(Errc::too_large, "expected at most {} bytes of payload, found {}", packet.largest, size)
                    .about(packet.name));
}

std::expected<void, Failure> refused(const Decoder& in, const PacketInfo& packet) {
    auto failure = in.failure();
    failure.field = packet.name;
    return std::unexpected(std::move(failure));
}

std::expected<void, Failure> compared(const PacketInfo& packet, Bytes payload,
                                      const Result<MutableBytes>& written) {
    const Bytes canonical = written ? Bytes(*written) : Bytes();
    const auto same = std::ranges::mismatch(payload, canonical);
    if (written && same.in1 == payload.end() && same.in2 == canonical.end()) return {};
    const auto at = static_cast<std::size_t>(same.in1 - payload.begin());
    return std::unexpected(Failure{Fault::not_canonical, at, std::string(packet.name)});
}

} // namespace orbis::protocol
