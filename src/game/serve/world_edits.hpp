#pragma once

#include "protocol/types.hpp"
#include "storage/position.hpp"

namespace orbis::game {

/// What players may do to the blocks of a world. A world that is only shown has none of it.
class WorldEdits {
public:
    virtual ~WorldEdits() = default;
    /// Puts a block, by its number on the wire, at a place; `rotation` counts as packets do (yaw, pitch and
    /// roll in quarter turns). False where it is refused: the player is shown again what is there.
    virtual bool place(const protocol::Uuid& player, BlockPos pos, std::int32_t block,
                       std::uint8_t rotation) = 0;
    /// Takes the block at a place away. False where it is refused.
    virtual bool break_block(const protocol::Uuid& player, BlockPos pos) = 0;
};

} // namespace orbis::game
