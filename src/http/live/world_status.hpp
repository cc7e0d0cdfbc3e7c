#pragma once

#include "bytes/result.hpp"
#include "storage/position.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orbis::http {

/// What keeps chunks from being shown.
struct WorldProblem {
    std::optional<RegionPos> region; ///< whose file it is; nothing where it is the whole world
    Error error;
};

/// How it stands with a world as a whole.
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
    std::vector<WorldProblem> problems;
    std::size_t left_out = 0;
};

/// `/api/worlds` (docs/formats/map.md). Paths of files are told relative to `place`, the path that is served:
/// who looks at a map need not know where it lies on the server.
std::string worlds_json(std::span<const WorldStatus> worlds, std::string_view place);

} // namespace orbis::http
