#pragma once

#include "bytes/position.hpp"
#include "chunk/cell_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace orbis::jobs {

/// Some cells of one chunk, a bit each: 40 KiB. Positions may be world positions: only the place in the chunk
/// counts.
class CellSet {
public:
    static constexpr std::size_t k_words = k_cells / 64;

    void clear() {
        for (int y = 0; y < k_sections; ++y) clear(y);
    }
    void clear(int y) {
        if (used_[index(y)]) std::ranges::fill(words_[index(y)], 0);
        used_[index(y)] = false;
    }

    [[nodiscard]] bool empty() const {
        return std::ranges::none_of(used_, [](bool used) { return used; });
    }
    [[nodiscard]] bool any(int y) const { return used_[index(y)]; }
    [[nodiscard]] bool all(int y) const {
        return used_[index(y)]
               && std::ranges::all_of(words_[index(y)], [](auto word) { return word == ~std::uint64_t{0}; });
    }
    [[nodiscard]] bool contains(int y, CellIndex cell) const {
        return used_[index(y)] && (words_[index(y)][word(cell)] >> (cell.value & 63) & 1) != 0;
    }
    [[nodiscard]] bool contains(BlockPos pos) const {
        return pos.y >= 0 && pos.y < k_world_height && contains(pos.y >> 5, pos.cell());
    }
    [[nodiscard]] std::size_t count(int y) const { return any(y) ? chunk::count_cells(words_[index(y)]) : 0; }
    [[nodiscard]] std::size_t count() const {
        std::size_t sum = 0;
        for (int y = 0; y < k_sections; ++y) sum += count(y);
        return sum;
    }

    void insert(int y, CellIndex cell) {
        used_[index(y)] = true;
        words_[index(y)][word(cell)] |= std::uint64_t{1} << (cell.value & 63);
    }
    void insert(BlockPos pos) { insert(pos.y >> 5, pos.cell()); }
    void erase(int y, CellIndex cell) {
        words_[index(y)][word(cell)] &= ~(std::uint64_t{1} << (cell.value & 63));
    }
    void insert_all(int y) {
        used_[index(y)] = true;
        std::ranges::fill(words_[index(y)], ~std::uint64_t{0});
    }
    /// The cells of a section of another set in place of its own.
    void copy(int y, const CellSet& other) {
        used_[index(y)] = other.used_[index(y)];
        words_[index(y)] = other.words_[index(y)];
    }
    /// The cells from `first` to before `end`.
    void insert(int y, CellIndex first, CellIndex end) {
        for (int at = first.value; at < end.value;) {
            const int last = std::min(end.value, (at | 63) + 1);
            const auto upper = (last & 63) == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (last & 63)) - 1;
            used_[index(y)] = true;
            words_[index(y)][static_cast<std::size_t>(at) / 64] |= upper & ~std::uint64_t{0} << (at & 63);
            at = last;
        }
    }

    [[nodiscard]] chunk::ConstCellWords words(int y) const { return words_[index(y)]; }
    /// To clear bits; call `settle` afterwards.
    [[nodiscard]] chunk::CellWords edit(int y) { return words_[index(y)]; }
    void settle(int y) {
        used_[index(y)] = std::ranges::any_of(words_[index(y)], [](auto word) { return word != 0; });
    }

    /// Calls `visit(CellIndex)` for each cell of a section, ascending.
    template <typename Visit>
    void for_each(int y, Visit&& visit) const {
        if (!any(y)) return;
        const auto& words = words_[index(y)];
        for (std::size_t w = 0; w < words.size(); ++w)
            for (auto bits = words[w]; bits != 0; bits &= bits - 1)
                visit(CellIndex(static_cast<int>(w * 64) + std::countr_zero(bits)));
    }

    /// Which columns of blocks have a cell in a section: a bit for each from the west, in rows from the
    /// north.
    [[nodiscard]] std::array<std::uint32_t, k_side> columns(int y) const {
        std::array<std::uint32_t, k_side> rows{};
        if (!any(y)) return rows;
        const auto& words = words_[index(y)];
        for (std::size_t w = 0; w < words.size(); ++w) {
            rows[w * 2 % k_side] |= static_cast<std::uint32_t>(words[w]);
            rows[(w * 2 + 1) % k_side] |= static_cast<std::uint32_t>(words[w] >> 32);
        }
        return rows;
    }
    [[nodiscard]] std::array<std::uint32_t, k_side> columns() const {
        std::array<std::uint32_t, k_side> rows{};
        for (int y = 0; y < k_sections; ++y) {
            const auto more = columns(y);
            for (std::size_t z = 0; z < rows.size(); ++z) rows[z] |= more[z];
        }
        return rows;
    }

private:
    static std::size_t index(int y) { return static_cast<std::size_t>(y); }
    static std::size_t word(CellIndex cell) { return static_cast<std::size_t>(cell.value) / 64; }

    using Words = std::array<std::uint64_t, k_words>;
    std::vector<Words> words_ = std::vector<Words>(k_sections);
    std::array<bool, k_sections> used_{};
};

} // namespace orbis::jobs
