#include "care/verify/check_chunk.hpp"

#include <algorithm>

/// Heights of columns against their blocks.
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

/// Columns are looked at in groups of sixteen, as many as `Palette::alike` tells about.
constexpr int k_group = 16;

/// The stored heights of a chunk against its blocks.
class HeightCheck {
public:
    HeightCheck(const chunk::Chunk& chunk, std::span<const OpaqueEntries, k_sections> opaque,
                std::span<const std::int16_t, k_columns> stored)
        : chunk_(chunk), opaque_(opaque), stored_(stored) {}

    /// Whether sixteen columns have the right heights.
    [[nodiscard]] bool holds(int first) const {
        int highest = 0;
        for (int column = first; column < first + k_group; ++column)
            highest = std::max(highest, height(column));
        for (int column = first; column < first + k_group; ++column) {
            const int own = height(column);
            if (own > 0 && !counts(column, own)) return false; // 0 stands for no block at all, too
            for (int y = own + 1; y <= highest; ++y)
                if (counts(column, y)) return false;
        }
        return nothing_above(first, highest);
    }

private:
    /// -1 stands for 0 in old data.
    [[nodiscard]] int height(int column) const {
        return std::max<int>(stored_[static_cast<std::size_t>(column)], 0);
    }

    [[nodiscard]] bool counts(int column, int y) const {
        const auto& flags = opaque_[static_cast<std::size_t>(y / k_side)];
        if (flags.empty()) return false;
        const CellIndex cell(y % k_side * k_columns + column);
        return flags[chunk_.section(y / k_side).blocks.entry_at(cell)] != 0;
    }

    /// Whether none of sixteen columns has a block that counts above `highest`. There is mostly air.
    [[nodiscard]] bool nothing_above(int first, int highest) const {
        for (int y = (highest + 1) / k_side; y < k_sections; ++y) {
            const auto& flags = opaque_[static_cast<std::size_t>(y)];
            if (flags.empty()) continue;
            const auto& blocks = chunk_.section(y).blocks;
            for (int layer = std::max(highest + 1 - y * k_side, 0); layer < k_side; ++layer) {
                const int cell = layer * k_columns + first;
                const int cells = blocks.alike(CellIndex(cell)) ? 1 : k_group;
                for (int i = cell; i < cell + cells; ++i)
                    if (flags[blocks.entry_at(CellIndex(i))] != 0) return false;
            }
        }
        return true;
    }

    const chunk::Chunk& chunk_;
    std::span<const OpaqueEntries, k_sections> opaque_;
    std::span<const std::int16_t, k_columns> stored_;
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
    const HeightCheck check(chunk, opaque, stored);
    for (int column = 0; column < k_columns; column += k_group)
        if (!check.holds(column)) return false;
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

} // namespace orbis::care
