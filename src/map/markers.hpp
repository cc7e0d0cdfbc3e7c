#pragma once

#include "world/location.hpp"

#include <string>
#include <vector>

namespace orbis::map {

/// A point of a world that means something to its players.
struct Marker {
    std::string kind; ///< `spawn`, `player`, `warp`, `marker`, `respawn`
    std::string name;
    double x = 0;
    double y = 0;
    double z = 0;
};

/// Those in the files of a world and its universe. Files that cannot be read go to `problems`; that
/// something is not there does not.
std::vector<Marker> read_markers(const world::World& world, std::vector<Error>& problems);

} // namespace orbis::map
