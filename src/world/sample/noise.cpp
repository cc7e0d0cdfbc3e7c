#include "world/sample/noise.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace orbis::world::sample {

std::uint64_t hash(std::uint64_t seed, int x, int z, int salt) {
    auto mixed = seed;
    for (const int part : {x, z, salt}) {
        mixed ^= static_cast<std::uint32_t>(part);
        mixed *= 0x9E3779B97F4A7C15ULL;
        mixed ^= mixed >> 29;
    }
    mixed *= 0xBF58476D1CE4E5B9ULL;
    return mixed ^ mixed >> 32;
}

int pick(std::uint64_t seed, int x, int z, int salt, int limit) {
    return static_cast<int>((hash(seed, x, z, salt) >> 33) % static_cast<std::uint64_t>(limit));
}

int noise(std::uint64_t seed, int x, int z, int shift) {
    const int x0 = x >> shift;
    const int z0 = z >> shift;
    const auto corner = [&](int dx, int dz) { return pick(seed, x0 + dx, z0 + dz, shift, k_one + 1); };
    const int side = 1 << shift;
    const int u = smooth((x & (side - 1)) * (k_one / side));
    const int v = smooth((z & (side - 1)) * (k_one / side));
    return mix(mix(corner(0, 0), corner(1, 0), u), mix(corner(0, 1), corner(1, 1), u), v);
}

int fractal(std::uint64_t seed, int x, int z, int shift, int layers) {
    std::int64_t sum = 0;
    std::int64_t weight = k_one;
    std::int64_t total = 0;
    for (int i = 0; i < layers && shift >= 0; ++i, --shift) {
        sum += (2 * noise(seed + static_cast<unsigned>(i), x, z, shift) - k_one) * weight;
        total += weight;
        weight /= 2;
    }
    return total == 0 ? 0 : static_cast<int>(sum / total);
}

std::int64_t root(std::int64_t value) {
    // The processor's root is rounded; its whole part may be one off.
    constexpr std::int64_t k_largest = 0x7FFF'FFFF;
    auto result = std::min(static_cast<std::int64_t>(std::sqrt(static_cast<double>(value))), k_largest);
    while (result * result > value) --result;
    while (result < k_largest && (result + 1) * (result + 1) <= value) ++result;
    return result;
}

} // namespace orbis::world::sample
