#include "chunk/cell_words.hpp"
#include "chunk/chunk.hpp"

#include <algorithm>
#include <array>
#include <bit>

/// The height of a column is the y of its highest block that is not transparent, 0 if there is none.
namespace orbis::chunk {

namespace {

/// A bit for each column, as a layer of a section has one for each cell.
using Layer = std::array<std::uint64_t, k_columns / 64>;

bool is_empty(const Layer& layer) {
    return std::ranges::all_of(layer, [](auto word) { return word == 0; });
}

/// Looks for the highest blocks of columns, from the top of the chunk downwards.
class HighestBlocks {
public:
    HighestBlocks(const Layer& columns, const IsTransparent& is_transparent)
        : left_(columns), is_transparent_(is_transparent) {}

    /// The next section below.
    void look(const Section& section, int y) {
        if (section.blocks.kind() == PaletteKind::empty || is_empty(left_)) return;
        std::vector<bool> opaque(section.blocks.entries().size() + 1); // cells without an entry are empty
        for (std::size_t i = 0; i < section.blocks.entries().size(); ++i) {
            const auto key = section.block_key(i);
            opaque[i] = key != k_empty_key && !is_transparent_(key);
        }
        if (std::ranges::none_of(opaque, [](bool is_opaque) { return is_opaque; })) return;
        std::array<std::uint64_t, k_cells / 64> cells;
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = left_[i % left_.size()];
        keep_cells(section.blocks, cells, [&](std::size_t entry) { return opaque[entry]; });
        for (int inner = k_side; inner-- > 0;)
            for (std::size_t w = 0; w < left_.size(); ++w) {
                const auto found = left_[w] & cells[static_cast<std::size_t>(inner) * left_.size() + w];
                left_[w] &= ~found;
                for (auto bits = found; bits != 0; bits &= bits - 1)
                    heights_[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))] =
                        static_cast<std::int16_t>(y * k_side + inner);
            }
    }

    [[nodiscard]] std::int16_t of(ColumnIndex column) const {
        return heights_[static_cast<std::size_t>(column.value)];
    }

private:
    Layer left_; ///< columns in which nothing was found yet
    const IsTransparent& is_transparent_;
    std::array<std::int16_t, k_columns> heights_{};
};

} // namespace

Result<std::size_t> Chunk::update_heights(const IsTransparent& is_transparent) {
    if (touched_.none()) return std::size_t{0};
    if (column_broken_) TRY_DO(can_edit("ChunkColumn", PartState::broken)); // what is not read would be air
    TRY(auto* heights, edit_heights());
    Layer columns{};
    for (std::size_t i = 0; i < k_columns; ++i)
        if (touched_.test(i)) columns[i / 64] |= std::uint64_t{1} << (i % 64);
    HighestBlocks highest(columns, is_transparent);
    for (int y = k_sections; y-- > 0;) highest.look(section(y), y);
    std::size_t changes = 0;
    for (int i = 0; i < k_columns; ++i) {
        if (!touched_.test(static_cast<std::size_t>(i))) continue;
        const ColumnIndex column(i);
        const int before = heights->at(column);
        const int now = highest.of(column);
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
