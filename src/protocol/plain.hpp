#pragma once

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "protocol/types.hpp"

#include <algorithm>
#include <cstring>

/// Values whose bytes in memory are those on the wire: numbers, UUIDs, structs of numbers without gaps, and,
/// as far as writing goes, booleans and structs of them. Whether a field is there is rarely to be foreseen,
/// and a branch taken wrongly costs more than a copy for nothing.
namespace orbis::protocol {

static_assert(std::endian::native == std::endian::little, "values are copied as they are on the wire");

template <typename T>
inline void load_plain(const std::uint8_t* from, T& out) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&out, from, sizeof out);
}

/// The last bytes of a value of `Size` as the lower ones of a word.
template <std::size_t Size>
inline std::uint64_t load_tail(const std::uint8_t* from) {
    constexpr auto k_tail = Size % 8;
    if constexpr (Size >= 8) return load_le<std::uint64_t>(from + Size - 8) >> (64 - 8 * k_tail);
    if constexpr (k_tail >= 4) {
        const auto low = load_le<std::uint32_t>(from);
        if constexpr (k_tail == 4) return low;
        return low | load_tail<k_tail - 4>(from + 4) << 32;
    }
    if constexpr (k_tail >= 2) {
        const auto low = load_le<std::uint16_t>(from);
        if constexpr (k_tail == 2) return low;
        return low | std::uint64_t{from[2]} << 16;
    }
    return from[0];
}

/// The value is loaded even when it is absent. The end of the value and the flag after it are stored at
/// once: stores are what decoding a small packet consists of.
template <typename T>
inline void load_plain(const std::uint8_t* from, bool present, Opt<T>& out) {
    static_assert(std::is_trivially_copyable_v<T> && Opt<T>::k_flag_at == sizeof(T));
    using Pair = std::uint64_t __attribute__((vector_size(16)));
    constexpr auto k_size = sizeof(T);
    constexpr auto k_whole = k_size - k_size % 8;
    auto* const to = reinterpret_cast<std::uint8_t*>(&out);
    const auto store = [to](std::size_t at, auto word) { std::memcpy(to + at, &word, sizeof word); };
    if constexpr (k_size % 8 == 0 && sizeof out == k_size + 8) {
        std::memcpy(to, from, k_size - 8);
        store(k_size - 8, Pair{load_le<std::uint64_t>(from + k_size - 8), std::uint64_t{present}});
    } else if constexpr (k_size % 8 != 0 && sizeof out == k_whole + 8) {
        std::memcpy(to, from, k_whole);
        store(k_whole, load_tail<k_size>(from) | std::uint64_t{present} << (8 * (k_size % 8)));
    } else if constexpr (k_size == 1 && sizeof out == 2) {
        store(0, static_cast<std::uint16_t>(from[0] | unsigned{present} << 8));
    } else {
        out.set(present);
        load_plain(from, *out);
    }
}

template <typename T>
inline void store_plain(std::uint8_t* to, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(to, &value, sizeof value);
}

/// Zeros when it is absent.
template <typename T>
inline void store_plain(std::uint8_t* to, const Opt<T>& value) {
    static constexpr std::array<std::uint8_t, sizeof(T)> k_zeros{};
    // By arithmetic, because the compiler would make a branch of it.
    const auto zeros = reinterpret_cast<std::uintptr_t>(k_zeros.data());
    const auto there = reinterpret_cast<std::uintptr_t>(&*value);
    const auto from = zeros + ((there - zeros) & (std::uintptr_t{0} - std::uintptr_t{value.has_value()}));
    std::memcpy(to, reinterpret_cast<const void*>(from), sizeof(T)); // NOLINT(performance-no-int-to-ptr)
}

inline void load_flag(const std::uint8_t* from, bool& out) { out = *from != 0; }

inline void load_flag(const std::uint8_t* from, bool present, Opt<bool>& out) {
    out.set(present);
    load_flag(from, *out);
}

/// Some bytes at once, each of them 0 or 1 as it was zero or not.
template <std::size_t Width>
inline void load_flag_bytes(const std::uint8_t* from, std::uint8_t* to) {
    std::array<std::uint8_t, Width> block; // NOLINT: filled in at once
    std::memcpy(block.data(), from, Width);
    for (auto& byte : block) byte = std::min<std::uint8_t>(byte, 1);
    std::memcpy(to, block.data(), Width);
}

/// A struct of nothing but booleans.
template <typename T>
inline void load_flags(const std::uint8_t* from, T& out) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto* const to = reinterpret_cast<std::uint8_t*>(&out);
    constexpr auto k_size = sizeof(T);
    constexpr std::size_t k_block = k_size >= 16 ? 16 : k_size >= 8 ? 8 : k_size >= 4 ? 4 : 1;
    for (std::size_t at = 0; at + k_block <= k_size; at += k_block)
        load_flag_bytes<k_block>(from + at, to + at);
    if constexpr (k_size % k_block != 0) // the last block overlaps the one before
        load_flag_bytes<k_block>(from + k_size - k_block, to + k_size - k_block);
}

/// Loaded even when it is absent.
template <typename T>
inline void load_flags(const std::uint8_t* from, bool present, Opt<T>& out) {
    out.set(present);
    load_flags(from, *out);
}

} // namespace orbis::protocol
