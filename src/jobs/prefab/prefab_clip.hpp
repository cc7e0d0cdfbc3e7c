#pragma once

#include "jobs/clip/clip.hpp"
#include "jobs/prefab/prefab.hpp"
#include "world/migrations.hpp"

namespace orbis::jobs::prefab {

/// The cells of a prefab as they can be put into a world: the anchor is the origin, block keys are those of
/// today, angles are radians, and positions inside of components are those of their blocks. What is left out
/// is added to `notes`.
Result<Clip> to_clip(const Prefab& prefab, const world::Migrations& migrations,
                     std::vector<std::string>& notes);

/// A prefab of today's version with the clip's origin as its anchor 0,0,0. With `skips_empty` cells without
/// block and fluid are not listed.
Result<Prefab> from_clip(const Clip& clip, bool skips_empty);

} // namespace orbis::jobs::prefab
