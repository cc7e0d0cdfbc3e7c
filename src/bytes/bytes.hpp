#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orbis {

/// Bytes with another owner.
using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

/// Bytes that are owned.
using Buffer = std::vector<std::uint8_t>;

/// The same characters as bytes, without a copy.
inline Bytes as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The same bytes as characters, without a copy and without a check of the encoding.
inline std::string_view as_text(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace orbis
