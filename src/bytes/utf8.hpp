#pragma once

#include <cstddef>
#include <string_view>

namespace orbis {

/// Length of the well-formed UTF-8 sequence that `text` starts with, 0 when it starts with none. Overlong
/// forms, surrogates and code points above U+10FFFF are not well-formed.
std::size_t utf8_sequence_length(std::string_view text);

/// Offset of the first byte that is not part of well-formed UTF-8, or the size when all of it is.
std::size_t utf8_valid_prefix(std::string_view text);

/// Whether all of it is well-formed.
bool is_utf8(std::string_view text);

} // namespace orbis
