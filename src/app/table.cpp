#include "app/table.hpp"

#include "bytes/printable.hpp"
#include "bytes/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace orbis::app {

namespace {

constexpr std::size_t k_gap = 2;         ///< between columns
constexpr std::size_t k_narrowest = 8;   ///< a column that is cut keeps this
constexpr std::size_t k_least_rest = 16; ///< for the last column, before others are cut

std::uint32_t code_point(std::string_view sequence) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(sequence[at]) & 0xffU; };
    if (sequence.size() == 1) return byte(0);
    auto value = byte(0) & (0x7fU >> sequence.size());
    for (std::size_t i = 1; i < sequence.size(); ++i) value = value << 6U | (byte(i) & 0x3fU);
    return value;
}

/// Letters of East Asia and pictures take two columns, accents that join a letter none.
std::size_t columns_of_letter(std::uint32_t letter) {
    using Range = std::pair<std::uint32_t, std::uint32_t>;
    constexpr std::array<Range, 3> k_none{Range{0x300, 0x36f}, Range{0x200b, 0x200f}, Range{0xfe00, 0xfe0f}};
    constexpr std::array<Range, 8> k_two{
        Range{0x1100, 0x115f}, Range{0x2e80, 0xa4cf}, Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},
        Range{0xfe30, 0xfe6f}, Range{0xff00, 0xff60}, Range{0x1f300, 0x1faff}, Range{0x20000, 0x3fffd}};
    const auto has = [&](const Range& range) { return letter >= range.first && letter <= range.second; };
    return std::ranges::any_of(k_none, has) ? 0 : std::ranges::any_of(k_two, has) ? 2 : 1;
}

/// The first letter, and how many columns it takes.
std::pair<std::string_view, std::size_t> first_letter(std::string_view text) {
    const auto letter = text.substr(0, std::max<std::size_t>(1, utf8_sequence_length(text)));
    return {letter, columns_of_letter(code_point(letter))};
}

/// Makes the columns of the highest rank narrower until the last one has room.
void narrow(std::vector<Cell>& cells, std::size_t width) {
    std::size_t used = k_least_rest;
    int highest = 0;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
        used += cells[i].width + k_gap;
        highest = std::max(highest, cells[i].rank);
    }
    for (; highest > 0 && used > width; --highest)
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
            auto& cell = cells[i];
            if (cell.rank != highest || used <= width || cell.width <= k_narrowest) continue;
            const auto less = std::min(used - width, cell.width - k_narrowest);
            cell.width -= less;
            used -= less;
        }
}

} // namespace

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const auto [letter, width] = first_letter(text);
        columns += width;
        text.remove_prefix(letter.size());
    }
    return columns;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::string out;
    for (std::size_t used = 0;;) {
        const auto [letter, width] = first_letter(text);
        if (used + width > columns - 1) return out + "…";
        out += letter;
        used += width;
        text.remove_prefix(letter.size());
    }
}

void print_row(Console& console, std::vector<Cell> cells) {
    const auto width = Console::data_width();
    for (auto& cell : cells) cell.text = printable(cell.text);
    if (width > 0) narrow(cells, width);
    std::vector<Part> parts;
    std::vector<std::string> gaps; // which the parts point at
    gaps.reserve(cells.size());
    std::size_t used = 0;
    std::size_t blanks = 0; // that are printed only where something comes behind them
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto& cell = cells[i];
        const bool is_last = i + 1 == cells.size();
        if (width > 0) {
            const auto rest = width - std::min(width, used);
            cell.text = cut_to(cell.text, is_last || cell.rank == 0 ? rest : std::min(rest, cell.width));
        }
        const auto columns = columns_of(cell.text);
        const auto padding = cell.width > columns ? cell.width - columns : 0;
        if (columns > 0) {
            parts.push_back({gaps.emplace_back(blanks + (cell.right ? padding : 0), ' ')});
            parts.push_back({cell.text, cell.tone});
            blanks = cell.right ? k_gap : padding + k_gap;
        } else {
            blanks += padding + k_gap;
        }
        used += std::max(cell.width, columns) + k_gap;
    }
    console.line(parts);
}

} // namespace orbis::app
