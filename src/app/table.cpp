#include "app/table.hpp"

#include "bytes/printable.hpp"
#include "bytes/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
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

/// The columns of the highest rank give way until the last one has room.
void narrow(std::vector<Cell>& cells, std::size_t width) {
    std::size_t used = k_least_rest;
    int highest = 0;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
        used += cells[i].width + k_gap;
        highest = std::max(highest, cells[i].rank);
    }
    for (; highest > 0 && used > width; --highest)
        for (std::size_t i = 0; i + 1 < cells.size() && used > width;) {
            auto& cell = cells[i];
            if (cell.rank == highest && cell.right) { // half a number is another number
                used -= cell.width + k_gap;
                cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(i));
                continue;
            }
            ++i;
            if (cell.rank != highest || cell.width <= k_narrowest) continue;
            const auto less = std::min(used - width, cell.width - k_narrowest);
            cell.width -= less;
            used -= less;
        }
}

/// How much of the text fits into the columns, up to the end of a word if there is one.
std::size_t fitting(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    std::size_t word_end = 0;
    for (std::size_t used = 0; end < text.size();) {
        const auto [letter, width] = first_letter(text.substr(end));
        if (letter == " ") word_end = end;
        if (used + width > columns) return word_end > 0 ? word_end : std::max(end, letter.size());
        used += width;
        end += letter.size();
    }
    return end;
}

/// The text behind its head; on a terminal it goes on below itself.
void print_below(Console& console, std::string_view head, std::string_view text, Tone tone) {
    const auto width = Console::data_width();
    if (width == 0) return console.line({{head, Tone::faint}, {text, tone}});
    const auto room = std::max(k_least_rest, width - std::min(width, head.size()));
    const auto shown = printable(text);
    const std::string below(head.size(), ' ');
    std::string_view rest = shown;
    for (bool is_first = true; is_first || !rest.empty(); is_first = false) {
        const auto piece = rest.substr(0, fitting(rest, room));
        is_first ? console.line({{head, Tone::faint}, {piece, tone}})
                 : console.line({{below}, {piece, tone}});
        rest.remove_prefix(piece.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
}

} // namespace

void print_labelled(Console& console, std::string_view label, std::string_view text) {
    print_below(console, label, text, Tone::plain);
}

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

void print_row(Console& console, std::vector<Cell> cells, Gap elsewhere) {
    const auto width = Console::data_width();
    if (width == 0 && elsewhere == Gap::tab) {
        std::vector<Part> fields;
        for (const auto& cell : cells) {
            if (!fields.empty()) fields.push_back({"\t"});
            fields.push_back({cell.text, cell.tone});
        }
        return console.line(fields);
    }
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

void print_titles(Console& console, std::vector<Cell> cells) {
    if (Console::data_width() == 0) return;
    for (auto& cell : cells) cell.tone = Tone::heading;
    print_row(console, std::move(cells));
}

void print_cut(Console& console, std::span<const Part> parts) {
    const auto width = Console::data_width();
    if (width == 0) return console.line(parts);
    std::vector<std::string> texts; // which the parts point at
    texts.reserve(parts.size());
    std::vector<Part> shown;
    std::size_t used = 0;
    for (const auto& part : parts) {
        const auto text = printable(part.text);
        shown.push_back({texts.emplace_back(cut_to(text, width - used)), part.tone});
        used += columns_of(texts.back());
        if (texts.back() != text) break;
    }
    console.line(shown);
}

void print_sentence(Console& console, std::string_view text, Tone tone, std::size_t indent) {
    print_below(console, std::string(indent, ' '), text, tone);
}

void print_fact(Console& console, std::string_view line, Tone tone) {
    const auto label = std::min(line.find_first_not_of(' '), line.size());
    const auto begin = line.find_first_not_of(' ', std::min(line.find("  ", label), line.size()));
    const auto head = begin == std::string_view::npos ? label : begin;
    print_below(console, line.substr(0, head), line.substr(head), tone);
}

} // namespace orbis::app
