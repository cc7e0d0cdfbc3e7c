#pragma once

#include "app/command.hpp"
#include "game/replay/server_side.hpp"

namespace orbis::app {

/// Waits for clients, plays the server's side of a capture to them and tells how it goes.
Result<Outcome> replay_capture_to_clients(Console& console, const game::ServerSideRules& rules);

} // namespace orbis::app
