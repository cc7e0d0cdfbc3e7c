#include "map/tint.hpp"

#include "map/channels.hpp"

namespace orbis::map {

namespace {

[[gnu::always_inline]] inline std::uint32_t tinted(std::uint32_t own, std::uint32_t tint, float part,
                                                   std::uint32_t particle) {
    const float s = as_float(own);
    const auto mixed = static_cast<int>(s + (as_float(tint) - s) * part);
    return times(static_cast<std::uint32_t>(mixed), particle);
}

[[gnu::always_inline]] inline void tint_all(const TintInput& in,
                                            const std::array<std::int32_t, k_columns>& tints,
                                            std::array<Rgba, k_columns>& out) {
    for (std::size_t first = 0; first < k_columns; first += k_side) {
        std::array<std::uint32_t, k_side> row; // so that the compiler knows that nothing overlaps
        for (std::size_t i = 0; i < k_side; ++i) {
            const auto s = in.base[first + i];
            const auto p = in.particle[first + i];
            const auto m = in.part[first + i];
            const auto t = static_cast<std::uint32_t>(tints[first + i]);
            row[i] =
                join(tinted(red(s), t >> 16 & 255, m, red(p)), tinted(green(s), t >> 8 & 255, m, green(p)),
                     tinted(blue(s), t & 255, m, blue(p)), alpha(s));
        }
        std::memcpy(static_cast<void*>(&out[first]), row.data(), sizeof row);
    }
}

#if defined(__x86_64__)
/// The same code again for processors with vectors of 32 bytes.
[[gnu::target("avx2")]] void tint_avx2(const TintInput& in, const std::array<std::int32_t, k_columns>& tints,
                                       std::array<Rgba, k_columns>& out) {
    tint_all(in, tints, out);
}
#endif

} // namespace

void tint_portably(const TintInput& in, const std::array<std::int32_t, k_columns>& tints,
                   std::array<Rgba, k_columns>& out) {
    tint_all(in, tints, out);
}

void tint(const TintInput& in, const std::array<std::int32_t, k_columns>& tints,
          std::array<Rgba, k_columns>& out) {
#if defined(__x86_64__)
    if (has_avx2()) return tint_avx2(in, tints, out);
#endif
    tint_portably(in, tints, out);
}

} // namespace orbis::map
