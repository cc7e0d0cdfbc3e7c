#pragma once

#include "game/registry.hpp"
#include "game/serve/world_clock.hpp"
#include "protocol/packets.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbis::game {

class ContentPack;
class RegistryFrames;

/// The weathers of a server: their numbers on the wire, and which of them there is where and when.
class Weathers {
public:
    static constexpr std::int32_t k_unknown = 0;
    static constexpr std::int32_t k_clear = 1; ///< where nothing else is said
    /// How long a client takes from one weather to the next.
    static constexpr float k_transition_seconds = 10;

    /// Those that the pack names, in its files or in forecasts; the pack must outlive this.
    explicit Weathers(const ContentPack* pack);

    /// The number of a weather, a new one where it had none: for those that worlds name. Clients know what
    /// was there when the registries were prepared.
    std::int32_t id_of(std::string_view name);
    [[nodiscard]] std::int32_t find(std::string_view name) const;
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    /// The weather of an environment in this hour of the game: one of its forecast, chosen by `seed`, so that
    /// everybody in a world sees the same, and the same again after a restart.
    [[nodiscard]] std::int32_t at(std::string_view environment, const GameTime& time,
                                  std::uint64_t seed) const;

    void add_to(RegistryFrames& out) const;

private:
    const ContentPack* pack_;
    std::vector<std::string> names_;
};

/// The weather of one world, remembered for the hour: asking for each player in each tick is cheap.
class WorldWeather {
public:
    /// `forced` is the weather that the world has always; empty where it changes.
    WorldWeather(const Weathers& weathers, const WireIds& ids, std::uint64_t seed, std::string_view forced);

    /// The weather of an environment, which is a number on the wire.
    std::int32_t at(std::int32_t environment, const GameTime& time);

private:
    const Weathers& weathers_;
    const WireIds& ids_;
    std::uint64_t seed_;
    std::optional<std::int32_t> forced_;
    GameTime hour_{-1, 0};                                 ///< day and hour of what is known
    std::unordered_map<std::int32_t, std::int32_t> known_; ///< by environment
};

/// What one player has been told. A new one, for each world that it joins, is told at once.
class WeatherSight {
public:
    /// What to send now that it is in this weather; nothing where that is no news.
    std::optional<packets::UpdateWeather> look(std::int32_t weather);

private:
    std::optional<std::int32_t> seen_;
};

} // namespace orbis::game
