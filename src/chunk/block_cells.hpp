#pragma once

#include "chunk/section.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace orbis::chunk {

/// Tells the filler of a cell that holds the same key as a block; nothing for any other cell, and for one
/// that cannot be looked at.
using PartAt = std::function<std::optional<Filler>(BlockPos)>;

/// All cells of a block with a cell at `pos`, in the order of their positions. They touch each other, if only
/// at a corner, so only cells around those of the block are looked at. Empty space, a block of one cell and a
/// part whose base is gone have this one cell.
std::vector<BlockPos> cells_of_block(BlockPos pos, const BlockState& block, const PartAt& part_at);

/// The cells that a block takes before it is turned: from the one to the other offset from its base, which is
/// one of them. All zeros for a block of one cell.
struct BlockExtent {
    /// The farthest offset; what is turned has to be a filler too.
    static constexpr int k_farthest = 15;
    /// Cells of a block; no block of the game is near it.
    static constexpr int k_most_cells = 1024;

    std::int8_t least_x = 0, least_y = 0, least_z = 0;
    std::int8_t most_x = 0, most_y = 0, most_z = 0;
    friend constexpr bool operator==(const BlockExtent&, const BlockExtent&) = default;
};

/// The fillers of all cells of a turned block; the first is that of the base, 0. Worlds of the game show what
/// a yaw does, and a pitch of 180 degrees (docs/formats/section.md).
std::vector<Filler> fillers_of(const BlockExtent& extent, Rotation rotation);

} // namespace orbis::chunk
