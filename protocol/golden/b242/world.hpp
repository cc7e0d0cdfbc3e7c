// Made by protocol/generate.py from the schema of b242; not to be edited.
#pragma once

#include "packets/vb242/fwd.hpp"
#include "protocol/packet_info.hpp"
#include "protocol/types.hpp"

namespace orbis::protocol::vb242 {

struct SetColumn {
    std::int32_t x = 0;
    std::int32_t z = 0;
    std::array<std::int32_t, 1024> heightmap{};
    Bytes tintmap;

    static constexpr std::uint32_t k_fixed = 4104, k_var_start = 4104;
    static constexpr PacketInfo k_info{138, "SetColumn", "world",
                                       protocol::Direction::to_client, protocol::Channel{1}, true,
                                       4104, 4105, 4100109};
    static constexpr bool k_bounded = true;
    static constexpr bool k_canonical = true;
    static std::size_t read(Decoder& in, std::size_t at, SetColumn& v);
    static std::size_t measure(Encoder& out, const SetColumn& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const SetColumn& v);
};

} // namespace orbis::protocol::vb242
