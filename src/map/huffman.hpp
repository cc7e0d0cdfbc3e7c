#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace orbis::map {

/// Lengths of a prefix code for symbols that occur as often as `frequencies` says, none longer than `limit`:
/// the shortest code, but for those that are cut. A symbol that does not occur has length 0; at least two
/// get a length, so that the code is complete. At most 288 symbols.
void make_code_lengths(std::span<const std::uint32_t> frequencies, int limit,
                       std::span<std::uint8_t> lengths);

/// The canonical code of these lengths, as deflate wants it: the first bit is the lowest.
void make_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes);

} // namespace orbis::map
