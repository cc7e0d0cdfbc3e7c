#include "jobs/inspect/overlaps.hpp"

#include <algorithm>

namespace orbis::jobs {

std::vector<Overlap> find_overlaps(std::vector<storage::BlobInfo> blobs) {
    std::vector<Overlap> found;
    std::ranges::sort(blobs, {}, &storage::BlobInfo::first_segment);
    const auto end = [](const storage::BlobInfo& blob) {
        return static_cast<std::uint64_t>(blob.first_segment) + blob.segments;
    };
    const storage::BlobInfo* furthest = nullptr;
    for (const auto& blob : blobs) {
        if (furthest != nullptr && static_cast<std::uint64_t>(blob.first_segment) < end(*furthest))
            found.push_back({blob, *furthest});
        if (furthest == nullptr || end(blob) > end(*furthest)) furthest = &blob;
    }
    return found;
}

} // namespace orbis::jobs
