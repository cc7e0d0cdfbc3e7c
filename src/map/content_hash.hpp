#pragma once

#include "bytes/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::map {

/// XXH3 of the bytes, 64 bits: tells contents apart, but is no proof against somebody who makes two that are
/// alike on purpose. Never 0, which stands for "nothing there".
[[nodiscard]] std::uint64_t content_hash(Bytes bytes);

/// 16 lower-case hexadecimal digits, as files are named; and back.
[[nodiscard]] std::string hash_text(std::uint64_t hash);
[[nodiscard]] std::optional<std::uint64_t> parse_hash(std::string_view text);

} // namespace orbis::map
