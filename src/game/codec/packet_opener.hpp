#pragma once

#include "protocol/arena.hpp"
#include "protocol/frame.hpp"
#include "protocol/packet_codec.hpp"

namespace orbis::game {

/// Opens the packets that a client gets about a world, whose payloads may still be compressed.
class PacketOpener {
public:
    /// The tools of the connection's thread.
    PacketOpener(Decompressor& decompressor, protocol::Arena& arena)
        : decompressor_(decompressor), arena_(arena) {}

    /// Valid until the arena is reset or the decompressor used again.
    template <typename P>
    Result<const P*> open(const protocol::Frame& frame) const {
        auto payload = frame.payload;
        if (frame.is_compressed) {
            const auto opened =
                protocol::decompress_payload(decompressor_, *frame.packet, frame.payload, k_largest);
            if (!opened) return fail(Error(opened.error().error));
            payload = *opened;
        }
        auto* packet = arena_.take<P>(1);
        new (packet) P;
        if (!protocol::decode(payload, arena_, *packet))
            return fail(Errc::bad_value, "{} cannot be read", frame.packet->name);
        return packet;
    }

private:
    /// What a client is ready to hold: registries are single packets of megabytes.
    static constexpr std::uint32_t k_largest = 128 << 20;

    Decompressor& decompressor_;
    protocol::Arena& arena_;
};

} // namespace orbis::game
