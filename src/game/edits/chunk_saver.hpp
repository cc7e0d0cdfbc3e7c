#pragma once

#include "game/edits/edit_settings.hpp"
#include "game/edits/edited_chunk.hpp"
#include "watch/folder_stamps.hpp"
#include "world/location.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <set>
#include <thread>

namespace orbis::game {

/// What became of a save.
struct SaveReport {
    std::uint64_t saved_up_to = 0; ///< every edit up to this one is safe on the disk, or was reported as lost
    std::vector<ChunkPos> written{}; ///< chunks
    /// Somebody else had written them meanwhile: the edits are on top of that now.
    std::vector<ChunkPos> merged{};
    /// Edits that are lost, because their chunk is gone.
    struct Lost {
        ChunkPos pos;
        std::size_t cells = 0;
        Error reason;
    };
    std::vector<Lost> lost{};
    std::vector<Error> problems{}; ///< what was not written now is tried again
};

/// Writes edited chunks of one world back, in a thread of its own. It has the folder locked as long as it
/// lives. A chunk that was changed by others since it was read is never written over: the edits are made
/// again on what is there (docs/design/edits.md).
class ChunkSaver {
public:
    /// Called in the saver's thread after each save that had something to do.
    using Report = std::function<void(const SaveReport&)>;

    /// Opens the world for writing; `busy` if another program does.
    static Result<std::unique_ptr<ChunkSaver>> start(const world::World& world, EditedChunks& chunks,
                                                     chunk::IsTransparent is_transparent,
                                                     SaverSettings settings, Report report);
    /// As `stop`.
    ~ChunkSaver();
    ChunkSaver(const ChunkSaver&) = delete;
    ChunkSaver& operator=(const ChunkSaver&) = delete;

    /// Saves without waiting for the time.
    void save_soon();
    /// Saves what is left and ends the thread. Tries a few times; what is unsaved then is in the last report.
    void stop();

    /// Every edit up to this one is safe on the disk.
    [[nodiscard]] std::uint64_t saved_up_to() const { return saved_up_to_.load(); }
    /// To read a chunk as it was saved last. Null if others have written to its file since, of which the
    /// saver's store does not know, and while another store is opened. Not to be kept.
    [[nodiscard]] std::shared_ptr<const storage::Store> store_for(ChunkPos pos) const;
    /// Whether others can write to the files at all: a database that is open for writing locks others out.
    [[nodiscard]] bool is_shared() const { return region_folder_.has_value(); }
    /// Whether this content of a chunk is what the saver wrote last. Once it is not, nothing is until the
    /// saver writes the chunk again.
    bool is_own(ChunkPos pos, const Sha256& stored);

private:
    ChunkSaver(const world::World& world, EditedChunks& chunks, chunk::IsTransparent is_transparent,
               SaverSettings settings, Report report);

    struct Written {
        EditedChunks::Ptr chunk;
        std::uint64_t number = 0;
        Sha256 stored;
    };

    void run();
    /// True when nothing is left to save.
    bool save();
    Result<void> save_all(const std::vector<EditedChunks::Ptr>& unsaved, SaveReport& report);
    Result<std::vector<Written>> write_all(const std::vector<EditedChunks::Ptr>& unsaved, SaveReport& report);
    Result<Written> write(const EditedChunks::Ptr& chunk, SaveReport& report);
    Result<void> catch_up(EditedChunk& chunk, SaveReport& report);
    [[nodiscard]] std::uint64_t safe_edit(std::uint64_t last) const;
    Result<void> open();
    Result<void> reopen_if_changed(const std::vector<EditedChunks::Ptr>& unsaved);
    [[nodiscard]] std::optional<FileStamp> signature(RegionPos region) const;
    /// Whether a file is as the saver left it. The caller holds the lock.
    [[nodiscard]] bool is_as_left(RegionPos region) const;

    world::World world_;
    EditedChunks& chunks_;
    chunk::IsTransparent is_transparent_;
    SaverSettings settings_;
    Report report_;

    const std::optional<std::filesystem::path> region_folder_; ///< nothing if there are no region files

    // For the saver's thread.
    storage::ReadContext context_;
    std::set<ChunkPos> gone_;  ///< not there at the last look
    bool is_doubtful_ = false; ///< a sync has failed: what the store has in memory may not be on the disk

    mutable std::mutex mutex_; ///< guards all but the last two
    std::condition_variable wake_;
    std::shared_ptr<storage::Store> store_;
    std::unordered_map<RegionPos, std::optional<FileStamp>> seen_; ///< files as it left them
    std::set<RegionPos> writing_; ///< files that it has begun to write: they look as if others had been there
    std::unordered_map<ChunkPos, Sha256> own_;
    bool is_stopping_ = false;
    bool is_due_ = false;

    std::atomic<std::uint64_t> saved_up_to_ = 0;
    std::jthread thread_;
};

} // namespace orbis::game
