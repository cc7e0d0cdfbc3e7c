#include "jobs/cells/cut_blocks.hpp"

#include "chunk/block_cells.hpp"

#include <string>

namespace orbis::jobs {

CutBlocks find_cut_blocks(ChunkPos pos, const chunk::Chunk& chunk, const WorldCells& world) {
    CutBlocks cut;
    std::set<BlockPos> hit;
    for_each_filler(pos, chunk, [&](BlockPos cell, chunk::Filler filler) {
        const auto base = filler.base(cell);
        if (world.is_chosen(cell) != world.is_chosen(base)) hit.insert(base);
    });
    for (const auto base : hit) {
        const auto block = world.block(base);
        if (!block || block->filler || block->key == chunk::k_empty_key) continue; // its base is gone
        const std::string key(block->key);
        const auto cells = chunk::cells_of_block(
            base, {key, block->rotation, {}}, [&](BlockPos cell) -> std::optional<chunk::Filler> {
                const auto there = world.block(cell);
                return there && there->key == key ? std::optional(there->filler) : std::nullopt;
            });
        std::set<BlockPos> left;
        for (const auto cell : cells)
            if (!world.is_chosen(cell)) left.insert(cell);
        // Cells with other keys are no part of it, so that it may be whole after all.
        if (left.empty() || left.size() == cells.size()) continue;
        cut.bases.insert(base);
        cut.cells.merge(left);
    }
    return cut;
}

} // namespace orbis::jobs
