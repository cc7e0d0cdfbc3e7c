#pragma once

#include "world/sample/canvas.hpp"
#include "world/sample/landscape.hpp"

namespace orbis::world::sample {

/// Trees where the plan says forest, and single ones in the meadows. Paths and what is built stay free, so
/// this comes after all buildings.
void plant_trees(const Landscape& landscape, Canvas& canvas);

/// Grass, flowers, ferns, bushes and reeds on free ground.
void plant_herbs(const Landscape& landscape, Canvas& canvas);

} // namespace orbis::world::sample
