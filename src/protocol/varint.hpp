#pragma once

#include <cstddef>
#include <cstdint>

namespace orbis::protocol {

/// A varint as it was read: seven bits per byte, low group first, at most five bytes.
struct Varint {
    std::int32_t value = -1; ///< negative when it is cut off, too long or over 31 bits
    std::uint32_t length = 0;
};

inline Varint read_varint_slowly(const std::uint8_t* at, std::size_t available) {
    std::uint32_t value = 0;
    for (std::uint32_t index = 0; index < 5 && index < available; ++index) {
        value |= (at[index] & 0x7fU) << (7 * index); // bits over 32 fall off, as in the game
        if (at[index] < 0x80) return {static_cast<std::int32_t>(value), index + 1};
    }
    return {};
}

inline Varint read_varint(const std::uint8_t* at, std::size_t available) {
    if (available > 0 && *at < 0x80) [[likely]]
        return {*at, 1};
    return read_varint_slowly(at, available);
}

/// Bytes of the longest form.
inline constexpr std::size_t k_largest_varint = 5;

/// Bytes of the shortest form.
constexpr std::uint32_t varint_size(std::uint32_t value) {
    return value < 1U << 7 ? 1 : value < 1U << 14 ? 2 : value < 1U << 21 ? 3 : value < 1U << 28 ? 4 : 5;
}

/// Writes the shortest form and returns the byte after it.
inline std::uint8_t* write_varint(std::uint8_t* at, std::uint32_t value) {
    while (value >= 0x80) {
        *at++ = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<std::uint8_t>(value);
    return at;
}

} // namespace orbis::protocol
