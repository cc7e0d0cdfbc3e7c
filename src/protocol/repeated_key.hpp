#pragma once

#include "protocol/arena.hpp"
#include "protocol/types.hpp"

#include <cmath>
#include <concepts>
#include <span>
#include <string>

namespace orbis::protocol {

/// Whether a value occurs twice. The order of the keys may change; memory is taken from the arena.
bool repeats(Arena& arena, std::span<std::uint64_t> keys);
bool repeats(Arena& arena, std::span<Uuid> keys);
/// The same for text, which is compared after malformed parts were replaced.
bool repeats(Arena& arena, std::span<Text> keys);
bool repeats(std::span<std::string> keys);

/// A key as the number that the game compares: floats by their bits with all NaNs alike.
template <typename K>
std::uint64_t comparable_number(K key) {
    if constexpr (std::floating_point<K>) {
        using Bits = std::conditional_t<sizeof(K) == 4, std::uint32_t, std::uint64_t>;
        return std::isnan(key) ? std::uint64_t{0} - 1 : std::bit_cast<Bits>(key);
    } else {
        return static_cast<std::uint64_t>(key);
    }
}

/// Appends a field of a struct that is a key; absent fields are an empty mark.
void append_comparable(std::string& out, Text text);
template <typename T>
void append_comparable(std::string& out, const Opt<T>& field) {
    out += field ? '\1' : '\0';
    if (field) append_comparable(out, *field);
}

} // namespace orbis::protocol
