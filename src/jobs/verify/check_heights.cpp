#include "chunk/label_set.hpp"
#include "jobs/verify/check_chunk.hpp"

#include <algorithm>
#include <array>
#include <bit>

/// Heights of columns against their blocks.
namespace orbis::jobs {

namespace {

using chunk::PartState;
using chunk::Section;

/// Which entries of a section's palette count for the height; one more at the end for cells without one.
std::vector<std::uint8_t> opaque_entries(const Section& section, const world::Assets& assets, bool& any) {
    const auto entries = section.blocks.entries();
    std::vector<std::uint8_t> opaque(entries.size() + 1, 0);
    any = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        opaque[i] = assets.is_transparent(section.block_key(i)) ? 0 : 1;
        any = any || opaque[i] != 0;
    }
    return opaque;
}

/// One bit for each of the 64 columns of two rows of a layer.
using ColumnBits = std::uint64_t;
constexpr std::size_t k_groups = k_columns / 64;
using LayerBits = std::array<ColumnBits, k_groups>;

/// Tells which cells of a section count for the height, a layer at a time.
class OpaqueCells {
public:
    OpaqueCells(const chunk::KeyPalette& blocks, const OpaqueEntries& opaque)
        : blocks_(blocks), opaque_(opaque), labels_(blocks.kind()) {
        for (std::size_t i = 0; i < blocks.entries().size(); ++i)
            if (opaque[i] != 0) labels_.insert(static_cast<std::uint8_t>(blocks.entries()[i].id));
    }

    /// Clears the bits of columns whose cell in this layer does not count.
    void keep(int layer, LayerBits& columns) const {
        const auto first = static_cast<std::size_t>(layer) * k_columns;
        if (blocks_.kind() != chunk::PaletteKind::wide) {
            const bool half = blocks_.kind() == chunk::PaletteKind::half_byte;
            return labels_.keep_members(blocks_.stored_cells().data() + (half ? first / 2 : first), columns);
        }
        for (std::size_t i = 0; i < k_columns; ++i)
            if (opaque_[blocks_.entry_at(CellIndex(static_cast<int>(first + i)))] == 0)
                columns[i / 64] &= ~(ColumnBits{1} << i % 64);
    }

private:
    const chunk::KeyPalette& blocks_;
    const OpaqueEntries& opaque_;
    chunk::LabelSet labels_; ///< not of wide palettes
};

} // namespace

bool heights_hold(const chunk::Chunk& chunk, std::span<const OpaqueEntries, k_sections> opaque,
                  std::span<const std::int16_t, k_columns> stored) {
    for (int y = 0; y < k_sections; ++y) {
        const auto state = chunk.section(y).block_state;
        if (state != PartState::decoded && state != PartState::absent) return false;
    }
    const auto [lowest, highest] = std::ranges::minmax(stored);
    if (lowest < -1 || highest >= k_world_height) return false;
    // From the top: where a column has its first block that counts, its height must be right.
    LayerBits open;
    open.fill(~ColumnBits{0});
    std::size_t left = k_columns;
    for (int y = k_sections - 1; y >= 0 && left > 0; --y) {
        const auto& flags = opaque[static_cast<std::size_t>(y)];
        if (flags.empty()) continue;
        const OpaqueCells cells(chunk.section(y).blocks, flags);
        for (int layer = k_side - 1; layer >= 0 && left > 0; --layer) {
            auto columns = open;
            cells.keep(layer, columns);
            for (std::size_t group = 0; group < k_groups; ++group) {
                auto found = columns[group];
                open[group] &= ~found;
                for (; found != 0; found &= found - 1, --left) {
                    const auto column = group * 64 + static_cast<std::size_t>(std::countr_zero(found));
                    if (std::max<int>(stored[column], 0) != y * k_side + layer) return false;
                }
            }
        }
    }
    // Nothing but air: 0, in old data also -1.
    for (std::size_t group = 0; group < k_groups; ++group)
        for (auto rest = open[group]; rest != 0; rest &= rest - 1)
            if (stored[group * 64 + static_cast<std::size_t>(std::countr_zero(rest))] > 0) return false;
    return true;
}

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

bool is_wrong_height(const chunk::Chunk& chunk, ColumnIndex column, int stored, int truth) {
    if (stored == truth || (stored == -1 && truth == 0)) return false; // -1 in old data
    if (stored < truth || stored >= k_world_height) return true;
    const auto& section = chunk.section(stored / k_side);
    return section.block_at(CellIndex(column.x(), stored % k_side, column.z())).key == chunk::k_empty_key;
}

} // namespace orbis::jobs
