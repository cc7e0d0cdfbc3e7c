#pragma once

#include "game/entities/entity_state.hpp"

#include <span>
#include <utility>

namespace orbis::game {

/// The model of a player, with all that a client needs to draw and place it.
const Component& person_model();

/// What every player has besides: its stats, its effects (none), what is drawn above it, how it collides.
void add_person_basics(std::vector<Component>& to, std::span<const std::pair<std::int32_t, float>> stats);

} // namespace orbis::game
