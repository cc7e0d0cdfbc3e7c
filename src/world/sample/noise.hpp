#pragma once

#include <cstdint>

/// Randomness and arithmetic of the sample world: whole numbers only, so that every machine and compiler
/// builds the same world from the same seed.
namespace orbis::world::sample {

/// One in fixed-point numbers: shares, noise and weights are 0…65536.
inline constexpr int k_one = 1 << 16;

/// A well mixed number for a place. `salt` keeps the questions about one place apart.
[[nodiscard]] std::uint64_t hash(std::uint64_t seed, int x, int z, int salt);

/// A number from 0 to `limit` − 1 for a place.
[[nodiscard]] int pick(std::uint64_t seed, int x, int z, int salt, int limit);

/// Smooth noise 0…65536 whose bumps are 2^`shift` blocks wide.
[[nodiscard]] int noise(std::uint64_t seed, int x, int z, int shift);

/// Several layers of noise, each half as wide and half as strong as the one before; −65536…65536.
[[nodiscard]] int fractal(std::uint64_t seed, int x, int z, int shift, int layers);

/// The root of a number that is not negative, rounded down.
[[nodiscard]] std::int64_t root(std::int64_t value);

/// `value` brought into low…high.
[[nodiscard]] constexpr int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

/// A share 0…65536 bent so that it starts and ends without a kink.
[[nodiscard]] constexpr int smooth(int share) {
    const std::int64_t t = clamp(share, 0, k_one);
    return static_cast<int>((t * t >> 16) * (std::int64_t{3} * k_one - 2 * t) >> 16);
}

/// From `a` at share 0 to `b` at share 65536.
[[nodiscard]] constexpr int mix(int a, int b, int share) {
    return static_cast<int>(a + (static_cast<std::int64_t>(b - a) * share >> 16));
}

/// Where `value` stands between `low` (0) and `high` (65536), kept inside.
[[nodiscard]] constexpr int share(int value, int low, int high) {
    return clamp(static_cast<int>(static_cast<std::int64_t>(value - low) * k_one / (high - low)), 0, k_one);
}

} // namespace orbis::world::sample
