#pragma once

#include "world/sample/canvas.hpp"
#include "world/sample/landscape.hpp"

namespace orbis::world::sample {

/// Rock, ores, soil and water of every column.
void lay_ground(const Landscape& landscape, Canvas& canvas);

/// Tunnels deep below the ground, with lava at their bottom.
void dig_tunnels(const Landscape& landscape, Canvas& canvas);

/// The big cave in the knoll: its mouth, the way down, the hall with a pool, crystals, torches and a chest.
void dig_cave(const Landscape& landscape, Canvas& canvas);

} // namespace orbis::world::sample
