#pragma once

#include "orbis/block.hpp"
#include "orbis/export.hpp"
#include "orbis/position.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace orbis {

class Chunk;
struct ChunkState;

/// A cube of 32 × 32 × 32 cells of a chunk, for who looks at many cells at once. Copies are cheap; what a
/// section hands out lives as long as the section, a copy of it, or its chunk.
///
/// All arrays have the cells in one order: first the lowest layer, in each layer from the north, in each row
/// from the west. The cell at x, y, z is `CellIndex(x, y, z).value`.
class ORBIS_API Section {
public:
    /// From 0 at the bottom to 9.
    [[nodiscard]] int y() const { return y_; }
    /// Whether every cell holds air.
    [[nodiscard]] bool empty() const;

    /// The block keys of this section; `blocks()` are indices into this list. A key may be there more than
    /// once, and one that no cell holds may be there too. The last one is always "Empty".
    [[nodiscard]] std::span<const std::string_view> keys() const;
    /// The block of each cell, as an index into `keys()`. Unpacked once, when it is first asked for.
    [[nodiscard]] std::span<const std::uint16_t, k_cells> blocks() const;
    /// How many cells hold each of `keys()`. Faster than counting `blocks()`.
    [[nodiscard]] std::vector<std::uint32_t> counts() const;
    /// The light of each cell, to be read with `LightValue{number}`. Unpacked each time.
    [[nodiscard]] std::vector<std::uint16_t> lights() const;
    /// The fluid keys of this section, as `keys()` are those of blocks.
    [[nodiscard]] std::vector<std::string_view> fluid_keys() const;
    /// The fluid of each cell, as an index into `fluid_keys()`. Unpacked each time.
    [[nodiscard]] std::vector<std::uint16_t> fluids() const;
    /// How full each cell is, 0 to 15. Unpacked each time.
    [[nodiscard]] std::vector<std::uint8_t> fluid_levels() const;
    /// How each block is turned, to be read with `Rotation{number}`. Unpacked each time.
    [[nodiscard]] std::vector<std::uint8_t> rotations() const;

    /// One cell; only the place in the section counts.
    [[nodiscard]] Block block(CellIndex cell) const;
    [[nodiscard]] Fluid fluid(CellIndex cell) const;      ///< the fluid of a cell
    [[nodiscard]] LightValue light(CellIndex cell) const; ///< the light of a cell

private:
    friend class Chunk;
    Section(std::shared_ptr<ChunkState> chunk, int y) : chunk_(std::move(chunk)), y_(y) {}

    std::shared_ptr<ChunkState> chunk_;
    int y_;
};

} // namespace orbis
