#pragma once

#include "storage/region_store.hpp"

namespace orbis::care::snapshot {

/// A chunk that was copied out of a region file while a server may have written to it.
struct SteadyChunk {
    Buffer frame;
    std::uint32_t raw_size = 0;
};

/// Copies the compressed bytes of a chunk. A server frees the old bytes of a chunk only after its index entry
/// has changed, so bytes are whole when the entry is the same before and after the copy; else it is read
/// again. Nothing when there is no such chunk (any more).
Result<std::optional<SteadyChunk>> read_steady(const storage::RegionStore& store, ChunkPos pos,
                                               storage::ReadContext& context);

} // namespace orbis::care::snapshot
