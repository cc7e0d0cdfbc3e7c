#pragma once

#include "bytes/position.hpp"

#include <cstdint>
#include <span>

/// As in count_labels.hpp, for processors that have `avx512vbmi`; on others these must not be called.
namespace orbis::chunk {

/// False, and nothing counted, where a label or a cell is above 63.
bool count_byte_labels_avx512(std::span<const std::uint8_t, k_cells> cells,
                              std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts);
void count_nibble_labels_avx512(std::span<const std::uint8_t, k_cells / 2> cells,
                                std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts);

} // namespace orbis::chunk
