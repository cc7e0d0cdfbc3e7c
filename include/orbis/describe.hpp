#pragma once

#include "orbis/block_details.hpp"
#include "orbis/export.hpp"
#include "orbis/world.hpp"

namespace orbis {

/// Reads the chunk of a block, and the one of its base if that is another. `Errc::not_found` if the world
/// does not have the chunk.
[[nodiscard]] ORBIS_API Result<BlockDetails> describe_block(const World& world, BlockPos pos);

} // namespace orbis
