#pragma once

#include "chunk/chunk.hpp"
#include "storage/store.hpp"

#include <optional>
#include <vector>

namespace orbis::chunk {

/// Reads chunks of stores one after another, in memory that is kept from one to the next. What a read gives
/// lives until the next one; so must the store. Errors say in which file and chunk they are. Keep one per
/// thread.
class ChunkReader {
public:
    /// The chunk; null if there is none, or none any more since it was listed.
    Result<Chunk*> read(const storage::Store& store, ChunkPos pos, Parts parts = k_everything);

    /// The first half of `read`: the document alone, to look at it before it is decoded.
    Result<std::optional<Bytes>> load(const storage::Store& store, ChunkPos pos);
    /// The second half.
    Result<Chunk*> decode(Parts parts = k_everything);

    /// What was decoded last.
    [[nodiscard]] Chunk& chunk() { return chunk_; }
    [[nodiscard]] const Chunk& chunk() const { return chunk_; }
    /// Its parts that could not be read.
    [[nodiscard]] std::vector<Error> problems() const;
    /// Says of an error about the chunk that was read last where it is.
    [[nodiscard]] Error placed(Error&& error) const;

    /// For what else is to be read from stores; it ends the life of what was loaded here.
    [[nodiscard]] storage::ReadContext& context() { return context_; }

private:
    storage::ReadContext context_;
    Chunk chunk_;
    const storage::Store* store_ = nullptr;
    ChunkPos pos_;
    Bytes document_;
};

} // namespace orbis::chunk
