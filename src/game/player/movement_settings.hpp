#pragma once

#include "packets/player.hpp"

namespace orbis::game {

/// How a body moves: the game's own values for a person, who may fly in creative mode. All fields are set;
/// what is 0 in the game is 0 here.
packets::MovementSettings movement_settings(bool can_fly);

} // namespace orbis::game
