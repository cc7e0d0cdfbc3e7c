#pragma once

#include "map/unshaded_chunk.hpp"

#include <array>
#include <cstdint>

namespace orbis::map {

/// What steps 2 and 3 of a pixel need, column by column. Colours are as `channels.hpp` packs them.
struct TintInput {
    std::array<std::uint32_t, k_columns> base;     ///< with alpha; zero where there is no pixel
    std::array<std::uint32_t, k_columns> particle; ///< white where nothing is multiplied
    std::array<float, k_columns>
        part; ///< 0…1: how much of the tint replaces the base; 0 where there is no pixel
};

/// The colours of all columns before the shade. Tints are 0xAARRGGBB; their alpha does not count.
void tint(const TintInput& in, const std::array<std::int32_t, k_columns>& tints,
          std::array<Rgba, k_columns>& out);
/// The same without instructions that not every processor has; the same colours.
void tint_portably(const TintInput& in, const std::array<std::int32_t, k_columns>& tints,
                   std::array<Rgba, k_columns>& out);

} // namespace orbis::map
