#pragma once

#include "world/colour.hpp"

#include <string_view>

/// Colours for keys that no table knows: from a word in the name where one tells of a material or a colour,
/// else from a hash. They depend on nothing but the key, so they are the same in every run and every world.
namespace orbis::map {

/// For a block key. States (`*Name_State_Definitions_State`) look like their block.
[[nodiscard]] world::Colour guess_block_colour(std::string_view key);
/// For an environment key.
[[nodiscard]] world::Colour environment_colour(std::string_view key);
/// Whether the name is that of a plant or of wood, which grows above the ground.
[[nodiscard]] bool names_a_plant(std::string_view key);

/// The block that a state belongs to, else the key itself.
[[nodiscard]] std::string_view base_of_state(std::string_view key);

} // namespace orbis::map
