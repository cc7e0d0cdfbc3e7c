#include "map/ramp.hpp"

#include <algorithm>

namespace orbis::map {

namespace {

using world::Colour;

/// From violet over green and yellow to white. None of it looks like water, as it is unknown where the sea of
/// a world is; it changes fastest between 60 and 160, where most ground is.
constexpr std::array<RampStop, 12> k_ramp{{
    {0, {44, 24, 76}},
    {30, {78, 48, 120}},
    {60, {74, 96, 140}},
    {80, {56, 130, 124}},
    {100, {76, 156, 92}},
    {120, {144, 184, 84}},
    {140, {222, 210, 106}},
    {165, {230, 158, 78}},
    {195, {198, 100, 72}},
    {225, {156, 78, 98}},
    {260, {192, 164, 196}},
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
        return static_cast<std::uint8_t>(std::min(255, dark + light.sky() * moon + lamp * 12));
    };
    return {channel(44, 2, light.red()), channel(46, 2, light.green()), channel(64, 4, light.blue())};
}

} // namespace orbis::map
