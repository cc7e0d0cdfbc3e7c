#pragma once

#include "game/serve/edited_chunk.hpp"
#include "watch/file_signature.hpp"
#include "world/place.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <set>
#include <thread>

namespace orbis::game {

/// What became of a save.
struct SaveReport {
    std::uint64_t saved_up_to = 0;   ///< every edit up to this one is safe on the disk, or was told as lost
    std::vector<ChunkPos> written{}; ///< chunks
    /// Somebody else had written them meanwhile: the edits are on top of that now.
    std::vector<ChunkPos> merged{};
    /// Edits that have nothing to stand on any more.
    struct Lost {
        ChunkPos pos;
        std::size_t cells = 0;
        Error reason;
    };
    std::vector<Lost> lost{};
    std::vector<Error> problems{}; ///< what was not written now is tried again
};

struct SaverSettings {
    std::chrono::milliseconds every{2000}; ///< between two saves
    bool force = false;                    ///< also when another program has the files open
};

/// Writes edited chunks of one world back, in a thread of its own. It has the folder locked as long as it
/// lives. A chunk that was changed by others since it was read is never written over: the edits are made
/// again on what is there (docs/design/edits.md).
class ChunkSaver {
public:
    /// Called in the saver's thread after each save that had something to do.
    using Report = std::function<void(const SaveReport&)>;

    /// Opens the world for writing; `busy` where somebody else does.
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
    /// To read chunks as they were saved last. Not to be kept: the saver may have to open another.
    [[nodiscard]] std::shared_ptr<const storage::Store> store() const;
    /// Whether this content of a chunk is what the saver wrote last.
    [[nodiscard]] bool is_own(ChunkPos pos, const care::Sha256& stored) const;

private:
    ChunkSaver(const world::World& world, EditedChunks& chunks, chunk::IsTransparent is_transparent,
               SaverSettings settings, Report report);

    struct Written {
        EditedChunks::Ptr chunk;
        std::uint64_t number = 0;
        care::Sha256 stored;
    };

    void run();
    /// True when nothing is left to save.
    bool save();
    Result<void> save_all(const std::vector<EditedChunks::Ptr>& unsaved, SaveReport& report);
    Result<Written> write(const EditedChunks::Ptr& chunk, SaveReport& report);
    Result<void> catch_up(EditedChunk& chunk, SaveReport& report);
    [[nodiscard]] std::uint64_t safe_edit(std::uint64_t last) const;
    Result<void> open();
    Result<void> reopen_if_changed(const std::vector<EditedChunks::Ptr>& unsaved);
    [[nodiscard]] std::optional<watch::FileSignature> signature(RegionPos region) const;

    world::World world_;
    EditedChunks& chunks_;
    chunk::IsTransparent is_transparent_;
    SaverSettings settings_;
    Report report_;

    // For the saver's thread.
    std::optional<std::filesystem::path> region_folder_; ///< nothing where the store has no region files
    std::unordered_map<RegionPos, std::optional<watch::FileSignature>> seen_; ///< as it left them
    storage::ReadContext context_;
    std::set<ChunkPos> gone_;  ///< not there at the last look
    bool is_doubtful_ = false; ///< a sync has failed: what the store has in memory may not be on the disk

    mutable std::mutex mutex_; ///< guards the next four
    std::condition_variable wake_;
    std::shared_ptr<storage::Store> store_;
    std::unordered_map<ChunkPos, care::Sha256> own_;
    bool is_stopping_ = false;
    bool is_due_ = false;

    std::atomic<std::uint64_t> saved_up_to_ = 0;
    std::jthread thread_;
};

} // namespace orbis::game
