#pragma once

#include "jobs/puzzle/attribute_orphans.hpp"

namespace orbis::jobs {

/// Finds the owners of those orphans that are still open, by the chunks beside them: those of this file,
/// of the region files around it, and other orphans whose owner is known (docs/design/puzzle.md). Needs empty
/// places to put them; if there are none, nothing is read.
void attribute_by_neighbours(const storage::RegionFiles& files, const storage::Region& region,
                             std::span<Orphan> orphans, std::span<const ChunkFeatures> prints,
                             const RegionKnowledge& knowledge);

} // namespace orbis::jobs
