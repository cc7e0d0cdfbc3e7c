#pragma once

#include "game/edits/edited_chunk.hpp"
#include "storage/store.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

namespace orbis::game {

/// Reads chunks that are to be edited, in a thread of its own, in the order in which they are asked for.
class ChunkLoader {
public:
    /// What a chunk is to be read from. Asked before each read: it may be another store later.
    using CurrentStore = std::function<std::shared_ptr<const storage::Store>(ChunkPos pos)>;
    /// Called in the loader's thread; null where there is no such chunk.
    using Loaded = std::function<void(ChunkPos pos, Result<EditedChunks::Ptr> chunk)>;

    ChunkLoader(CurrentStore store, Loaded loaded);
    /// Drops what was not begun.
    ~ChunkLoader();
    ChunkLoader(const ChunkLoader&) = delete;
    ChunkLoader& operator=(const ChunkLoader&) = delete;

    void load(ChunkPos pos);

private:
    void run();

    CurrentStore store_;
    Loaded loaded_;
    std::mutex mutex_; ///< guards the next two
    std::condition_variable wake_;
    std::deque<ChunkPos> wanted_;
    bool is_stopping_ = false;
    std::jthread thread_;
};

/// Reads one chunk as it is stored.
Result<EditedChunks::Ptr> load_chunk(const storage::Store& store, ChunkPos pos,
                                     storage::ReadContext& context);

} // namespace orbis::game
