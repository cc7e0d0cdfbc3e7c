#pragma once

#include "bytes/position.hpp"
#include "packets/shared.hpp"

namespace orbis::game {

/// The place of a block as packets have it.
inline packets::BlockPosition wire_position(BlockPos pos) {
    packets::BlockPosition out;
    out.x = pos.x;
    out.y = pos.y;
    out.z = pos.z;
    return out;
}

} // namespace orbis::game
