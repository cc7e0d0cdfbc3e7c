#pragma once

#include "storage/store.hpp"

namespace orbis::storage {

/// A chunk that was copied out of a store while a game server may have written to it.
struct SteadyChunk {
    Buffer frame;
    std::uint32_t raw_size = 0;
};

/// Copies the compressed bytes of a chunk. A server frees the old bytes of a chunk only after its index entry
/// has changed, so a copy is not believed when the entry is another one after it. The entry alone is not
/// enough: a chunk that is written twice meanwhile may be back in the segments that it had, with the same
/// lengths. So the bytes are copied twice, with a look at the entry between, and believed when both copies
/// are equal; else it is read again, and after some tries it is `busy`. Nothing when there is no such chunk
/// (any more). Only region files change under a reader: what other stores give is copied once.
Result<std::optional<SteadyChunk>> read_steady(const Store& store, ChunkPos pos, ReadContext& context);

/// The document of a chunk as two reads in a row gave it, for stores that have region files somewhere behind
/// them and cannot say which entry a chunk comes from. After some tries it is what came last.
Result<std::optional<Bytes>> read_agreeing(const Store& store, ChunkPos pos, ReadContext& context);

/// The same chunks for reading only, each read as `read_steady` does. Stores that have no region files are
/// handed through.
std::shared_ptr<Store> make_steady(std::shared_ptr<Store> store);

} // namespace orbis::storage
