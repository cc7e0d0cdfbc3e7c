#pragma once

#include "world/sample/canvas.hpp"
#include "world/sample/landscape.hpp"

namespace orbis::world::sample {

/// The village by the lake: the square with its well and stalls, the houses, lanterns along the ways.
void build_village(const Landscape& landscape, Canvas& canvas);

/// The fields east of the village, with crops in every state of growth.
void lay_fields(const Landscape& landscape, Canvas& canvas);

/// Makes the ground of a rectangle level at height y, with grass on top and air above.
void level_ground(const Landscape& landscape, Canvas& canvas, int x0, int z0, int x1, int z1, int y);

/// A post of two fences with a lantern.
void put_lantern(Canvas& canvas, int x, int ground, int z);

} // namespace orbis::world::sample
