#pragma once

#include "orbis/position.hpp"
#include "orbis/shape.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orbis {

/// One component of a block, such as the content of a chest.
struct Component {
    std::string name;                                                     ///< such as "ItemContainer"
    std::string json;                                                     ///< its document
    friend bool operator==(const Component&, const Component&) = default; ///< whether both are the same
};

/// Everything that is stored about one block.
struct BlockDetails {
    BlockPos pos;                        ///< where it is in its world
    std::string key;                     ///< what it is, such as "Rock_Stone"
    Rotation rotation;                   ///< how it is turned
    Filler filler;                       ///< where the cell lies in a block of several
    BlockPos base;                       ///< where the block begins; `pos` for most
    std::optional<std::string> base_key; ///< of the base, when it is elsewhere; nothing if it is not stored
    std::string fluid;                   ///< "Empty" for none
    int fluid_level = 0;                 ///< how full the cell is, 0 to 15
    int support = 0;                     ///< 0 to 15; 15 is a decoration that needs none
    bool ticks = false;                  ///< whether the game updates it from time to time
    LightValue light;                    ///< as the game shows it
    LightValue local_light;              ///< of blocks that shine, without that of the sky
    bool light_valid = false;            ///< false if the game will compute it again
    std::string environment;             ///< such as "Env_Zone1_Plains"
    std::uint32_t tint = 0;              ///< of the column, as 0xAARRGGBB
    int height = 0;                      ///< of the column
    std::vector<Component> components;   ///< of the base
    std::vector<std::string> problems;   ///< parts of the chunk that could not be read
};

} // namespace orbis
