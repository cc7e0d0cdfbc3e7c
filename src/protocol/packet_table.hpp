#pragma once

#include "protocol/decoder.hpp"
#include "protocol/encoder.hpp"
#include "protocol/packet_info.hpp"

namespace orbis::protocol {

/// A packet without its type: for code that treats all packets alike, chosen by id at run time.
struct PacketCode {
    PacketInfo info;
    /// Reads a packet into memory of the decoder's arena; null when it is refused.
    const void* (*read)(Decoder& in);
    /// Writes such a packet to the start of the encoder's memory and returns the byte after it.
    std::uint8_t* (*write)(Encoder& out, std::uint8_t* to, const void* packet);
    /// Its size, for when the memory did not suffice.
    std::size_t (*measure)(Encoder& out, const void* packet);
};

template <typename P>
constexpr PacketCode code_of() {
    return {P::k_info,
            [](Decoder& in) -> const void* {
                auto* packet = in.arena().take<P>(1);
                in.packet(*packet);
                return in.ok() ? packet : nullptr;
            },
            [](Encoder& out, std::uint8_t* to, const void* packet) {
                return P::write(out, to, *static_cast<const P*>(packet));
            },
            []([[maybe_unused]] Encoder& out, [[maybe_unused]] const void* packet) -> std::size_t {
                if constexpr (FixedStruct<P>)
                    return P::k_fixed;
                else
                    return P::measure(out, *static_cast<const P*>(packet));
            }};
}

} // namespace orbis::protocol
