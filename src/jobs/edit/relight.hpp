#pragma once

#include "jobs/cells/area.hpp"
#include "jobs/cells/edit_chunks.hpp"

#include <functional>
#include <set>
#include <string>

namespace orbis::jobs {

struct RelightReport : EditReport {
    /// Blocks and fluids whose light is not known, in sections that stay stale; at most 1,000.
    std::set<std::string, std::less<>> unknown_keys;
};

/// Computes stale light as the game does (docs/formats/light.md), in sections that have a cell in the area.
/// Light that cannot be known, and light that waits for a chunk which is not there, stays stale and is
/// counted. Valid light stays as it is.
Result<RelightReport> relight(const world::World& world, const world::Assets& assets, const Area& area,
                              const EditOptions& options, Progress& progress);

} // namespace orbis::jobs
