#pragma once

#include "world/location.hpp"

#include <string>
#include <vector>

namespace orbis::world {

/// A point of a world that means something to its players.
struct Spot {
    double x = 0;
    double y = 0;
    double z = 0;
    std::string name; ///< of the player or the marker, if there is one

    /// Clamped to what a position can hold; a point that is not a number is at 0.
    [[nodiscard]] BlockPos block() const;
};

struct Spots {
    std::vector<Spot> spots;
    /// Files that may have some and could not be read: there may be more than those in `spots`.
    std::vector<Error> problems;
};

/// Where newcomers appear: `SpawnProvider` of the configuration. A configuration without one leaves it to the
/// generator, which only the game can run: that is a problem too.
Spots spawn_points(const World& world);

/// Where each player was last in this world: `Transform` of those who are in it, `LastPosition` of those who
/// have left it for another. A world outside a universe has no players to look at: a problem.
Spots player_positions(const World& world);

/// Places that players can go to by name: those of `warps.json` of the universe that are in this world. A
/// world outside a universe has none.
Spots warps(const World& world);

/// Markers on the map that players or blocks have made: `BlockMapMarkers` and `SharedUserMapMarkers`.
Spots map_markers(const World& world);

} // namespace orbis::world
