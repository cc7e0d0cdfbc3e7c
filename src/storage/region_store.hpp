#pragma once

#include "storage/region_file.hpp"
#include "storage/store.hpp"
#include "storage/tree.hpp"

namespace orbis::storage {

/// How a store is opened.
struct StoreOptions {
    bool write = false;
    bool create = false; ///< with `write`: make the folder or database when it is not there
    bool force = false;  ///< with `write`: also when another process has files of the store open
    SyncPolicy sync = SyncPolicy::each;
    std::uint64_t largest_document = k_largest_document;
    bool strict_log = false; ///< refuse a database whose log is damaged, also when it is only read
};

/// A store of region files that can also be asked about the files themselves.
class RegionStore : public Store {
public:
    /// The regions that have a file, ascending by x, then z.
    [[nodiscard]] virtual Result<std::vector<RegionPos>> regions() const = 0;
    /// Opens the file of a region, or takes it from the few that are kept open; nothing when there is none.
    [[nodiscard]] virtual Result<std::shared_ptr<Region>> region(RegionPos pos) const = 0;
    /// Brings the file of a region to container version 1, where it is of version 0.
    virtual Result<void> migrate(RegionPos pos) = 0;
    /// See RegionFile::put_bytes.
    virtual Result<void> put_bytes(ChunkPos pos, Bytes blob) = 0;
    /// See RegionFile::put_entry.
    virtual Result<void> put_entry(ChunkPos pos, std::int32_t first_segment) = 0;
};

/// A folder with the name of a region file: nothing in it counts as chunks, and the game cannot use it.
struct MisplacedFolder {
    RegionPos pos;
    Error error;
};
[[nodiscard]] Error misplaced_folder(std::string_view shown);
/// Those in a folder of region files; none where it cannot be read.
[[nodiscard]] std::vector<MisplacedFolder> misplaced_folders(const Folder& folder);

/// Opens the region files of a folder (`chunks/` of a world). Files of container version 0 can be read; the
/// first write to one migrates it. For writing the folder must be on disk.
Result<std::unique_ptr<RegionStore>> open_region_store(const Folder& folder, const StoreOptions& options);

/// Opens one region file as a store of its chunks; chunks of other regions are refused.
Result<std::unique_ptr<RegionStore>> open_single_region(const std::filesystem::path& path,
                                                        const StoreOptions& options);

} // namespace orbis::storage
