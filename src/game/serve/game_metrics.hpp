#pragma once

#include "game/serve/wire_figures.hpp"

#include <string>

namespace orbis::game {

class ServedGame;

/// The memory of this process; 0 if the system does not tell.
double resident_bytes();

/// All figures of a server in the text format of Prometheus (docs/serve.md). In the thread of the game.
std::string game_metrics(const ServedGame& game, const WireFigures& wire);

} // namespace orbis::game
