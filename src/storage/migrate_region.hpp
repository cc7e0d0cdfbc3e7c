#pragma once

#include "storage/region.hpp"

#include <filesystem>

namespace orbis::storage {

/// Rewrites a region file of version 0 as version 1, in place. The new file is written beside it, synced and
/// read again blob by blob before it takes the name; until then the original is untouched. A chunk that
/// cannot be moved is an error and leaves everything as it was.
Result<void> migrate_region_file(const std::filesystem::path& path, RegionPos position);

} // namespace orbis::storage
