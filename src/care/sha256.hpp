#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <string>
#include <string_view>

namespace orbis::care {

using Sha256 = std::array<std::uint8_t, 32>;

/// SHA-256 of the bytes.
Sha256 sha256(Bytes bytes);

/// The same as 64 lower-case hexadecimal digits.
std::string sha256_hex(Bytes bytes);
inline std::string sha256_hex(std::string_view text) { return sha256_hex(as_bytes(text)); }

} // namespace orbis::care
