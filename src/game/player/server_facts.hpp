#pragma once

#include <string>

namespace orbis::game {

/// What a server says of itself to everybody.
struct ServerFacts {
    std::string name = "Orbis";
    std::string motd{};
    std::string welcome{}; ///< what a player reads when it joins; empty: nothing
    int max_players = 100;
    int view_radius = 32; ///< chunks, at most
};

} // namespace orbis::game
