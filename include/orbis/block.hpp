#pragma once

#include "orbis/shape.hpp"

#include <cstdint>
#include <string>

namespace orbis {

/// A block with its shape. The key is the name that the game has for it, such as "Rock_Stone"; "Empty" is
/// air.
struct Block {
    std::string key = "Empty"; ///< what it is
    Rotation rotation;         ///< how it is turned
    Filler filler;             ///< not zero where the cell belongs to a block that begins elsewhere
    friend bool operator==(const Block&, const Block&) = default; ///< whether both are the same
};

/// A fluid and how full the cell is; "Empty" and 0 for none.
struct Fluid {
    std::string key = "Empty";                                    ///< what it is
    std::uint8_t level = 0;                                       ///< 0 to 15
    friend bool operator==(const Fluid&, const Fluid&) = default; ///< whether both are the same
};

} // namespace orbis
