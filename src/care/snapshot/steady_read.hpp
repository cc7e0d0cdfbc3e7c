#pragma once

#include "storage/region_store.hpp"

namespace orbis::care::snapshot {

/// A chunk that was copied out of a region file while a server may have written to it.
struct SteadyChunk {
    Buffer frame;
    std::uint32_t raw_size = 0;
};

/// Copies the compressed bytes of a chunk. A server frees the old bytes of a chunk only after its index entry
/// has changed, so a copy is not believed when the entry is another one after it. The entry alone is not
/// enough: a chunk that is written twice meanwhile may be back in the segments that it had, with the same
/// lengths. So the bytes are copied twice, with a look at the entry between, and believed when both copies
/// are equal; else it is read again. Nothing when there is no such chunk (any more).
Result<std::optional<SteadyChunk>> read_steady(const storage::RegionStore& store, ChunkPos pos,
                                               storage::ReadContext& context);

} // namespace orbis::care::snapshot
