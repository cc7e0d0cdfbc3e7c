#pragma once

#include "bytes/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace orbis {

/// Parts of Zstandard frames (RFC 8878), for those who know where their data repeats: to write it down takes
/// a small part of the time that a search takes. A frame is its header and one block after another, the last
/// of them marked. A block may be used in many frames as long as it repeats only what is in it.

/// Appends the header of a frame that states its size, as the game's are. No checksum.
void append_zstd_header(Buffer& out, std::uint32_t content_size);

/// What a block may hold at most.
inline constexpr std::size_t k_most_in_zstd_block = 128 << 10;

/// Appends a block with the data as it is.
void append_stored_block(Buffer& out, Bytes data, bool is_last);
/// Appends a block with one byte again and again.
void append_repeated_block(Buffer& out, std::uint8_t byte, std::size_t times, bool is_last);

/// So many new bytes, and then some that were there before.
struct ZstdMatch {
    std::uint32_t literals;
    std::uint32_t length; ///< at least 3
    std::uint32_t offset; ///< how far back they begin; 0: as far as those before, and then there are literals
};
/// Appends a block of new bytes and matches; what is left of `literals` behind the last match ends it. At
/// least one match. False, and nothing appended, where that is no shorter than the content.
bool append_matched_block(Buffer& out, Bytes literals, std::span<const ZstdMatch> matches, bool is_last);

} // namespace orbis
