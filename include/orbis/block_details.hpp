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
    std::string name;
    std::string json; ///< its document
    friend bool operator==(const Component&, const Component&) = default;
};

/// Everything that is stored about one block.
struct BlockDetails {
    BlockPos pos;
    std::string key;
    Rotation rotation;
    Filler filler;
    BlockPos base;                       ///< where the block begins; `pos` for most
    std::optional<std::string> base_key; ///< of the base, when it is elsewhere; nothing if it is not stored
    std::string fluid;                   ///< "Empty" for none
    int fluid_level = 0;
    int support = 0;
    bool ticks = false;
    LightValue light;         ///< as the game shows it
    LightValue local_light;   ///< of blocks that shine, without that of the sky
    bool light_valid = false; ///< false if the game will compute it again
    std::string environment;
    std::uint32_t tint = 0;            ///< of the column, as 0xAARRGGBB
    int height = 0;                    ///< of the column
    std::vector<Component> components; ///< of the base
    std::vector<std::string> problems; ///< parts of the chunk that could not be read
};

} // namespace orbis
