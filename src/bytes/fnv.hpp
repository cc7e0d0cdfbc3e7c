#pragma once

#include "bytes/bytes.hpp"

#include <cstdint>
#include <string_view>

namespace orbis {

/// FNV-1a: a hash for short keys that is the same everywhere and forever.
[[nodiscard]] constexpr std::uint32_t fnv1a_32(std::string_view text) {
    std::uint32_t hash = 0x811C'9DC5;
    for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x0100'0193;
    return hash;
}

inline constexpr std::uint64_t k_fnv1a_64_start = 0xCBF2'9CE4'8422'2325;

/// The same with 64 bits. `start` is the hash of what came before, or a secret.
[[nodiscard]] constexpr std::uint64_t fnv1a_64(Bytes bytes, std::uint64_t start = k_fnv1a_64_start) {
    for (const auto byte : bytes) start = (start ^ byte) * 0x0000'0100'0000'01B3;
    return start;
}

} // namespace orbis
