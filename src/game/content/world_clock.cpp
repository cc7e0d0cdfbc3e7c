#include "game/content/world_clock.hpp"

#include "packets/world.hpp"
#include "world/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t k_nanos = 1'000'000'000;
constexpr std::int64_t k_daylight = k_nanos_of_day / 10 * 6;
constexpr std::int64_t k_night = k_nanos_of_day - k_daylight;
constexpr std::int64_t k_sunrise = k_night / 2; ///< 04:48, so that noon is in the middle of the day
/// Day 0 of the calendar counted from 1970-01-01.
constexpr std::int64_t k_first_day =
    std::chrono::sys_days(std::chrono::year(1) / std::chrono::January / 1).time_since_epoch().count();

/// `value * numerator / denominator` for nanoseconds of at most a few days.
std::int64_t scaled(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
    return static_cast<std::int64_t>(static_cast<long double>(value) * static_cast<long double>(numerator)
                                     / static_cast<long double>(denominator));
}

GameTime normal(std::int64_t day, std::int64_t nanos) {
    day += nanos / k_nanos_of_day;
    nanos %= k_nanos_of_day;
    if (nanos < 0) {
        nanos += k_nanos_of_day;
        --day;
    }
    return {day, nanos};
}

/// Digits of a fixed number of places; -1 for anything else.
std::int64_t digits(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto plain = !text.empty() && text.front() != '-';
    return plain && code == std::errc{} && end == text.data() + text.size() ? value : -1;
}

} // namespace

std::optional<GameTime> parse_game_time(std::string_view text) {
    // YYYY-MM-DDThh:mm:ss, then a fraction of up to nine digits, then Z
    constexpr std::string_view pattern = "0000-00-00T00:00:00";
    if (text.size() < pattern.size() + 1 || !text.ends_with('Z')) return std::nullopt;
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i] != '0' && text[i] != pattern[i]) return std::nullopt;
    std::array<std::int64_t, 6> parts{};
    constexpr std::array<std::pair<std::size_t, std::size_t>, 6> places{
        {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = digits(text.substr(places[i].first, places[i].second));
        if (parts[i] < 0) return std::nullopt;
    }
    auto fraction = text.substr(pattern.size(), text.size() - pattern.size() - 1);
    std::int64_t nanos = 0;
    if (!fraction.empty()) {
        if (!fraction.starts_with('.') || fraction.size() < 2 || fraction.size() > 10) return std::nullopt;
        fraction.remove_prefix(1);
        nanos = digits(fraction);
        if (nanos < 0) return std::nullopt;
        for (auto place = fraction.size(); place < 9; ++place) nanos *= 10;
    }
    const auto date = std::chrono::year(static_cast<int>(parts[0])) / static_cast<int>(parts[1])
                      / static_cast<int>(parts[2]);
    if (!date.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return std::nullopt;
    const auto day = std::chrono::sys_days(date).time_since_epoch().count() - k_first_day;
    return GameTime{day, ((parts[3] * 60 + parts[4]) * 60 + parts[5]) * k_nanos + nanos};
}

std::string to_text(const GameTime& time) {
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(time.day + k_first_day))};
    const auto seconds = time.nanos / k_nanos;
    auto text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                            static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                            seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (const auto fraction = time.nanos % k_nanos; fraction != 0) text += fmt::format(".{:09}", fraction);
    return text + "Z";
}

WorldClock::Settings WorldClock::settings_of(const world::WorldConfig& config) {
    Settings settings;
    if (const auto time = parse_game_time(config.game_time)) settings.start = *time;
    settings.is_paused = config.is_time_paused;
    settings.day_seconds = config.day_seconds.value_or(settings.day_seconds);
    settings.night_seconds = config.night_seconds.value_or(settings.night_seconds);
    return settings;
}

WorldClock::WorldClock(const Settings& settings, net::Time now)
    : settings_(settings), base_(settings.start), base_at_(now), next_due_(now + 1s) {
    settings_.day_seconds = std::max(settings_.day_seconds, 1);
    settings_.night_seconds = std::max(settings_.night_seconds, 1);
}

GameTime WorldClock::time(net::Time now) const {
    if (settings_.is_paused || now <= base_at_) return base_;
    const auto day_length = settings_.day_seconds * k_nanos;
    const auto night_length = settings_.night_seconds * k_nanos;
    // Real time since the sunrise before `base_`, and from there the moment of the game.
    const auto since_sunrise = normal(base_.day, base_.nanos - k_sunrise);
    auto real = since_sunrise.nanos < k_daylight
                    ? scaled(since_sunrise.nanos, day_length, k_daylight)
                    : day_length + scaled(since_sunrise.nanos - k_daylight, night_length, k_night);
    real += (now - base_at_).count();
    const auto day = since_sunrise.day + real / (day_length + night_length);
    real %= day_length + night_length;
    const auto nanos = real < day_length ? scaled(real, k_daylight, day_length)
                                         : k_daylight + scaled(real - day_length, k_night, night_length);
    return normal(day, nanos + k_sunrise);
}

packets::UpdateTimeSettings WorldClock::settings() const {
    packets::UpdateTimeSettings packet;
    packet.daytime_duration_seconds = settings_.day_seconds;
    packet.nighttime_duration_seconds = settings_.night_seconds;
    packet.total_moon_phases = settings_.moon_phases;
    packet.time_paused = settings_.is_paused;
    return packet;
}

packets::UpdateTime WorldClock::now(net::Time now) const {
    const auto moment = time(now);
    packets::UpdateTime packet;
    packet.game_time =
        packets::InstantData{.seconds = (moment.day + k_first_day) * 86'400 + moment.nanos / k_nanos,
                             .nanos = static_cast<std::int32_t>(moment.nanos % k_nanos)};
    return packet;
}

bool WorldClock::is_due(net::Time now) {
    if (settings_.is_paused || now < next_due_) return false;
    next_due_ += 1s;
    if (next_due_ <= now) next_due_ = now + 1s; // who slept does not make up for it
    return true;
}

} // namespace orbis::game
