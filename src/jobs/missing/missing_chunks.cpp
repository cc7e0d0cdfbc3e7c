#include "jobs/missing/missing_chunks.hpp"

namespace orbis::jobs {

ChunkSet listed_chunks(const storage::Store& store) {
    std::vector<ChunkPos> found;
    const auto cursor = store.chunks();
    for (auto next = cursor->next(); !next || *next; next = cursor->next())
        if (next)
            found.push_back(**next);
        else if (const auto pos = next.error().chunk)
            found.push_back(*pos); // it is there, though it cannot be read
    return ChunkSet(std::move(found));
}

void add_missing(const ChunkSet& present, const storage::Store& backup, ChunksByRegion& missing) {
    const auto cursor = backup.chunks();
    for (auto next = cursor->next(); !next || *next; next = cursor->next())
        if (next && !present.contains(**next)) missing[(*next)->region()].insert(**next);
}

} // namespace orbis::jobs
