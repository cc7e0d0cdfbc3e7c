#pragma once

#include "watch/world_problem.hpp"

#include <span>
#include <string>
#include <vector>

namespace orbis::http {

/// The state of a world as a whole.
struct WorldStatus {
    /// Problems beyond this are only counted.
    static constexpr std::size_t k_most_problems = 100;

    std::string name;
    std::string folder;
    enum class State : std::uint8_t {
        opening, ///< it has just come
        ready,
        failed, ///< nothing of it can be read
    };
    State state = State::ready;
    std::vector<watch::WorldProblem> problems;
    std::size_t left_out = 0;
};

/// `/api/worlds` (docs/formats/map.md). Paths of files are given relative to `place`, the path that is
/// served: a user of the map need not know where it is on the server.
std::string worlds_json(std::span<const WorldStatus> worlds, std::string_view place);

} // namespace orbis::http
