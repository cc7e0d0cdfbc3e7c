#pragma once

#include "chunk/shape.hpp"
#include "packets/shared.hpp"

namespace orbis::game {

/// The rotation of a block as packets have it: quarter turns around three axes.
inline chunk::Rotation from_wire(const packets::BlockRotation& rotation) {
    const auto turns = [](packets::Rotation part) { return static_cast<unsigned>(part) & 3U; };
    return {static_cast<std::uint8_t>(turns(rotation.rotation_yaw) | turns(rotation.rotation_pitch) << 2
                                      | turns(rotation.rotation_roll) << 4)};
}

inline packets::BlockRotation to_wire(chunk::Rotation rotation) {
    const auto turns = [&](unsigned shift) {
        return static_cast<packets::Rotation>(rotation.index >> shift & 3U);
    };
    return {.rotation_yaw = turns(0), .rotation_pitch = turns(2), .rotation_roll = turns(4)};
}

} // namespace orbis::game
