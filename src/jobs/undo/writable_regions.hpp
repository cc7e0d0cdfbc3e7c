#pragma once

#include "jobs/undo/change.hpp"

#include <optional>
#include <unordered_map>

namespace orbis::jobs {

/// Makes sure that the region files which a change writes to can be written, each once.
class WritableRegions {
public:
    explicit WritableRegions(Change& change) : change_(change) {}
    /// Nothing if the chunk can be written or removed; else the reason.
    const std::optional<Error>& problem_of(ChunkPos pos);

private:
    Change& change_;
    std::unordered_map<RegionPos, std::optional<Error>> known_;
};

} // namespace orbis::jobs
