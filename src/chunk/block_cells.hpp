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

} // namespace orbis::chunk
