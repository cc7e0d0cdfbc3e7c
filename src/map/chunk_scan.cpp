#include "map/channels.hpp"
#include "map/chunk_looks.hpp"
#include "map/label_set.hpp"

#include <algorithm>
#include <bit>

/// Searches down columns. Cells above each other are far apart in memory, so 32 columns beside each other are
/// looked at together, as bits of one number.
namespace orbis::map {

namespace {

using chunk::KeyPalette;
using chunk::PaletteKind;

bool is_sought(const CellLook& look, Sought sought) {
    switch (sought) {
    case Sought::opaque: return !look.see_through;
    case Sought::open: return look.see_through;
    case Sought::ground: return look.ground;
    }
    return false;
}

/// Which of 32 labels are in the set that `table` has a 1 for.
std::uint32_t members(const std::uint8_t* labels, const std::array<std::uint8_t, 256>& table) {
    std::uint32_t mask = 0;
    for (std::size_t i = 0; i < 32; ++i) mask |= std::uint32_t{table[labels[i]]} << i;
    return mask;
}

/// Tells which of the 32 cells of a row are sought.
class RowMasks {
public:
    RowMasks(const KeyPalette& palette, const std::vector<CellLook>& looks, Sought sought)
        : palette_(palette) {
        for (const auto& look : looks) sought_.push_back(is_sought(look, sought) ? 1 : 0);
        any_ = std::ranges::find(sought_, 1) != sought_.end();
        if (palette.kind() == PaletteKind::wide) return;
        labels_.fill(sought_.back()); // labels without an entry are air
        for (std::size_t i = 0; i < palette.entries().size(); ++i)
            labels_[palette.entries()[i].id] = sought_[i];
        if (palette.kind() == PaletteKind::byte)
            for (std::size_t label = 0; label < labels_.size(); ++label)
                if (labels_[label] != 0) set_.add(label);
        if (palette.kind() != PaletteKind::half_byte) return;
        std::array<std::uint8_t, 16> nibbles;
        std::copy_n(labels_.begin(), nibbles.size(), nibbles.begin());
        for (std::size_t pair = 0; pair < labels_.size(); ++pair) // the first cell is in the high half
            labels_[pair] = static_cast<std::uint8_t>(nibbles[pair >> 4] | nibbles[pair & 15] << 1);
    }

    /// Whether there is any point in asking.
    [[nodiscard]] bool any() const { return any_; }

    [[nodiscard]] std::uint32_t row(int y, int z) const {
        const auto first = static_cast<std::size_t>(y << 10 | z << 5);
        const auto* cells = palette_.stored_cells().data();
        std::uint32_t mask = 0;
        switch (palette_.kind()) {
        case PaletteKind::empty: return sought_.back() != 0 ? ~std::uint32_t{0} : 0;
        case PaletteKind::half_byte:
            for (std::size_t i = 0; i < 16; ++i)
                mask |= std::uint32_t{labels_[cells[first / 2 + i]]} << (2 * i);
            return mask;
        case PaletteKind::byte:
#if defined(__x86_64__)
            if (has_avx2()) return members_avx2(cells + first, set_);
#endif
            return members(cells + first, labels_);
        case PaletteKind::wide: break;
        }
        for (std::size_t i = 0; i < 32; ++i)
            mask |= std::uint32_t{sought_[palette_.entry_at(CellIndex(static_cast<int>(first + i)))]} << i;
        return mask;
    }

    const KeyPalette& palette_;
    std::vector<std::uint8_t> sought_;       ///< per entry, and one more for cells without
    LabelSet set_;                           ///< the same of byte labels
    std::array<std::uint8_t, 256> labels_{}; ///< per label, or per pair of labels
    bool any_ = false;
};

} // namespace

void ChunkLooks::highest(Sought sought, const ColumnHeights& from, ColumnHeights& out) {
    constexpr int k_top = k_world_height - 1;
    std::array<std::uint32_t, k_side> searched{}; // per row, the columns whose search has begun
    std::array<int, k_side> left{};               // per row, how many have not found anything
    std::array<int, k_side> highest_from{};
    const auto begin_of = [&](std::size_t column) -> std::uint32_t& {
        return begins_[static_cast<std::size_t>(std::min<int>(from[column], k_top))][column >> 5];
    };
    int top = -1;
    for (std::size_t i = 0; i < k_columns; ++i) {
        out[i] = -1;
        if (from[i] < 0) continue;
        begin_of(i) |= std::uint32_t{1} << (i & 31);
        ++left[i >> 5];
        highest_from[i >> 5] = std::max<int>(highest_from[i >> 5], std::min<int>(from[i], k_top));
        top = std::max(top, highest_from[i >> 5]);
    }
    for (int s = top >> 5; s >= 0; --s) {
        const auto index = static_cast<std::size_t>(s);
        if (!sections_[index].resolved) resolve(index);
        const RowMasks masks(chunk_->section(s).blocks, sections_[index].blocks, sought);
        for (std::size_t z = 0; z < k_side; ++z) {
            for (int y = std::min(s * k_side + 31, highest_from[z]); y >= s * k_side && left[z] > 0; --y) {
                searched[z] |= begins_[static_cast<std::size_t>(y)][z];
                if (!masks.any()) continue;
                auto found = masks.row(y & 31, static_cast<int>(z)) & searched[z];
                searched[z] &= ~found;
                left[z] -= std::popcount(found);
                for (; found != 0; found &= found - 1)
                    out[z * k_side + static_cast<std::size_t>(std::countr_zero(found))] =
                        static_cast<std::int16_t>(y);
            }
        }
    }
    for (std::size_t i = 0; i < k_columns; ++i)
        if (from[i] >= 0) begin_of(i) = 0;
}

} // namespace orbis::map
