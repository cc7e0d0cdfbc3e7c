#pragma once

#include "bytes/bytes.hpp"

#include <string>
#include <string_view>

namespace orbis::care {

/// SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
std::string sha256_hex(Bytes bytes);
inline std::string sha256_hex(std::string_view text) { return sha256_hex(as_bytes(text)); }

} // namespace orbis::care
