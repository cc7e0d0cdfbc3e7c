#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

/// Pixels as numbers of 32 bits that are in memory as `Rgba` is, for loops over many that the compiler can
/// turn into vector instructions.
namespace orbis::map {

inline constexpr bool k_little = std::endian::native == std::endian::little;
inline constexpr unsigned k_red_bit = k_little ? 0 : 24;
inline constexpr unsigned k_green_bit = k_little ? 8 : 16;
inline constexpr unsigned k_blue_bit = k_little ? 16 : 8;
inline constexpr unsigned k_alpha_bit = k_little ? 24 : 0;

constexpr std::uint32_t red(std::uint32_t pixel) { return pixel >> k_red_bit & 255; }
constexpr std::uint32_t green(std::uint32_t pixel) { return pixel >> k_green_bit & 255; }
constexpr std::uint32_t blue(std::uint32_t pixel) { return pixel >> k_blue_bit & 255; }
constexpr std::uint32_t alpha(std::uint32_t pixel) { return pixel >> k_alpha_bit & 255; }
constexpr std::uint32_t join(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a) {
    return r << k_red_bit | g << k_green_bit | b << k_blue_bit | a << k_alpha_bit;
}

/// A channel as a float; signed numbers convert faster.
constexpr float as_float(std::uint32_t channel) { return static_cast<float>(static_cast<int>(channel)); }

/// `a·b / 255` of two channels, exactly, without a division.
constexpr std::uint32_t times(std::uint32_t a, std::uint32_t b) {
    const auto product = a * b;
    return (product + 1 + (product >> 8)) >> 8;
}

#if defined(__x86_64__)
inline bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2") != 0;
    return has;
}
#endif

} // namespace orbis::map
