#include "care/verify/check_chunk.hpp"

#include <algorithm>

/// Cells of bigger blocks whose base is gone.
namespace orbis::care {

using chunk::PartState;

FillerFaults find_filler_faults(const chunk::Chunk& chunk, ChunkPos pos, const NeighbourLookup& neighbour) {
    FillerFaults faults;
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        if (section.block_state != PartState::decoded) continue;
        const bool in_keys = std::any_of(section.legacy.begin(), section.legacy.end(),
                                         [](const auto& key) { return static_cast<bool>(key.filler); });
        if (section.fillers.kind() == chunk::PaletteKind::empty && !in_keys) continue;
        const auto look = [&](CellIndex cell) {
            const auto block = section.block_at(cell);
            if (!block.filler) return;
            const BlockPos at{pos.x * k_side + cell.x(), y * k_side + cell.y(), pos.z * k_side + cell.z()};
            const auto base = block.filler.base(at);
            chunk::BlockState found;
            if (base.y < 0 || base.y >= k_world_height) {
                faults.dangling.push_back(at);
                return;
            }
            if (base.chunk() == pos) {
                if (chunk.section(base.y >> 5).block_state == PartState::broken) return;
                found = chunk.block(base);
            } else {
                const auto other = neighbour(base);
                if (other.kind == NeighbourBlock::Kind::absent) faults.lost.push_back(at);
                if (other.kind != NeighbourBlock::Kind::there) return;
                found = other.block;
            }
            if (found.key != block.key || found.filler) faults.dangling.push_back(at);
        };
        if (in_keys) {
            for (int i = 0; i < k_cells; ++i) look(CellIndex(i));
            continue;
        }
        section.fillers.for_each_run([&](CellIndex begin, CellIndex end, std::uint32_t entry) {
            if (entry == section.fillers.entries().size() || section.fillers.entries()[entry].value == 0)
                return;
            for (int i = begin.value; i < end.value; ++i) look(CellIndex(i));
        });
    }
    return faults;
}

} // namespace orbis::care
