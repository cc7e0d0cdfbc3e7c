#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orbis {

/// The value of a hexadecimal digit in either case, -1 for any other character.
constexpr int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Two lower-case digits per byte.
std::string to_hex(Bytes bytes);

/// The bytes of an even number of hex digits in either case; nothing for anything else.
std::optional<Buffer> from_hex(std::string_view text);

/// The bytes of hex as people copy it: with blanks, line breaks, colons, commas or hyphens between the bytes,
/// with or without `0x`. The error says which character is wrong.
Result<Buffer> from_loose_hex(std::string_view text);

} // namespace orbis
