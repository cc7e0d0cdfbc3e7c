#pragma once

#include "bytes/position.hpp"
#include "chunk/palette.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace orbis::chunk {

/// What becomes of each label of a palette whose cells are bytes or half bytes.
using NewLabels = std::array<std::uint8_t, 256>;

/// Lays out the cells of a section again with other labels: from half bytes or bytes to half bytes or bytes.
/// `out` may be the same memory if both are of one kind. It saves time if the highest labels become 0.
void relabel_cells(PaletteKind from, const std::uint8_t* cells, PaletteKind to, std::uint8_t* out,
                   const NewLabels& new_labels);
/// The same without the instructions that only some processors have, for tests.
void relabel_cells_portably(PaletteKind from, const std::uint8_t* cells, PaletteKind to, std::uint8_t* out,
                            const NewLabels& new_labels);

} // namespace orbis::chunk
