#pragma once

#include "storage/region_file.hpp"
#include "storage/region_files.hpp"
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

/// A store of region files.
class RegionStore : public Store, public RegionFiles, public RegionEditor {
public:
    [[nodiscard]] const std::string& name() const override = 0;
    [[nodiscard]] const RegionFiles* region_files() const override { return this; }
    [[nodiscard]] RegionEditor* region_editor() override { return this; }
};

/// A folder with the name of a region file: nothing in it counts as chunks, and the game cannot use it.
struct MisplacedFolder {
    RegionPos pos;
    Error error;
};
[[nodiscard]] Error misplaced_folder(std::string_view shown);
/// Those in a folder of region files; none if it cannot be read.
[[nodiscard]] std::vector<MisplacedFolder> misplaced_folders(const Folder& folder);

/// Opens the region files of a folder (`chunks/` of a world). Files of container version 0 can be read; the
/// first write to one migrates it. For writing the folder must be on disk.
Result<std::unique_ptr<RegionStore>> open_region_store(const Folder& folder, const StoreOptions& options);

/// Opens one region file as a store of its chunks; chunks of other regions are refused.
Result<std::unique_ptr<RegionStore>> open_single_region(const std::filesystem::path& path,
                                                        const StoreOptions& options);

} // namespace orbis::storage
