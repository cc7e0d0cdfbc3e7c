#pragma once

#include "bytes/position.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace orbis::map {

/// One pixel; four bytes in this order in memory.
struct Rgba {
    std::uint8_t r = 0;
    std::uint8_t g = 0;
    std::uint8_t b = 0;
    std::uint8_t a = 0;
    friend constexpr bool operator==(Rgba, Rgba) = default;
};

/// The heights along the four sides of a chunk: all that the pixels of other chunks depend on.
struct Edges {
    std::array<std::int16_t, k_side> north{}; ///< z = 0, from the west
    std::array<std::int16_t, k_side> south{}; ///< z = 31, from the west
    std::array<std::int16_t, k_side> west{};  ///< x = 0, from the north
    std::array<std::int16_t, k_side> east{};  ///< x = 31, from the north
    friend bool operator==(const Edges&, const Edges&) = default;
};

/// The edges of the chunks around one, null if there is no chunk.
struct Neighbours {
    const Edges* north = nullptr;
    const Edges* north_east = nullptr;
    const Edges* east = nullptr;
    const Edges* south_east = nullptr;
    const Edges* south = nullptr;
    const Edges* south_west = nullptr;
    const Edges* west = nullptr;
    const Edges* north_west = nullptr;
};

/// Everything that a layer shows of one chunk but the slope shade, which needs the chunks around it: so a
/// chunk is read once, and its pixels are finished when its neighbours are known. Columns are `z*32 + x`.
struct UnshadedChunk {
    std::array<Rgba, k_columns> colour;         ///< before the shade; all zero where there is no pixel
    std::array<Rgba, k_columns> fluid;          ///< what is over it; all zero where there is none
    std::array<std::int16_t, k_columns> height; ///< that the shade is made of
    std::array<std::uint16_t, k_columns> depth; ///< of the fluid; 1 where there is none
    bool has_fluid = false;                     ///< in any column
    bool has_lines = false;                     ///< height lines are drawn

    [[nodiscard]] Edges edges() const;
};

/// Finishes the pixels of a chunk: 32 rows of 32, `stride` pixels apart.
void shade(const UnshadedChunk& unshaded, const Neighbours& around, Rgba* out, std::size_t stride);
/// The same without instructions that not every processor has; the same pixels.
void shade_portably(const UnshadedChunk& unshaded, const Neighbours& around, Rgba* out, std::size_t stride);

} // namespace orbis::map
