#include "care/verify/check_chunk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

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

/// One bit for each of the 64 columns of two rows of a layer.
using ColumnBits = std::uint64_t;
constexpr std::size_t k_groups = k_columns / 64;

/// Tells which cells of a section count for the height, 64 at a time.
class OpaqueCells {
public:
    OpaqueCells(const chunk::KeyPalette& blocks, const OpaqueEntries& opaque)
        : blocks_(blocks), opaque_(opaque) {
        const bool half = blocks.kind() == chunk::PaletteKind::half_byte;
        std::array<std::uint8_t, 256> counts{}; // by label
        for (std::size_t i = 0; i < blocks.entries().size(); ++i)
            counts[blocks.entries()[i].id & 255] = opaque[i];
        for (std::size_t byte = 0; byte < 256; ++byte) // the even cell is in the high half of a byte
            bits_[byte] =
                static_cast<std::uint8_t>(half ? counts[byte >> 4] | counts[byte & 15] << 1 : counts[byte]);
    }

    [[nodiscard]] ColumnBits columns(int layer, std::size_t group) const {
        const auto first = static_cast<std::size_t>(layer) * k_columns + group * 64;
        if (blocks_.kind() == chunk::PaletteKind::half_byte) return gather<2>(first);
        if (blocks_.kind() == chunk::PaletteKind::byte) return gather<1>(first);
        ColumnBits found = 0;
        for (std::size_t i = 0; i < 64; ++i)
            if (opaque_[blocks_.entry_at(CellIndex(static_cast<int>(first + i)))] != 0)
                found |= ColumnBits{1} << i;
        return found;
    }

private:
    /// Cells repeat, so eight bytes of one value are told at once.
    template <std::size_t CellsPerByte>
    [[nodiscard]] ColumnBits gather(std::size_t first) const {
        constexpr std::size_t k_word_cells = 8 * CellsPerByte;
        constexpr ColumnBits k_each = CellsPerByte == 2 ? 0x5555 : 0xFF; // a bit for each byte of a word
        const auto* at = blocks_.stored_cells().data() + first / CellsPerByte;
        ColumnBits found = 0;
        for (std::size_t shift = 0; shift < 64; shift += k_word_cells, at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, at, sizeof word);
            ColumnBits bits = 0;
            if (word == std::rotl(word, 8)) {
                bits = bits_[word & 255] * k_each;
            } else {
                for (std::size_t i = 0; i < 8; ++i)
                    bits |= static_cast<ColumnBits>(bits_[at[i]]) << (i * CellsPerByte);
            }
            found |= bits << shift;
        }
        return found;
    }

    const chunk::KeyPalette& blocks_;
    const OpaqueEntries& opaque_;
    std::array<std::uint8_t, 256> bits_; ///< by stored byte: which of its cells count
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
    std::array<ColumnBits, k_groups> open;
    open.fill(~ColumnBits{0});
    std::size_t left = k_columns;
    for (int y = k_sections - 1; y >= 0 && left > 0; --y) {
        const auto& flags = opaque[static_cast<std::size_t>(y)];
        if (flags.empty()) continue;
        const OpaqueCells cells(chunk.section(y).blocks, flags);
        for (int layer = k_side - 1; layer >= 0 && left > 0; --layer)
            for (std::size_t group = 0; group < k_groups; ++group) {
                if (open[group] == 0) continue;
                auto found = cells.columns(layer, group) & open[group];
                open[group] &= ~found;
                for (; found != 0; found &= found - 1, --left) {
                    const auto column = group * 64 + static_cast<std::size_t>(std::countr_zero(found));
                    if (std::max<int>(stored[column], 0) != y * k_side + layer) return false;
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

} // namespace orbis::care
