#pragma once

#include "storage/region.hpp"

#include <vector>

namespace orbis::jobs {

/// Two chunks that claim the same segments of a region file of container version 1.
struct Overlap {
    storage::BlobInfo blob;  ///< begins inside the other
    storage::BlobInfo other; ///< of those before it the one that reaches furthest
};

/// All of them, by first segment.
std::vector<Overlap> find_overlaps(std::vector<storage::BlobInfo> blobs);

} // namespace orbis::jobs
