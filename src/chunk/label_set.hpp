#pragma once

#include "chunk/palette.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace orbis::chunk {

/// Some labels of a palette whose cells are bytes or half bytes, and which cells hold one of them: 64 cells
/// at a time, a bit each (docs/design/chunk-model.md).
class LabelSet {
public:
    /// For cells that are stored like this: `half_byte` or `byte`.
    explicit LabelSet(PaletteKind kind) : half_(kind == PaletteKind::half_byte) {}

    void insert(std::uint8_t label) {
        auto& row = rows_[label >> 7][label & 15];
        row = static_cast<std::uint8_t>(row | 1U << (label >> 4 & 7));
        if (label < 16) flags_[label] = 255;
    }
    [[nodiscard]] bool contains(std::uint8_t label) const {
        return (rows_[label >> 7][label & 15] >> (label >> 4 & 7) & 1) != 0;
    }

    /// Clears the bit of each cell that does not hold a label of the set. `cells` are the stored ones, from
    /// the one that bit 0 of the first word stands for.
    void keep_members(const std::uint8_t* cells, std::span<std::uint64_t> words) const;
    void keep_members_portably(const std::uint8_t* cells, std::span<std::uint64_t> words) const;

    /// Whether exactly the cells of a section that hold a label of the set have a level. Labels are half
    /// bytes with the even cell in the high half, levels have it in the low half.
    [[nodiscard]] bool are_where_levels_are(Bytes labels, Bytes levels) const;
    [[nodiscard]] bool are_where_levels_are_portably(Bytes labels, Bytes levels) const;

private:
    using Row = std::array<std::uint8_t, 16>;

    std::array<Row, 2> rows_{}; ///< by the low half of a label, a bit for each high half: 0 to 7, 8 to 15
    Row flags_{};               ///< of the labels that are half a byte: 255 or 0
    bool half_;
};

} // namespace orbis::chunk
