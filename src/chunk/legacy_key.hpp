#pragma once

#include "chunk/shape.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::chunk {

/// A block key of sections up to version 4, which has attributes: `Name|Yaw=90|Fluid=Fluid_Water`
/// (docs/formats/section.md).
struct LegacyKey {
    std::string_view block; ///< the name alone, `Empty` for a key that is only a fluid
    Rotation rotation;
    Filler filler;
    std::uint8_t support = 0;
    std::string fluid;      ///< today's key, empty without fluid
    std::uint8_t level = 0; ///< 0 if the key gives none: then the most that the fluid can have
    bool whole = true;      ///< no part of the key was ignored

    /// The level that is applied: without one the most that the fluid can have, 1 for a source and 8 for
    /// others.
    [[nodiscard]] std::uint8_t applied_level() const {
        if (fluid.empty() || level > 0) return level;
        return fluid.ends_with("_Source") ? std::uint8_t{1} : std::uint8_t{8};
    }
};

/// Parts that are not known, not numbers or out of range are ignored; `whole` tells. Views of `key` are kept.
LegacyKey split_legacy_key(std::string_view key);

} // namespace orbis::chunk
