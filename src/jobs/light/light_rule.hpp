#pragma once

#include "world/assets.hpp"

#include <cstdint>
#include <string_view>

namespace orbis::jobs {

/// What a block or a fluid does to light (docs/formats/light.md). A step to the next cell costs one level,
/// and what the two cells cost.
struct LightRule {
    /// Light that reaches such a cell ends there.
    static constexpr std::uint8_t k_wall = 15;

    std::uint8_t leave = 0;  ///< levels that light loses on its way out
    std::uint8_t enter = 0;  ///< levels that light loses on its way in
    std::uint16_t gives = 0; ///< the light that the cell gives, packed as it is stored
    bool is_known = true;    ///< else the numbers are the brightest that it can be
    friend bool operator==(const LightRule&, const LightRule&) = default;
};

/// Light can be no darker than with this in place of what is not known.
inline constexpr LightRule k_darkest_rule{.leave = LightRule::k_wall};

/// The rule of a block key of today. It is not known of a key that no table has, and of one whose light no
/// real world shows.
[[nodiscard]] LightRule block_light_rule(std::string_view key, const world::Assets& assets);
/// The rule of a fluid key: `gives` is all that a fluid does.
[[nodiscard]] LightRule fluid_light_rule(std::string_view key, const world::Assets& assets);

} // namespace orbis::jobs
