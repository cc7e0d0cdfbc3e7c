#pragma once

#include "chunk/chunk.hpp"
#include "storage/store.hpp"
#include "world/place.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace orbis::care {

/// A backup that chunks and files can be taken from.
struct Donor {
    std::string name; ///< as people know it
    std::string date; ///< `2026-01-31 04:00:12`, of its name or of the file; for the order and for messages
    world::Place place;
};

/// Opens backups: folders and zips of universes and worlds, snapshots (`STORE@NAME`), and folders that are
/// full of backup zips, as the game's `backup/` is. The newest comes first. One that cannot be opened is an
/// error: whoever named it counts on it.
Result<std::vector<Donor>> open_donors(const std::vector<std::string>& paths);

/// The good copy of a chunk in a backup.
struct DonorChunk {
    std::size_t donor = 0; ///< index into the donors
    Buffer frame;
    std::uint32_t raw_size = 0;
};

/// Finds chunks of one world in backups. Not for use by several threads at once.
class DonorStores {
public:
    /// The world of the same name in each backup, or its only world.
    DonorStores(const std::vector<Donor>& donors, const std::string& world);
    ~DonorStores();

    /// The newest copy that decompresses and can be read in all its parts; nothing where no backup has one.
    std::optional<DonorChunk> newest_good(ChunkPos pos);
    /// How many parts (sections, tints and heights, environments) of the newest good copy of a chunk are
    /// those of `document`.
    std::size_t likeness(ChunkPos pos, Bytes document);
    /// All chunks of a region that any backup has.
    std::vector<ChunkPos> chunks_of(RegionPos region);
    [[nodiscard]] const std::string& name_of(const DonorChunk& chunk) const;
    /// Backups that have several worlds, and none of this name.
    [[nodiscard]] const std::vector<std::string>& without_world() const { return without_; }
    [[nodiscard]] bool empty() const { return donors_.empty(); }

private:
    struct Opened;
    const std::vector<Donor>& donors_;
    std::vector<std::unique_ptr<Opened>> stores_;
    std::vector<std::string> without_;
    chunk::Chunk chunk_;
};

} // namespace orbis::care
