#pragma once

#include "chunk/chunk.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace orbis::jobs {

/// How two planes of cells beside each other differ.
struct PlaneDifference {
    std::uint32_t open = 0;  ///< cells of which one is empty and the other is not
    std::uint32_t solid = 0; ///< cells that hold two different things
};

/// What of a chunk its neighbours go on with: columns, and the cells at its four sides
/// (docs/design/puzzle.md). About 90 KiB for tall land, less for flat.
struct ChunkEdges {
    /// Both of a pair: along x the second is in the east, along z in the south.
    enum Axis : std::uint8_t { along_x, along_z };
    /// A place where two planes meet. `middle` is inside the chunk: there it is known how planes that
    /// belong together differ.
    enum Seam : std::uint8_t { low, before_middle, middle, behind_middle, high };
    static constexpr std::size_t k_seams = 5;

    std::array<std::int16_t, k_columns> heights{};
    std::array<std::uint32_t, k_columns> tints{};
    std::array<std::uint32_t, k_columns> environments{}; ///< hashes of what a column has

    /// Cells of one side from the bottom up, 32 per layer, without the empty layers at the top. 0 is an empty
    /// cell, everything else a hash of block and fluid.
    using Plane = std::vector<std::uint16_t>;
    std::array<Plane, 2> first; ///< the side with the lowest x or z, by axis
    std::array<Plane, 2> last;  ///< that with the highest
    std::array<std::array<PlaneDifference, k_seams>, 2> inside{};
};

/// The parts of a chunk that its edges are made from.
inline constexpr chunk::Parts k_edge_parts =
    chunk::k_blocks | chunk::k_fluids | chunk::k_column_maps | chunk::k_environments;

ChunkEdges edges_of(const chunk::Chunk& chunk);

PlaneDifference difference(const ChunkEdges::Plane& a, const ChunkEdges::Plane& b);

} // namespace orbis::jobs
