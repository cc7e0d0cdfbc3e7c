#pragma once

#include "jobs/puzzle/chunk_features.hpp"
#include "jobs/puzzle/orphans.hpp"

namespace orbis::jobs {

/// A chunk whose place is known, to compare with.
struct KnownChunk {
    ChunkPos chunk;
    ChunkFeatures print;
};

/// What is known about a region file when the owners of its older copies are looked for.
struct RegionKnowledge {
    std::vector<KnownChunk> known;
    std::vector<ChunkPos> unreadable; ///< have an entry in the index, but no content
    std::vector<ChunkPos> empty;      ///< have none
};

/// Finds the owners of those orphans that positions did not tell, by what they look like. `prints` has the
/// chunk features of each orphan.
void attribute_by_similarity(std::span<Orphan> orphans, std::span<const ChunkFeatures> prints,
                             const RegionKnowledge& knowledge);

/// Offers the only chunk without content to those that look like no chunk.
void attribute_by_elimination(std::span<Orphan> orphans, const RegionKnowledge& knowledge);

} // namespace orbis::jobs
