#pragma once

#include "world/sample/canvas.hpp"
#include "world/sample/landscape.hpp"

namespace orbis::world::sample {

/// Planks and railings wherever a path crosses water.
void build_bridges(const Landscape& landscape, Canvas& canvas);

/// The pier that leads from the village into the lake, with a boat.
void build_pier(const Landscape& landscape, Canvas& canvas);

/// The woodcutter's hut in the forest.
void build_hut(const Landscape& landscape, Canvas& canvas);

/// The watch tower on the hill in the autumn wood.
void build_tower(const Landscape& landscape, Canvas& canvas);

/// The circle of standing stones on the island.
void build_stone_circle(const Landscape& landscape, Canvas& canvas);

/// Villagers, animals and what they dropped.
void place_inhabitants(const Landscape& landscape, Canvas& canvas);

} // namespace orbis::world::sample
