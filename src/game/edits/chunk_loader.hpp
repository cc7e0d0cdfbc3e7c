#pragma once

#include "bytes/worker_pool.hpp"
#include "game/edits/edited_chunk.hpp"
#include "storage/store.hpp"

#include <functional>

namespace orbis::game {

/// Reads chunks that are to be edited, in a thread of its own, in the order in which they are asked for.
class ChunkLoader {
public:
    /// What a chunk is to be read from. Asked before each read: it may be another store later.
    using CurrentStore = std::function<std::shared_ptr<const storage::Store>(ChunkPos pos)>;
    /// Called in the loader's thread; null if there is no such chunk.
    using Loaded = std::function<void(ChunkPos pos, Result<EditedChunks::Ptr> chunk)>;

    ChunkLoader(CurrentStore store, Loaded loaded);

    void load(ChunkPos pos);

private:
    CurrentStore store_;
    Loaded loaded_;
    WorkerPool<storage::ReadContext> worker_; ///< last, so that it ends first; drops what was not begun
};

/// Reads one chunk as it is stored.
Result<EditedChunks::Ptr> load_chunk(const storage::Store& store, ChunkPos pos,
                                     storage::ReadContext& context);

} // namespace orbis::game
