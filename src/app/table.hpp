#pragma once

#include "app/console.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orbis::app {

/// One column of one row.
struct Cell {
    std::string text;
    std::size_t width = 0; ///< filled with blanks up to this; the same in all rows
    Tone tone = Tone::plain;
    bool right = false; ///< the blanks come first
    /// On a narrow terminal the columns with the highest number become narrower first; those with 0 stay.
    int rank = 0;
};

/// The cells with two blanks between them. Where data goes to a terminal that is too narrow, columns are cut
/// by their rank, and the last one ends where the line ends; what was cut ends in `…`. Elsewhere rows are
/// complete.
void print_row(Console& console, std::vector<Cell> cells);

/// How many columns of a terminal a text takes that `printable` has made.
std::size_t columns_of(std::string_view text);

/// The text in no more columns than that; `…` stands for what was cut.
std::string cut_to(std::string_view text, std::size_t columns);

} // namespace orbis::app
