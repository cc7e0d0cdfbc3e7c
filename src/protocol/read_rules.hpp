#pragma once

#include <cstdint>

/// What the readers of the game's builds refuse beyond what their schemas say. This is the only place that
/// knows builds by their numbers; protocol/generator/model.py has the same two for generated code.
namespace orbis::protocol {

inline constexpr std::int32_t k_first_bounded = 92;    ///< build number of 2026.05.07
inline constexpr std::int32_t k_first_canonical = 242; ///< b242; nothing is known of those between 101 and it

/// How a reader treats what no writer writes.
struct ReadRules {
    /// Hold offsets to the variable block and want whole fixed blocks, as builds from 2026.05.07 on do.
    bool bounded = false;
    /// Refuse everything that is not written as the game writes it. For tests and fuzzers.
    bool strict = false;
    /// Want variable fields one after the other without gaps, -1 for absent ones and nothing after the last,
    /// as build 242 does.
    bool canonical = false;

    static constexpr ReadRules of_build(std::int32_t build_number, bool strict = false) {
        return {build_number >= k_first_bounded, strict, build_number >= k_first_canonical};
    }
};

/// Whether a build refuses infinities and NaN, in both directions.
constexpr bool wants_finite_floats(std::int32_t build_number) { return build_number >= k_first_canonical; }

} // namespace orbis::protocol
