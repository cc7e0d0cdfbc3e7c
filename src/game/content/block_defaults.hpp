#pragma once

#include "packets/assets.hpp"

#include <cstdint>
#include <string_view>

namespace orbis::game {

/// The texture of a block or fluid of which nothing else is known.
inline constexpr std::string_view k_no_texture = "BlockTextures/Unknown.png";

/// A block as the game announces it where nothing is said of it: whatever is never null in the game is
/// there. The lists that it points to live as long as the program.
packets::BlockType plain_block(std::string_view name);

/// Sets what follows from how a block is drawn and what it is made of: what it stands on, and what it holds.
void put_supports(packets::BlockType& block);

/// The same texture on all six sides.
packets::BlockTextures same_on_all_sides(std::string_view texture);

/// The blocks 0 to 3, which every server has.
void put_reserved(std::int32_t id, packets::BlockType& block);

} // namespace orbis::game
