#pragma once

#include "chunk/palette.hpp"

#include <span>

namespace orbis::map {

inline constexpr std::int32_t k_cell_wanted = -2;
inline constexpr std::int32_t k_no_cell = -1;

/// Finds the highest cell of some entries of a palette; of several in one layer the first, from the
/// north-west on. `cells` has a number per entry: `k_cell_wanted` becomes the cell, or `k_no_cell` where no
/// cell holds the entry; others stay. The walk ends with the last that is found.
void find_highest_cells(const chunk::KeyPalette& palette, std::span<std::int32_t> cells);

} // namespace orbis::map
