#pragma once

#include "world/assets.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace orbis::map {

using world::Colour;

/// How a block is drawn.
struct BlockLook {
    Colour base{255, 255, 255}; ///< its own tint
    Colour particle;            ///< what the tinted colour is multiplied with
    bool has_particle = false;
    std::uint8_t biome_percent = 0; ///< how much the column's tint replaces `base`
    bool empty = false;             ///< it is air
    bool see_through = false;       ///< it does not count for the height of its column, as air
    bool ground = false;            ///< rock, soil and the like: what can be the roof of a cave
    bool guessed = false;           ///< no table knows it

    /// The colour in a column with this tint: steps 2 and 3 of a pixel (docs/formats/map.md).
    [[nodiscard]] Colour tinted(Colour tint) const;
    /// Its colour for a legend: in a column with the tint of a meadow.
    [[nodiscard]] Colour in_legend() const { return tinted({91, 158, 40}); }
};

/// How a fluid is drawn.
struct FluidLook {
    bool fluid = false; ///< false for `Empty`
    bool water = false; ///< takes the water tint of its environment
    bool has_particle = false;
    Colour particle;

    /// Fluids of one colour are drawn as one body.
    [[nodiscard]] bool same_body(const FluidLook& other) const {
        return fluid && other.fluid && has_particle == other.has_particle && particle == other.particle;
    }
};

/// Looks by key, from the tables of the assets. Constant, so that threads can share it; the assets must live
/// as long.
class Colours {
public:
    explicit Colours(const world::Assets& assets) : assets_(&assets) {}

    static constexpr std::size_t k_all_migrations = std::numeric_limits<std::size_t>::max();

    /// A key that no table knows is tried under the name that migrations from `migrations` on give it; then
    /// its colour is guessed from its name, always the same for a name.
    [[nodiscard]] BlockLook block(std::string_view key, std::size_t migrations = k_all_migrations) const;
    [[nodiscard]] FluidLook fluid(std::string_view key) const;
    [[nodiscard]] std::optional<Colour> water_tint(std::string_view environment) const;
    /// The colour of an environment on its own layer; always the same for a name.
    [[nodiscard]] Colour environment(std::string_view key) const;

private:
    const world::Assets* assets_;
};

} // namespace orbis::map
