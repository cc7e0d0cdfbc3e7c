#pragma once

#include <cstdint>
#include <string>

namespace orbis::net {

/// What a side says of itself in `Connect`. Sides with different sums cannot talk.
struct GameBuild {
    std::int32_t crc = 0;
    std::int32_t number = 0;
    std::string version{}; ///< at most 20 characters

    /// The build that the packets of this program are made from.
    static GameBuild current();
};

} // namespace orbis::net
