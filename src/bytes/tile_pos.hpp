#pragma once

#include "bytes/position.hpp"

#include <compare>
#include <cstdint>

namespace orbis {

/// Side of a tile of a map in chunks, on level 0.
inline constexpr int k_tile_chunks = 16;

/// Chunks further out are not drawn: their blocks have no coordinates of 32 bits.
inline constexpr std::int32_t k_farthest_chunk = (1 << 26) - k_side;
[[nodiscard]] constexpr bool is_drawable(ChunkPos pos) {
    return pos.x >= -k_farthest_chunk && pos.x < k_farthest_chunk && pos.z >= -k_farthest_chunk
           && pos.z < k_farthest_chunk;
}

/// A tile of some level (docs/formats/map.md).
struct TilePos {
    std::int32_t x = 0;
    std::int32_t z = 0;
    [[nodiscard]] constexpr TilePos parent() const { return {x >> 1, z >> 1}; }
    /// The tile of level 0 that a chunk is in.
    static constexpr TilePos of(ChunkPos chunk) { return {chunk.x >> 4, chunk.z >> 4}; }
    /// The region that a tile of level 0 is in, which is its parent.
    [[nodiscard]] constexpr RegionPos region() const { return {x >> 1, z >> 1}; }
    friend constexpr auto operator<=>(TilePos, TilePos) = default;
};

/// How many levels a map has whose tiles of level 0 are between these two, both included: until it fits in
/// two by two tiles. None for a world without chunks.
[[nodiscard]] constexpr int level_count(TilePos least, TilePos most) {
    if (most.x < least.x || most.z < least.z) return 0;
    int levels = 1;
    while (most.x - least.x > 1 || most.z - least.z > 1) {
        least = least.parent();
        most = most.parent();
        ++levels;
    }
    return levels;
}

} // namespace orbis

template <>
struct fmt::formatter<orbis::TilePos> : orbis::PositionFormat {
    Output format(orbis::TilePos pos, fmt::format_context& context) const {
        return write(context, "tile ", {pos.x, pos.z}, '.');
    }
};
