#pragma once

#include "bytes/bytes.hpp"

#include <cstdint>

namespace orbis {

/// Writes the section of new bytes of a Zstandard block (RFC 8878, 3.1.1.3.1) and returns where it ends: as
/// they are, as one byte again and again, or by Huffman codes where that is shorter and all are at most 128.
/// The caller has made room: half as much again as there are literals, and 256 bytes.
std::uint8_t* write_zstd_literals(std::uint8_t* at, Bytes literals);

} // namespace orbis
