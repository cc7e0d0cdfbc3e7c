#pragma once

#include "storage/region.hpp"

#include <filesystem>

namespace orbis::storage {

/// Rewrites a region file of version 0 as version 1, in place. The new file is written beside it, synced and
/// read again blob by blob before it takes the name; until then the original is untouched. A chunk that
/// cannot be moved is an error and leaves everything as it was.
Result<void> migrate_region_file(const std::filesystem::path& path, RegionPos position);

/// Removes what runs that were killed have left beside the region files of a folder. For the holder of its
/// lock: no other program is writing such files then.
void remove_unfinished_files(const std::filesystem::path& folder);

} // namespace orbis::storage
