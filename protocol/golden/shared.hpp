// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "packets/v2026_02_17/fwd.hpp"
#include "protocol/packet_info.hpp"
#include "protocol/types.hpp"

namespace orbis::protocol::v2026_02_17 {

struct Position {
    double x = 0;
    double y = 0;
    double z = 0;

    static constexpr std::uint32_t k_fixed = 24, k_var_start = 24;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(Position) == 24);

struct Direction {
    float yaw = 0;
    float pitch = 0;
    float roll = 0;

    static constexpr std::uint32_t k_fixed = 12, k_var_start = 12;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(Direction) == 12);

} // namespace orbis::protocol::v2026_02_17
