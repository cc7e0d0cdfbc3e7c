#pragma once

#include "chunk/light.hpp"
#include "world/colour.hpp"

#include <array>
#include <span>

namespace orbis::map {

/// A height and its colour; between two of them colours change evenly.
struct RampStop {
    int height;
    world::Colour colour;
};

/// The stops of the height layer, ascending: what a legend shows.
[[nodiscard]] std::span<const RampStop> height_ramp();
/// Below the first stop and above the last the colour stays.
[[nodiscard]] world::Colour height_colour(int height);

/// How bright the night is where there is this light: a little moon where the sky is seen, and lamps.
[[nodiscard]] world::Colour night_light(chunk::LightValue light);

} // namespace orbis::map
