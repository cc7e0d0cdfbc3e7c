#pragma once

#include "chunk/label_set.hpp"
#include "chunk/palette.hpp"

#include <cstdint>
#include <span>

namespace orbis::chunk {

/// A bit for each cell of a section: cell i is bit i % 64 of word i / 64.
using CellWords = std::span<std::uint64_t, k_cells / 64>;
using ConstCellWords = std::span<const std::uint64_t, k_cells / 64>;

/// How many bits are set.
std::size_t count_cells(ConstCellWords words);

/// Clears the bits of cells whose value is not wanted. `is_wanted(entry)` is asked once for each entry of the
/// palette, and for `entries().size()`, which stands for cells that are empty without an entry.
template <typename Value, typename IsWanted>
void keep_cells(const Palette<Value>& palette, CellWords words, IsWanted&& is_wanted) {
    const auto none = palette.entries().size();
    if (palette.kind() == PaletteKind::empty) {
        if (!is_wanted(none))
            for (auto& word : words) word = 0;
        return;
    }
    if (palette.kind() == PaletteKind::wide) {
        std::vector<bool> wanted(none + 1);
        for (std::size_t i = 0; i <= none; ++i) wanted[i] = is_wanted(i);
        for (std::size_t w = 0; w < words.size(); ++w)
            for (auto bits = words[w]; bits != 0; bits &= bits - 1) {
                const auto bit = std::countr_zero(bits);
                if (!wanted[palette.entry_at(CellIndex(static_cast<int>(w * 64) + bit))])
                    words[w] &= ~(std::uint64_t{1} << bit);
            }
        return;
    }
    LabelSet labels(palette.kind());
    const auto all = palette.kind() == PaletteKind::half_byte ? 16U : 256U;
    std::array<bool, 256> has_entry{};
    for (std::size_t i = 0; i < none; ++i) {
        has_entry[palette.entries()[i].id] = true;
        if (is_wanted(i)) labels.insert(static_cast<std::uint8_t>(palette.entries()[i].id));
    }
    if (is_wanted(none))
        for (unsigned label = 0; label < all; ++label)
            if (!has_entry[label]) labels.insert(static_cast<std::uint8_t>(label));
    labels.keep_members(palette.stored_cells().data(), words);
}

} // namespace orbis::chunk
