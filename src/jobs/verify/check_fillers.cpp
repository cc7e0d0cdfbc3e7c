#include "chunk/label_set.hpp"
#include "jobs/verify/check_chunk.hpp"

#include <algorithm>
#include <bit>

/// Cells of bigger blocks whose base is gone.
namespace orbis::jobs {

using chunk::PartState;

namespace {

/// The block without its state: of `*Door_State_Definitions_Open` that is `Door`.
std::string_view without_state(std::string_view key) {
    key.remove_prefix(std::min(key.size(), key.find_first_not_of('*')));
    return key.substr(0, key.find("_State_Definitions_"));
}

} // namespace

namespace {

/// Calls `visit(CellIndex)` for each cell with a filler. There are few of them, so this goes over a layer at
/// a time.
template <typename Visit>
void for_each_filler(const chunk::FillerPalette& fillers, const Visit& visit) {
    chunk::LabelSet labels(fillers.kind());
    for (const auto& entry : fillers.entries())
        if (entry.value != 0) labels.insert(static_cast<std::uint8_t>(entry.id));
    const auto cells = fillers.stored_cells();
    std::array<std::uint64_t, k_columns / 64> layer;
    for (int y = 0; y < k_side; ++y) {
        layer.fill(~std::uint64_t{0});
        labels.keep_members(cells.data() + static_cast<std::size_t>(y) * cells.size() / k_side, layer);
        for (std::size_t word = 0; word < layer.size(); ++word)
            for (auto bits = layer[word]; bits != 0; bits &= bits - 1)
                visit(CellIndex(y * k_columns + static_cast<int>(word) * 64 + std::countr_zero(bits)));
    }
}

} // namespace

FillerFaults find_filler_faults(const chunk::Chunk& chunk, ChunkPos pos, const NeighbourLookup& neighbour) {
    FillerFaults faults;
    for (int y = 0; y < k_sections; ++y) {
        const auto& section = chunk.section(y);
        if (section.block_state != PartState::decoded) continue;
        const bool in_keys = section.keys_have_fillers();
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
            // In another state it is the same block: a part of it must not be taken away.
            if (found.filler || without_state(found.key) != without_state(block.key))
                faults.dangling.push_back(at);
        };
        if (in_keys || section.fillers.kind() == chunk::PaletteKind::wide)
            for (int i = 0; i < k_cells; ++i) look(CellIndex(i));
        else
            for_each_filler(section.fillers, look);
    }
    return faults;
}

} // namespace orbis::jobs
