#pragma once

#include "jobs/verify/finding.hpp"
#include "storage/region_store.hpp"

namespace orbis::jobs {

/// Index, lengths, overlaps and unused segments of one region file. Only index, blob headers and the first
/// bytes of frames are read.
void check_region(const storage::Region& region, std::vector<Finding>& out);

/// Whether whole chunks are in a file that its index does not list, see `LostEntries`.
bool check_lost_entries(const storage::Region& region, std::optional<std::uint32_t> remembered,
                        std::vector<Finding>& out);

/// A region file that cannot be opened.
Finding unreadable_region(RegionPos pos, const Error& error);

/// Files beside the region files.
void check_stray_files(const storage::Folder& folder, std::vector<Finding>& out);

} // namespace orbis::jobs
