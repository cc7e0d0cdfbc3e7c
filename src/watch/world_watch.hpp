#pragma once

#include "storage/region_files.hpp"
#include "watch/folder_stamps.hpp"
#include "watch/hash_file.hpp"
#include "watch/presence.hpp"
#include "watch/world_problem.hpp"
#include "world/location.hpp"

#include <memory>
#include <set>
#include <vector>

namespace orbis::watch {

/// Looks after the chunks of a world that others may write meanwhile: opens it for reading only, takes no
/// lock, and finds out which chunks have changed by their content.
///
/// Files are only looked at (size, time), and read when that differs. A file that is being written is read
/// again a moment later, so that what was read too early does not stay.
class WorldWatch {
public:
    /// Finds out which chunks there are; an error if nothing of the world can be read. `scratch` is a
    /// folder to keep hashes in.
    static Result<std::unique_ptr<WorldWatch>> open(const world::World& world,
                                                    const std::filesystem::path& scratch);

    /// Reads chunks as they are now, whole ones only. From any thread.
    [[nodiscard]] std::shared_ptr<const storage::Store> store() const;
    [[nodiscard]] const Presence& presence() const { return presence_; }
    /// What keeps chunks from being read now: the folder as a whole first, then region files. From any
    /// thread.
    [[nodiscard]] std::vector<WorldProblem> problems() const;
    /// How many region files there are, or parts of a database.
    [[nodiscard]] std::size_t regions() const { return presence_.regions(); }

    /// Chunks that are new, gone or have other content since the last call; `store` reads them from then on.
    /// Also learns the hashes of some more chunks when nothing has changed: until they are known, all chunks
    /// of a file count as changed when it is. For one thread.
    std::vector<ChunkPos> poll();
    /// Whether the hashes of all chunks are known.
    [[nodiscard]] bool is_settled() const { return unknown_ == 0; }

private:
    struct WatchedRegion {
        FileStamp stamp;
        bool hashed = false;
        bool again = false; ///< written so lately that the next poll looks at it again
    };

    WorldWatch(const world::World& world, HashFile hashes) : world_(world), hashes_(std::move(hashes)) {}

    Result<void> reopen();
    Result<void> look_first();
    std::vector<ChunkPos> poll_regions();
    bool are_files_back();
    std::vector<ChunkPos> poll_database();
    Result<std::vector<ChunkPos>> compare_region(RegionPos region, WatchedRegion& known,
                                                 const FileStamp& stamp);
    void forget_region(RegionPos region, std::vector<ChunkPos>& changed);
    void learn_some();
    Result<std::map<RegionPos, storage::RegionHashes>> hash_everything();
    Result<std::map<RegionPos, FileStamp>> region_stamps();
    void note_folders();
    [[nodiscard]] Result<FileStamps> database_stamps() const;
    void note(RegionPos region, std::optional<Error> problem);
    void note_failure(std::optional<Error> problem);

    const world::World& world_;
    HashFile hashes_;
    Presence presence_;

    mutable std::mutex mutex_;                      ///< guards the next three
    std::shared_ptr<const storage::Store> current_; ///< what `store` gives
    std::optional<Error> failure_;                  ///< why nothing new can be read
    std::map<RegionPos, Error> bad_regions_;        ///< files that cannot be read

    const storage::RegionFiles* files_ = nullptr;        ///< of `current_`, where it has any
    std::optional<std::filesystem::path> region_folder_; ///< where these are on the disk
    std::map<RegionPos, WatchedRegion> regions_;
    std::set<RegionPos> folders_; ///< that stand in place of region files
    std::set<RegionPos> noted_folders_;
    std::size_t unknown_ = 0; ///< regions without hashes
    bool had_files_ = false;  ///< it is, or was, a world of region files

    std::vector<std::filesystem::path> database_folders_; ///< of other stores
    FileStamps database_;
    bool database_hashed_ = false;
    std::chrono::steady_clock::time_point not_before_; ///< reading a whole database takes a while
};

} // namespace orbis::watch
