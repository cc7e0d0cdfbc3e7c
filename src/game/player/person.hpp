#pragma once

#include "game/entities/entity_state.hpp"
#include "packets/player.hpp"

#include <utility>
#include <vector>

namespace orbis::game {

class PackRegistries;

/// What all players are: how they look, what they begin with, and how they move.
struct Person {
    Component model;
    std::vector<std::pair<std::int32_t, float>> stats; ///< by their numbers
    packets::MovementSettings movement;                ///< of one who cannot fly
};

/// As in the game; what the files of a pack say counts more. Null: there is none.
Person make_person(PackRegistries* pack);

} // namespace orbis::game
