#include "map/ramp.hpp"

#include <algorithm>

namespace orbis::map {

namespace {

using world::Colour;

/// From deep blue over green, yellow and brown to white, as in an atlas. The sea of generated worlds lies
/// between 110 and 120.
constexpr std::array<RampStop, 11> k_ramp{{
    {0, {24, 16, 70}},
    {40, {38, 60, 140}},
    {80, {44, 112, 168}},
    {112, {64, 158, 158}},
    {120, {72, 150, 84}},
    {140, {150, 190, 84}},
    {165, {226, 208, 108}},
    {195, {208, 150, 78}},
    {225, {156, 98, 72}},
    {260, {170, 160, 160}},
    {319, {255, 255, 255}},
}};

std::uint8_t between(int from, int to, int part, int whole) {
    return static_cast<std::uint8_t>((from * (whole - part) + to * part) / whole);
}

} // namespace

std::span<const RampStop> height_ramp() { return k_ramp; }

Colour height_colour(int height) {
    const int h = std::clamp(height, k_ramp.front().height, k_ramp.back().height);
    std::size_t i = 1;
    while (h > k_ramp[i].height) ++i;
    const auto& low = k_ramp[i - 1];
    const auto& high = k_ramp[i];
    const int part = h - low.height;
    const int whole = high.height - low.height;
    return {between(low.colour.red, high.colour.red, part, whole),
            between(low.colour.green, high.colour.green, part, whole),
            between(low.colour.blue, high.colour.blue, part, whole)};
}

Colour night_light(chunk::LightValue light) {
    const auto channel = [&](int dark, int moon, int lamp) {
        return static_cast<std::uint8_t>(std::min(255, dark + light.sky() * moon + lamp * 15));
    };
    return {channel(14, 1, light.red()), channel(16, 1, light.green()), channel(24, 2, light.blue())};
}

} // namespace orbis::map
