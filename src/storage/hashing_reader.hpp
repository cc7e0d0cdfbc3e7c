#pragma once

#include "storage/store.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orbis::storage {

/// A chunk as it is in a store.
struct StoredChunk {
    std::uint64_t hash = 0;        ///< of the stored bytes
    std::uint64_t bytes = 0;       ///< stored
    std::optional<Bytes> document; ///< valid until the next read; nothing if it cannot be read
    Error problem;                 ///< then this says why
};

/// Reads chunks together with a hash of what is stored: of the compressed frame where the store keeps
/// frames, else of the document. One per thread; the store must outlive this.
class HashingReader {
public:
    explicit HashingReader(const Store& store) : store_(store) {}

    /// 0 if there is no chunk. A chunk that the store cannot even find has a hash too, of the problem.
    [[nodiscard]] std::uint64_t hash(ChunkPos pos);
    /// Nothing if there is no chunk.
    [[nodiscard]] std::optional<StoredChunk> read(ChunkPos pos);

private:
    const Store& store_;
    ReadContext context_;
};

/// The hash of each chunk of a region by slot, 0 if there is none.
using RegionHashes = std::array<std::uint64_t, k_columns>;
void hash_region(HashingReader& reader, RegionPos region, RegionHashes& out);

/// The chunks whose hash differs: changed, new, or gone.
std::vector<ChunkPos> changed_chunks(RegionPos region, const RegionHashes& before, const RegionHashes& after);

} // namespace orbis::storage
