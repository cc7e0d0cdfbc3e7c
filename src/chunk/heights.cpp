#include "chunk/chunk.hpp"

/// The height of a column is the y of its highest block that is not transparent, 0 if there is none.
namespace orbis::chunk {

namespace {

/// The answer per palette entry, so that nothing is asked once per cell. The last one is for empty cells.
std::vector<bool> transparent_entries(const Section& section, const IsTransparent& is_transparent) {
    std::vector<bool> out;
    for (std::size_t i = 0; i < section.blocks.entries().size(); ++i) {
        const auto key = section.block_key(i);
        out.push_back(key == k_empty_key || is_transparent(key));
    }
    out.push_back(true);
    return out;
}

} // namespace

int Chunk::highest_opaque(ColumnIndex column,
                          const std::array<std::vector<bool>, k_sections>& transparent) const {
    for (int y = k_sections; y-- > 0;) {
        const auto& blocks = section(y).blocks;
        if (blocks.kind() == PaletteKind::empty) continue;
        const auto& passes = transparent[static_cast<std::size_t>(y)];
        for (int inner = k_side; inner-- > 0;)
            if (!passes[blocks.entry_at(CellIndex(column.x(), inner, column.z()))]) return y * k_side + inner;
    }
    return 0;
}

Result<std::size_t> Chunk::update_heights(const IsTransparent& is_transparent) {
    if (touched_.none()) return std::size_t{0};
    if (column_broken_) TRY_DO(can_edit("ChunkColumn", PartState::broken)); // what is not read would be air
    TRY(auto* heights, edit_heights());
    std::array<std::vector<bool>, k_sections> transparent;
    for (std::size_t y = 0; y < k_sections; ++y)
        transparent[y] = transparent_entries((*sections_)[y], is_transparent);
    std::size_t changes = 0;
    for (int i = 0; i < k_columns; ++i) {
        if (!touched_.test(static_cast<std::size_t>(i))) continue;
        const ColumnIndex column(i);
        const int before = heights->at(column);
        const int now = highest_opaque(column, transparent);
        if (!heights->set(column, static_cast<std::int16_t>(now))) continue;
        ++changes;
        // Between the two heights the sky came or went, which the light inside those sections depends on.
        const int low = std::max(0, std::min(before, now)) >> 5;
        const int high = std::min(k_world_height - 1, std::max(before, now)) >> 5;
        for (int y = low; y <= high; ++y) {
            auto& section = (*sections_)[static_cast<std::size_t>(y)];
            if (section.has_current_block()) section.invalidate_light();
        }
    }
    touched_.reset();
    return changes;
}

Result<std::size_t> Chunk::recompute_heights(const IsTransparent& is_transparent) {
    touched_.set();
    return update_heights(is_transparent);
}

} // namespace orbis::chunk
