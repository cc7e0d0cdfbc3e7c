#pragma once

#include "net/time.hpp"
#include "packets/fwd.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::world {
struct WorldConfig;
}

namespace orbis::game {

inline constexpr std::int64_t k_nanos_of_day = 86'400'000'000'000;

/// A moment of the game's calendar, which begins with the year 1.
struct GameTime {
    std::int64_t day = 0;   ///< since 0001-01-01
    std::int64_t nanos = 0; ///< of the day

    [[nodiscard]] int hour() const { return static_cast<int>(nanos / 3'600'000'000'000); }
    friend constexpr auto operator<=>(const GameTime&, const GameTime&) = default;
};

/// `0001-01-09T19:21:05.303579616Z`, as configurations have it; nothing for any other text.
[[nodiscard]] std::optional<GameTime> parse_game_time(std::string_view text);
[[nodiscard]] std::string to_text(const GameTime& time);

/// The game time of a world (docs/formats/registries.md). A day has 86,400 seconds of the game, of which 60 %
/// are daylight around noon; how long daylight and night last in real seconds is the world's choice.
class WorldClock {
public:
    struct Settings {
        GameTime start{0, 19'800'000'000'000}; ///< 05:30 on the first day
        std::int32_t day_seconds = 1728;       ///< real ones
        std::int32_t night_seconds = 1152;
        std::int8_t moon_phases = 5;
        bool is_paused = false;
    };
    /// What a world's configuration says, with the game's values for the rest.
    static Settings settings_of(const world::WorldConfig& config);

    WorldClock(const Settings& settings, net::Time now);

    [[nodiscard]] packets::UpdateTimeSettings settings() const;
    /// For clients: on joining, and once a second unless the clock is paused.
    [[nodiscard]] packets::UpdateTime now(net::Time now) const;
    [[nodiscard]] GameTime time(net::Time now) const;

    /// Whether a second has passed since the last time this was true; never while paused.
    bool is_due(net::Time now);

private:
    Settings settings_;
    GameTime base_; ///< at `base_at_`
    net::Time base_at_;
    net::Time next_due_;
};

} // namespace orbis::game
