#pragma once

#include "bytes/position.hpp"

#include <cstdint>
#include <span>

/// How often each label of a palette occurs among the stored cells. This is what checking the counts of a
/// palette costs, so it goes over the cells in rows of 32 bytes (docs/design/chunk-model.md).
namespace orbis::chunk {

/// Adds to `counts[i]` the cells that hold `labels[i]`; labels must differ from each other. `cells` is one
/// byte per cell.
void count_byte_labels(std::span<const std::uint8_t, k_cells> cells, std::span<const std::uint8_t> labels,
                       std::span<std::uint32_t> counts);

/// The same for two cells per byte.
void count_nibble_labels(std::span<const std::uint8_t, k_cells / 2> cells,
                         std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts);

/// Both without the instructions that only some processors have, for tests.
void count_byte_labels_portably(std::span<const std::uint8_t, k_cells> cells,
                                std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts);
void count_nibble_labels_portably(std::span<const std::uint8_t, k_cells / 2> cells,
                                  std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts);

} // namespace orbis::chunk
