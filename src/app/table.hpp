#pragma once

#include "app/console.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::app {

/// One column of one row.
struct Cell {
    std::string text;
    std::size_t width = 0; ///< filled with blanks up to this; the same in all rows
    Tone tone = Tone::plain;
    bool right = false; ///< a number: the blanks come first
    /// On a narrow terminal the columns with the highest rank give way first: numbers are left out, texts
    /// become narrower. Those with 0 stay.
    int rank = 0;
};

/// What stands between columns where data does not go to a terminal.
enum class Gap : std::uint8_t { blanks, tab };

/// The cells with two blanks between them. Where data goes to a terminal that is too narrow, columns are cut
/// by their rank, and the last one ends where the line ends; what was cut ends in `…`. Elsewhere rows are
/// complete.
void print_row(Console& console, std::vector<Cell> cells, Gap elsewhere = Gap::blanks);

/// The titles of the columns, which only a terminal shows.
void print_titles(Console& console, std::vector<Cell> cells);

/// A line whose parts have no columns: on a terminal its end is cut.
void print_cut(Console& console, std::span<const Part> parts);
inline void print_cut(Console& console, std::initializer_list<Part> parts) {
    print_cut(console, std::span(parts.begin(), parts.size()));
}

/// A sentence behind some blanks: on a terminal it is broken between words.
void print_sentence(Console& console, std::string_view text, Tone tone = Tone::plain, std::size_t indent = 0);

/// A line of ours such as `  storage   region files in chunks`: the label ends where two blanks follow.
/// Nothing of it is cut: on a terminal the text goes on below itself.
void print_fact(Console& console, std::string_view line, Tone tone = Tone::plain);

/// A label and a text of others: on a terminal the text goes on below itself, and nothing of it is cut.
void print_labelled(Console& console, std::string_view label, std::string_view text);

/// How many columns of a terminal a text takes that `printable` has made.
std::size_t columns_of(std::string_view text);

/// The text in no more columns than that; `…` stands for what was cut.
std::string cut_to(std::string_view text, std::size_t columns);

} // namespace orbis::app
