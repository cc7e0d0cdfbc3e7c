#include "game/content/weather.hpp"

#include "game/content/content_pack.hpp"
#include "game/content/registry_frames.hpp"
#include "game/content/registry_memory.hpp"
#include "packets/assets.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace orbis::game {
namespace {

using protocol::Entry;

/// A well-mixed number from another (the finish of SplitMix64).
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E37'79B9'7F4A'7C15ULL;
    value = (value ^ (value >> 30U)) * 0xBF58'476D'1CE4'E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D0'49BB'1331'11EBULL;
    return value ^ (value >> 31U);
}

/// Whether the sun is hidden, by what the game calls its weathers.
bool is_dull(std::string_view name) {
    constexpr std::array<std::string_view, 9> words{"rain", "storm", "cloud", "fog", "snow",
                                                    "bliz", "mist",  "ash",   "dust"};
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::any_of(words, [&](auto word) { return lower.find(word) != std::string::npos; });
}

constexpr std::int8_t byte(std::uint32_t colour, int shift) {
    return static_cast<std::int8_t>(colour >> shift & 0xFFU);
}
constexpr packets::Color rgb(std::uint32_t colour) {
    return {byte(colour, 16), byte(colour, 8), byte(colour, 0)};
}
constexpr packets::ColorAlpha opaque(std::uint32_t colour) {
    return {-1, byte(colour, 16), byte(colour, 8), byte(colour, 0)};
}

/// Colours of a sky at night, when the sun rises, by day, and when it sets.
struct Sky {
    std::array<std::uint32_t, 4> top, bottom, light;
    std::uint32_t sunset;
    float fog_far;
};
constexpr Sky k_clear_sky{{0x0A0F28, 0x4A78B0, 0x4E8FD8, 0x4A5A90},
                          {0x141C38, 0xD8B090, 0xA8D0F0, 0xD88050},
                          {0x404868, 0xD8C0A8, 0xFFFFFF, 0xD8A890},
                          0xE88040,
                          1024};
constexpr Sky k_dull_sky{{0x0C0E14, 0x50585F, 0x78828C, 0x484E58},
                         {0x14181F, 0x8A8A88, 0xA0A8B0, 0x70686A},
                         {0x383C48, 0x909090, 0xB0B4B8, 0x888080},
                         0x80706A,
                         320};
constexpr std::array<float, 6> k_hours{0, 4, 7, 17, 20, 22};
constexpr std::array<std::size_t, 6> k_moments{0, 1, 2, 2, 3, 0}; ///< the colour at each of these hours

template <typename Colour, typename Make>
protocol::Map<float, Colour> by_hour(const std::array<std::uint32_t, 4>& colours, Make make,
                                     RegistryMemory& memory) {
    std::array<Entry<float, Colour>, k_hours.size()> entries;
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {k_hours[i], make(colours[k_moments[i]])};
    return memory.list(std::span<const Entry<float, Colour>>(entries));
}

packets::Weather sky(const Sky& sky, RegistryMemory& memory) {
    packets::Weather weather;
    weather.fog = packets::NearFar{.near = sky.fog_far / 4, .far = sky.fog_far};
    weather.sky_top_colors = by_hour<packets::ColorAlpha>(sky.top, opaque, memory);
    weather.sky_bottom_colors = by_hour<packets::ColorAlpha>(sky.bottom, opaque, memory);
    weather.fog_colors = by_hour<packets::Color>(sky.bottom, rgb, memory);
    weather.sunlight_colors = by_hour<packets::Color>(sky.light, rgb, memory);
    weather.sun_colors = memory.list({Entry<float, packets::Color>{0, rgb(0xFFFFFF)}});
    weather.moon_colors = memory.list({Entry<float, packets::ColorAlpha>{0, opaque(0xFFFFFF)}});
    weather.sky_sunset_colors = memory.list({Entry<float, packets::ColorAlpha>{0, opaque(sky.sunset)}});
    weather.sunlight_damping_multiplier = memory.list({Entry<float, float>{0, 1}});
    weather.sun_scales = memory.list({Entry<float, float>{0, 1}});
    weather.moon_scales = memory.list({Entry<float, float>{0, 1}});
    return weather;
}

} // namespace

Weathers::Weathers(const ContentPack* pack) : pack_(pack), names_{"Unknown", "Clear"} {
    if (pack == nullptr) return;
    for (const auto& object : pack->facts().documents().all(PackKind::weather)) id_of(object.id);
    for (const auto& name : pack->facts().forecast_weathers()) id_of(name);
}

std::int32_t Weathers::id_of(std::string_view name) {
    if (const auto known = find(name); known != k_unknown || name.empty()) return known;
    names_.emplace_back(name);
    return static_cast<std::int32_t>(names_.size() - 1);
}

std::int32_t Weathers::find(std::string_view name) const {
    const auto found =
        std::ranges::find_if(names_, [&](const auto& known) { return FoldedEqual{}(known, name); });
    return found == names_.end() ? k_unknown : static_cast<std::int32_t>(found - names_.begin());
}

std::int32_t Weathers::at(std::string_view environment, const GameTime& time, std::uint64_t seed) const {
    if (pack_ == nullptr) return k_clear;
    const auto chances = pack_->facts().forecast(environment, time.hour());
    double all = 0;
    for (const auto& chance : chances) all += chance.weight;
    if (all <= 0) return k_clear;
    auto drawn = mixed(seed ^ mixed(FoldedHash{}(environment)));
    drawn = mixed(drawn ^ static_cast<std::uint64_t>(time.day * 24 + time.hour()));
    auto left = static_cast<double>(drawn >> 11U) * 0x1p-53 * all;
    for (const auto& chance : chances) {
        left -= chance.weight;
        if (left < 0) return find(chance.weather);
    }
    return find(chances.back().weather);
}

void Weathers::add_to(RegistryFrames& out) const {
    RegistryMemory memory;
    const auto clear = sky(k_clear_sky, memory);
    const auto dull = sky(k_dull_sky, memory);
    std::vector<Entry<std::int32_t, packets::Weather>> entries;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        auto weather = is_dull(names_[i]) ? dull : clear;
        if (i == k_unknown) {
            weather = {};
            weather.fog = packets::NearFar{.near = -96, .far = 1024};
        }
        weather.id = protocol::Text(names_[i]);
        entries.push_back({static_cast<std::int32_t>(i), weather});
    }
    packets::UpdateWeathers update;
    update.max_id = static_cast<std::int32_t>(names_.size());
    update.weathers = protocol::Map<std::int32_t, packets::Weather>(entries);
    out.add(update);
}

} // namespace orbis::game
