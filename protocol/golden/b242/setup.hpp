// Made by protocol/generate.py from the schema of b242; not to be edited.
#pragma once

#include "packets/vb242/fwd.hpp"
#include "protocol/packet_info.hpp"
#include "protocol/types.hpp"

namespace orbis::protocol::vb242 {

struct ViewRadius {
    std::int32_t value = 0;

    static constexpr std::uint32_t k_fixed = 4, k_var_start = 4;
    static constexpr bool k_bulk = false, k_any_bytes = false;
    static constexpr PacketInfo k_info{32, "ViewRadius", "setup",
                                       protocol::Direction::both, protocol::Channel{1}, false,
                                       4, 4, 4};
    static constexpr bool k_bounded = true;
    static constexpr bool k_canonical = true;
    static std::size_t read(Decoder& in, std::size_t at, ViewRadius& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const ViewRadius& v);
};

} // namespace orbis::protocol::vb242
