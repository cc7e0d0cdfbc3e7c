#pragma once

#include "chunk/chunk.hpp"
#include "mesh/materials.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace orbis::mesh {

/// The part of a chunk that counts, as places in it; what is outside of it is air. `last` belongs to it. May
/// reach beyond the chunk on all sides.
struct Part {
    std::array<int, 3> first{INT16_MIN, INT16_MIN, INT16_MIN}; ///< x, y, z
    std::array<int, 3> last{INT16_MAX, INT16_MAX, INT16_MAX};
    friend constexpr auto operator<=>(const Part&, const Part&) = default;
};

/// A bit for each cell of a layer: rows from the north of 32 cells from the west.
using LayerRows = std::array<std::uint32_t, k_side>;
/// The same for all layers of a chunk.
using ChunkRows = std::array<LayerRows, k_world_height>;

/// Which cells of a chunk are of which kind, and of what.
class ChunkCells {
public:
    enum class Read : std::uint8_t {
        all,
        solid, ///< only `rows` of solid cells may be asked for
    };
    /// Goes on with another chunk, which must live as long as it is asked about; null for one of air.
    void reset(const chunk::Chunk* chunk, const Part& part, Materials& materials, Read read = Read::all);

    [[nodiscard]] const ChunkRows& rows(Material::Kind kind) const { return rows_[index(kind)]; }
    [[nodiscard]] bool section_has(Material::Kind kind, int y) const {
        return (sections_[index(kind)] >> y & 1) != 0;
    }
    [[nodiscard]] std::uint16_t block(int x, int y, int z) const {
        const auto& blocks = chunk_->section(y >> 5).blocks;
        return blocks_[static_cast<std::size_t>(y >> 5)][blocks.entry_at(cell(x, y, z))];
    }
    [[nodiscard]] std::uint16_t fluid(int x, int y, int z) const;
    /// What lamps shine there, as `Quad` has it. The chunk must have been read with its light.
    [[nodiscard]] std::uint16_t lamps(int x, int y, int z) const;

private:
    static constexpr std::size_t k_kinds = 5; ///< of `Material::Kind`
    static std::size_t index(Material::Kind kind) { return static_cast<std::size_t>(kind); }
    static CellIndex cell(int x, int y, int z) { return CellIndex(x | z << 5 | (y & 31) << 10); }
    void read_blocks(int y, const Part& part, Materials& materials, Read read);
    void read_fluids(int y, const Part& part, Materials& materials);
    void keep(std::size_t kind, int y, const Part& part, std::array<std::uint32_t, k_columns>& rows);

    const chunk::Chunk* chunk_ = nullptr;
    std::array<ChunkRows, k_kinds> rows_{};
    std::array<std::uint32_t, k_kinds> sections_{}; ///< a bit for each that has cells of this kind
    /// Materials by entry of the blocks of a section, and by entry of its fluids.
    std::array<std::vector<std::uint16_t>, k_sections> blocks_;
    std::array<std::vector<std::uint16_t>, k_sections> fluids_;
    /// Fluids by entry of the blocks, where old sections have them in their keys; else none.
    std::array<std::vector<std::uint16_t>, k_sections> fluids_of_blocks_;
};

} // namespace orbis::mesh
