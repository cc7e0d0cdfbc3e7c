#pragma once

#include "chunk/chunk.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/missing/missing_chunks.hpp"
#include "jobs/snapshot/world_identity.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace orbis::jobs {

/// A backup that chunks and files can be taken from.
struct Donor {
    std::string name; ///< as people know it
    std::string date; ///< `2026-01-31 04:00:12`, of its name or of the file; for the order and for messages
    world::Location location;
    bool is_named = true; ///< on its own, not as one of a folder of backups
};

struct DonorOptions {
    bool other_world = false; ///< also backups of other worlds than those that are repaired
};

/// Opens backups for the worlds of `location`: folders and zips of universes and worlds, snapshots
/// (`STORE@NAME`), folders that are full of backup zips, as the game's `backup/` is, and for `STORE` and
/// `STORE@latest` all snapshots of these worlds. The newest comes first. One that cannot be opened is an
/// error: the user who named it relies on it. So is one that has only other worlds, unless they are wanted;
/// in a folder of backups it is passed over, and `notes` says so.
Result<std::vector<Donor>> open_donors(const std::vector<std::string>& paths, const world::Location& location,
                                       const DonorOptions& options, std::vector<std::string>& notes);

/// The world of a backup that belongs to another.
struct Counterpart {
    const world::World* world = nullptr; ///< nothing if the backup has several and none of the name
    bool is_other = false;               ///< it is another world, which was not wanted
};
/// The one that is the same world, whatever its name is; else the one of the same name; else, for a world
/// that is `alone` at its location, the only one.
Counterpart counterpart_of(const WorldIdentity& world, bool alone, const world::Location& backup,
                           const DonorOptions& options);

/// Whether the universe of a backup is that of `location`, so that players and the like can be taken.
bool is_of_universe(const world::Location& location, const Donor& donor, const DonorOptions& options);

/// The good copy of a chunk in a backup.
struct DonorChunk {
    std::size_t donor = 0; ///< index into the donors
    Buffer frame;
    std::uint32_t raw_size = 0;
};

/// Finds chunks of one world in backups. Not for use by several threads at once.
class DonorStores {
public:
    /// The counterpart of the world in each backup.
    DonorStores(const std::vector<Donor>& donors, const world::World& world, bool alone,
                const DonorOptions& options);
    ~DonorStores();

    /// The newest copy that decompresses and can be read in all its parts; nothing if no backup has one.
    std::optional<DonorChunk> newest_good(ChunkPos pos);
    /// How many parts (sections, tints and heights, environments) of the newest good copy of a chunk are
    /// those of `document`.
    std::size_t likeness(ChunkPos pos, Bytes document);
    /// All chunks of a region that any backup has.
    std::vector<ChunkPos> chunks_of(RegionPos region);
    /// All chunks that any backup has and that are not in `present`, and for each region the newest backup
    /// that has such chunks. One backup after another is listed, so that memory does not grow with their
    /// number.
    ChunksByRegion missing(const ChunkSet& present, std::map<RegionPos, std::string>& newest);
    [[nodiscard]] const std::string& name_of(const DonorChunk& chunk) const;
    /// Backups that have several worlds, and none of this name.
    [[nodiscard]] const std::vector<std::string>& without_world() const { return without_; }
    /// Backups whose world of this name is another one.
    [[nodiscard]] const std::vector<std::string>& with_other_world() const { return other_; }
    [[nodiscard]] bool empty() const { return donors_.empty(); }

private:
    /// Opens it when it is asked for the first time: the newest is often the only one that is needed.
    storage::Store* opened(std::size_t donor);

    const std::vector<Donor>& donors_;
    std::vector<const world::World*> worlds_; ///< one for each donor; null if there is none
    std::vector<std::shared_ptr<storage::Store>> stores_;
    std::vector<std::string> without_;
    std::vector<std::string> other_;
    chunk::ChunkReader reader_;
};

} // namespace orbis::jobs
