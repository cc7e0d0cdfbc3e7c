// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "packets/v2026_02_17/shared.hpp"

namespace orbis::protocol::v2026_02_17 {

struct SetChunk {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
    Opt<Bytes> local_light;
    Opt<Bytes> global_light;
    Opt<Bytes> data;

    static constexpr std::uint32_t k_fixed = 13, k_var_start = 25;
    static constexpr PacketInfo k_info{131, "SetChunk", "world",
                                       protocol::Direction::to_client, protocol::Channel{1}, true,
                                       13, 25, 12288040};
    static constexpr bool k_bounded = false;
    static std::size_t read(Decoder& in, std::size_t at, SetChunk& v);
    static std::size_t measure(Encoder& out, const SetChunk& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const SetChunk& v);
};

} // namespace orbis::protocol::v2026_02_17
