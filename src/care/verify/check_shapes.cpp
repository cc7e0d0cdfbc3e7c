#include "care/verify/check_chunk.hpp"

#include <algorithm>

/// Checks that look at many cells at once: heights and fillers.
namespace orbis::care {

namespace {

using chunk::PartState;
using chunk::Section;

/// Which entries of a section's palette count for the height; one more at the end for cells without one.
std::vector<std::uint8_t> opaque_entries(const Section& section, const world::Assets& assets, bool& any) {
    const auto entries = section.blocks.entries();
    std::vector<std::uint8_t> opaque(entries.size() + 1, 0);
    any = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto key = i < section.legacy.size() ? section.legacy[i].block : entries[i].value;
        opaque[i] = assets.is_transparent(key) ? 0 : 1;
        any = any || opaque[i] != 0;
    }
    return opaque;
}

} // namespace

TrueHeights heights_by_blocks(const chunk::Chunk& chunk, const world::Assets& assets) {
    TrueHeights truth;
    int left = k_columns;
    for (int y = k_sections - 1; y >= 0 && left > 0; --y) {
        const auto& section = chunk.section(y);
        if (section.block_state == PartState::broken) return truth; // whatever is open stays unknown
        if (section.blocks.kind() == chunk::PaletteKind::empty) continue;
        bool any = false;
        const auto opaque = opaque_entries(section, assets, any);
        if (!any) continue;
        // Runs come from the bottom, so the last one that covers a column is the highest.
        constexpr std::int8_t k_none = -1;
        std::array<std::int8_t, k_columns> highest;
        highest.fill(k_none);
        section.blocks.for_each_run([&](CellIndex begin, CellIndex end, std::uint32_t entry) {
            if (opaque[entry] == 0) return;
            for (int i = begin.value; i < end.value;) {
                const int layer = i >> 10;
                const int until = std::min(end.value, (layer + 1) << 10);
                std::fill(highest.begin() + (i & 1023), highest.begin() + (until - (layer << 10)),
                          static_cast<std::int8_t>(layer));
                i = until;
            }
        });
        for (std::size_t i = 0; i < k_columns; ++i) {
            if (highest[i] == k_none || truth.known[i]) continue;
            truth.height[i] = static_cast<std::int16_t>(y * k_side + highest[i]);
            truth.known[i] = true;
            --left;
        }
    }
    truth.known.fill(true); // a column of nothing but air has height 0
    return truth;
}

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
