#pragma once

#include "packets/shared.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <map>
#include <string>

namespace orbis::game {

/// Where players of a world appear.
struct SpawnPoints {
    packets::Position newcomers;
    std::map<std::string, packets::Position> players; ///< where each was last, by name
    bool has_land = true;                             ///< there is a chunk at all
    std::vector<Error> problems{};                    ///< met while looking for one
};

/// Newcomers appear where the configuration says, else on the surface in the middle of what exists. A
/// position without a chunk does not count. Walks over the whole store in the second case.
SpawnPoints find_spawn(const world::World& world, const storage::Store& store);

} // namespace orbis::game
