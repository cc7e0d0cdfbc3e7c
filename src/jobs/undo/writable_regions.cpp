#include "jobs/undo/writable_regions.hpp"

namespace orbis::jobs {

const std::optional<Error>& WritableRegions::problem_of(ChunkPos pos) {
    auto [known, is_new] = known_.try_emplace(pos.region());
    if (is_new)
        if (auto ready = change_.migrate_region(pos.region()); !ready)
            known->second = std::move(ready).error();
    return known->second;
}

} // namespace orbis::jobs
