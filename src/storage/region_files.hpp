#pragma once

#include "storage/region.hpp"

#include <memory>
#include <string>
#include <vector>

namespace orbis::storage {

/// The region files that the chunks of a store are in (`Store::region_files`), to be asked about the files
/// themselves. Safe for several threads.
class RegionFiles {
public:
    virtual ~RegionFiles() = default;

    /// Where they are, for messages.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// The regions that have a file, ascending by x, then z.
    [[nodiscard]] virtual Result<std::vector<RegionPos>> regions() const = 0;
    /// Opens the file of a region, or takes it from the few that are kept open; nothing when there is none.
    [[nodiscard]] virtual Result<std::shared_ptr<Region>> region(RegionPos pos) const = 0;

    /// The slots of a region that have an entry, ascending; none if the region has no file.
    [[nodiscard]] Result<std::vector<Slot>> slots(RegionPos pos) const;
    /// See Region::entry; 0 if the region has no file.
    [[nodiscard]] Result<std::int32_t> entry(ChunkPos pos) const;
    /// See Region::info; nothing if the region has no file.
    [[nodiscard]] Result<std::optional<BlobInfo>> info(ChunkPos pos) const;
};

/// Writes what only region files can hold (`Store::region_editor`).
class RegionEditor {
public:
    virtual ~RegionEditor() = default;

    /// Brings the file of a region to container version 1, where it is of version 0.
    virtual Result<void> migrate(RegionPos pos) = 0;
    /// See RegionFile::put_bytes.
    virtual Result<void> put_bytes(ChunkPos pos, Bytes blob) = 0;
    /// See RegionFile::put_entry.
    virtual Result<void> put_entry(ChunkPos pos, std::int32_t first_segment) = 0;
};

} // namespace orbis::storage
