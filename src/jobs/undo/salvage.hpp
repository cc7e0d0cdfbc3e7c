#pragma once

#include "storage/store.hpp"

namespace orbis::jobs {

/// What a damaged index entry leads to.
struct SalvagedEntry {
    std::int32_t entry = 0; ///< first segment as the index names it
    std::uint64_t offset = 0;
    Buffer bytes; ///< what is there, as far as the entry may claim it; nothing past the end of the file
};

/// Looks up the entry of a chunk that cannot be read. Stores without region files have none: then everything
/// is empty. An error if not even the index can be read.
Result<SalvagedEntry> salvage_entry(const storage::Store& store, ChunkPos pos);

} // namespace orbis::jobs
