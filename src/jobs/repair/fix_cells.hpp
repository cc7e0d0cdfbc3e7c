#pragma once

#include "jobs/repair/fix_parts.hpp"
#include "jobs/verify/check_chunk.hpp"

namespace orbis::jobs {

/// Fixes what contradicts itself in a chunk that can be read: palette counts, ids without an entry,
/// rotations, fluid levels, parts of bigger blocks whose base is gone, ticking counts, stale light, heights.
/// The chunk is changed; each step says what was done.
Result<std::vector<ChunkFix>> fix_cells(chunk::Chunk& chunk, ChunkPos pos, const world::Assets& assets,
                                        const NeighbourLookup& neighbour);

} // namespace orbis::jobs
