#pragma once

#include "bytes/position.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// The plan of the sample world: what stands where, before a single block is set (docs/design/sample.md).
namespace orbis::world::sample {

/// The world is this many chunks wide and long, with the zero point in the middle.
inline constexpr int k_chunks = 20;
inline constexpr int k_blocks = k_chunks * k_side;
inline constexpr int k_low = -k_blocks / 2;
inline constexpr int k_low_chunk = k_low / k_side;
/// y of the highest cell of water in the lake.
inline constexpr int k_lake_level = 60;

/// A spot on the map.
struct Spot {
    int x = 0;
    int z = 0;
    friend constexpr bool operator==(Spot, Spot) = default;
};

/// The village square and its surroundings, which are level.
inline constexpr Spot k_village{56, 118};
inline constexpr int k_village_ground = 64;
/// The mouth of the big cave, and the knoll that it leads into.
inline constexpr Spot k_cave_mouth{104, -6};
inline constexpr Spot k_knoll{138, -46};
/// The island in the lake with the stone circle.
inline constexpr Spot k_island{-128, 138};
/// The tower on the hill in the autumn wood.
inline constexpr Spot k_tower{206, 214};
/// The woodcutter's hut in the forest beyond the bridge.
inline constexpr Spot k_hut{-118, -78};

enum class Biome : std::uint8_t { meadow, forest, autumn, shore, pines, rock, snow, village, bed };

/// One column of the plan.
struct Column {
    std::int16_t ground = 0; ///< y of the highest block of the ground
    std::int16_t water = -1; ///< y of the highest cell of water above it, −1 where it is dry
    Biome biome = Biome::meadow;
    std::uint8_t forest = 0;  ///< 0…255: how thick the trees stand
    std::uint8_t path = 255;  ///< distance to the next path in quarters of a block; 255 = far away
    std::uint8_t river = 255; ///< distance to the river in blocks, from its middle; 255 = far away
    std::uint32_t tint = 0;   ///< 0xFFrrggbb
};

class Landscape {
public:
    explicit Landscape(std::uint64_t seed);

    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// The column at world coordinates; beyond the edge the one at the edge.
    [[nodiscard]] const Column& at(int x, int z) const;
    [[nodiscard]] const Column& at(Spot place) const { return at(place.x, place.z); }
    /// True if the column is part of the world.
    [[nodiscard]] static bool inside(int x, int z) {
        return x >= k_low && x < k_low + k_blocks && z >= k_low && z < k_low + k_blocks;
    }

private:
    [[nodiscard]] Column plan(int x, int z) const;

    std::uint64_t seed_;
    int river_length_; ///< in blocks
    std::vector<Column> columns_;
};

/// A line from place to place; the paths of the world. Bridges stand where they cross water.
[[nodiscard]] std::span<const std::vector<Spot>> paths();

/// Distance from a place to a line, in 256ths of a block, and how far along the line (in blocks) the nearest
/// point is.
struct Nearest {
    int distance = 0;
    int along = 0;
};
[[nodiscard]] Nearest nearest(std::span<const Spot> line, int x256, int z256);

} // namespace orbis::world::sample
