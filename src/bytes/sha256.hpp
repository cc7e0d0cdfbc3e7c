#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

namespace orbis {

using Sha256 = std::array<std::uint8_t, 32>;

/// SHA-256 of the bytes.
Sha256 sha256(Bytes bytes);
/// The same for bytes that come in parts, one after the other.
Sha256 sha256(std::initializer_list<Bytes> parts);

/// The same as 64 lower-case hexadecimal digits.
std::string sha256_hex(Bytes bytes);
inline std::string sha256_hex(std::string_view text) { return sha256_hex(as_bytes(text)); }

} // namespace orbis
