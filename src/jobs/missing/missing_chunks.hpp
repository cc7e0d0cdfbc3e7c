#pragma once

#include "jobs/select/chunk_set.hpp"
#include "storage/store.hpp"

#include <map>
#include <set>

namespace orbis::jobs {

/// All chunks of a store that can be listed.
ChunkSet listed_chunks(const storage::Store& store);

/// Chunks by region, ascending.
using ChunksByRegion = std::map<RegionPos, std::set<ChunkPos>>;

/// Adds the chunks that a backup has and that are not in `present`.
void add_missing(const ChunkSet& present, const storage::Store& backup, ChunksByRegion& missing);

} // namespace orbis::jobs
