#pragma once

#include "jobs/cells/area.hpp"
#include "jobs/cells/cell_mask.hpp"
#include "jobs/cells/edit_chunks.hpp"

namespace orbis::jobs {

/// Removes the entities whose position is in an area. `kinds` are their models or names, as `orbis diff`
/// shows them; empty for all.
Result<EditReport> remove_entities(const world::World& world, const world::Assets& assets, const Area& area,
                                   const KeyPatterns& kinds, const EditOptions& options, Progress& progress);

} // namespace orbis::jobs
