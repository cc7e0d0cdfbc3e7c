#pragma once

#include "bytes/position.hpp"
#include "bytes/result.hpp"

#include <optional>

namespace orbis::watch {

/// What keeps chunks from being read.
struct WorldProblem {
    std::optional<RegionPos> region; ///< whose file it is; nothing if it is the whole world
    Error error;
};

} // namespace orbis::watch
