#pragma once

#include "chunk/cell_words.hpp"
#include "chunk/chunk.hpp"

#include <array>
#include <bit>
#include <functional>
#include <set>

namespace orbis::jobs {

/// Whether a section may have cells that belong to a base elsewhere.
inline bool has_fillers(const chunk::Section& section) {
    bool any = false;
    section.with_fillers([&](const auto& palette, const auto& value_of) {
        for (std::size_t i = 0; i < palette.entries().size(); ++i) any = any || value_of(i) != 0;
    });
    return any;
}

/// Calls `visit(cell position in the world, section, cell, filler)` for each cell of a chunk that belongs to
/// a base elsewhere.
template <typename Visit>
void for_each_filler(ChunkPos pos, const chunk::Chunk& chunk, Visit&& visit) {
    for (int y = 0; y < k_sections; ++y) {
        if (!has_fillers(chunk.section(y))) continue;
        chunk.section(y).with_fillers([&](const auto& palette, const auto& value_of) {
            std::array<std::uint64_t, k_cells / 64> cells;
            cells.fill(~std::uint64_t{0});
            chunk::keep_cells(palette, cells, [&](std::size_t entry) { return value_of(entry) != 0; });
            for (std::size_t word = 0; word < cells.size(); ++word)
                for (auto bits = cells[word]; bits != 0; bits &= bits - 1) {
                    const CellIndex cell(static_cast<int>(word * 64) + std::countr_zero(bits));
                    const BlockPos at{
                        static_cast<std::int32_t>(static_cast<std::uint32_t>(pos.x) << 5) | cell.x(),
                        y * k_side + cell.y(),
                        static_cast<std::int32_t>(static_cast<std::uint32_t>(pos.z) << 5) | cell.z()};
                    visit(at, chunk::Filler{static_cast<std::uint16_t>(value_of(palette.entry_at(cell)))});
                }
        });
    }
}

/// What tells of any position of the world which block is there, and whether it is chosen.
struct WorldCells {
    /// Nothing where there is no chunk, or none that can be read.
    std::function<std::optional<chunk::BlockState>(BlockPos)> block;
    std::function<bool(BlockPos)> is_chosen;
};

/// Blocks of several cells of which some are chosen and some are not.
struct CutBlocks {
    std::set<BlockPos> bases;
    std::set<BlockPos> cells; ///< of these blocks, those that are not chosen
};

/// The cut blocks that have a cell other than the base in this chunk.
CutBlocks find_cut_blocks(ChunkPos pos, const chunk::Chunk& chunk, const WorldCells& world);

} // namespace orbis::jobs
