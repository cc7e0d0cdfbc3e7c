#pragma once

#include "mesh/chunk_cells.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace orbis::mesh {

/// Which cells of a chunk and around it are below the open sky, or not far from a cell that is: what is seen
/// of a world from outside. Only full cubes that nothing is seen through end the sky.
class OpenSky {
public:
    /// How many steps to the side, up or down count as near, through cells that are no such cubes. Less than
    /// what is known around the chunk, so that the answer for a cell is the same for each chunk beside it.
    static constexpr int k_steps = 6;

    OpenSky();

    /// The cells of nine chunks in rows from the north-west, whose solid cells are known. The middle one is
    /// the chunk itself.
    void find(const std::array<const ChunkCells*, 9>& chunks);

    /// Cells that the faces of a row look at and that are near the sky, at the places of the cells
    /// themselves.
    [[nodiscard]] std::uint32_t beyond(Face face, int y, int z) const;
    /// The same for the cells of the row.
    [[nodiscard]] std::uint32_t row(int y, int z) const { return shifted(y, z, 0); }

private:
    static constexpr int k_margin = 16; ///< cells that are known on each side of the chunk
    static constexpr std::size_t k_width = 64;
    static_assert(k_steps < k_margin);
    /// Bits from the west, from 16 cells before the chunk on.
    using WideLayer = std::array<std::uint64_t, k_width>;
    using WideRows = std::array<WideLayer, k_world_height>;

    [[nodiscard]] std::uint32_t shifted(int y, int z, int dx) const {
        const auto wide = (*near_)[static_cast<std::size_t>(y)][static_cast<std::size_t>(z + k_margin)];
        return static_cast<std::uint32_t>(wide >> (k_margin + dx));
    }
    void open_from_above();
    void spread();

    std::unique_ptr<WideRows> open_; ///< cells that are not solid
    std::unique_ptr<WideRows> near_;
    std::unique_ptr<WideRows> next_;
    int lowest_ = 0;  ///< layer with a cell that is near
    int highest_ = 0; ///< layer with a cell that is not open; above it everything is
};

} // namespace orbis::mesh
