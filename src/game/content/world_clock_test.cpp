#include "game/content/world_clock.hpp"
#include "packets/world.hpp"
#include "support/shared.hpp"
#include "world/config.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

constexpr net::Time k_start{1000s};

GameTime at_hour(std::int64_t day, std::int64_t hour, std::int64_t minute = 0) {
    return {day, (hour * 60 + minute) * 60'000'000'000};
}

TEST(WorldClock, ReadsTheTimesOfConfigurations) {
    EXPECT_EQ(parse_game_time("0001-01-01T05:30:00Z"), at_hour(0, 5, 30));
    EXPECT_EQ(parse_game_time("0001-01-09T19:21:05.303579616Z"),
              (GameTime{8, (19 * 3600 + 21 * 60 + 5) * 1'000'000'000LL + 303'579'616}));
    EXPECT_EQ(parse_game_time("0001-01-01T00:00:00.5Z"), (GameTime{0, 500'000'000}));
    EXPECT_EQ(parse_game_time("0002-01-01T00:00:00Z"), at_hour(365, 0));
    for (const auto* bad :
         {"", "0001-01-01", "0001-13-01T00:00:00Z", "0001-02-30T00:00:00Z", "0001-01-01T24:00:00Z",
          "0001-01-01T00:00:00", "0001-01-01T00:00:00.Z", "0001-01-01T00:00:00.1234567890Z",
          "-001-01-01T00:00:00Z", "0001-01-01T0x:00:00Z"})
        EXPECT_FALSE(parse_game_time(bad)) << bad;
}

RC_GTEST_PROP(WorldClock, TextsOfTimesAreReadAsTheyWere, ()) {
    const GameTime time{*rc::gen::inRange<std::int64_t>(0, 3'000'000),
                        *rc::gen::inRange<std::int64_t>(0, k_nanos_of_day)};
    RC_ASSERT(parse_game_time(to_text(time)) == time);
}

TEST(WorldClock, SaysItToClientsAsAnInstantOfTheYearOne) {
    const WorldClock clock({}, k_start);
    const auto packet = clock.now(k_start);
    EXPECT_EQ(packet.game_time->seconds, -62'135'596'800 + 5 * 3600 + 30 * 60);
    EXPECT_EQ(packet.game_time->nanos, 0);
    const auto settings = clock.settings();
    EXPECT_EQ(settings.daytime_duration_seconds, 1728);
    EXPECT_EQ(settings.nighttime_duration_seconds, 1152);
    EXPECT_FALSE(settings.time_paused);
}

TEST(WorldClock, DayAndNightTakeAsLongAsTheyShould) {
    // Daylight from 04:48 to 19:12.
    const WorldClock clock({.start = at_hour(3, 4, 48), .day_seconds = 600, .night_seconds = 100}, k_start);
    EXPECT_EQ(clock.time(k_start + 300s), at_hour(3, 12));
    EXPECT_EQ(clock.time(k_start + 600s), at_hour(3, 19, 12));
    EXPECT_EQ(clock.time(k_start + 650s), at_hour(4, 0));
    EXPECT_EQ(clock.time(k_start + 700s), at_hour(4, 4, 48));
    EXPECT_EQ(clock.time(k_start + 700s * 1000), at_hour(1003, 4, 48));
    EXPECT_EQ(clock.time(k_start - 5s), at_hour(3, 4, 48)) << "never back";
}

RC_GTEST_PROP(WorldClock, NeverRunsBackwards, ()) {
    const WorldClock clock({.start = {*rc::gen::inRange<std::int64_t>(0, 1000),
                                      *rc::gen::inRange<std::int64_t>(0, k_nanos_of_day)},
                            .day_seconds = *rc::gen::inRange(-5, 10'000),
                            .night_seconds = *rc::gen::inRange(-5, 10'000)},
                           k_start);
    const auto first = std::chrono::nanoseconds(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
    const auto later = first + std::chrono::nanoseconds(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000));
    RC_ASSERT(clock.time(k_start + first) <= clock.time(k_start + later));
}

TEST(WorldClock, IsDueEverySecondAndNeverWhilePaused) {
    WorldClock clock({}, k_start);
    EXPECT_FALSE(clock.is_due(k_start + 900ms));
    EXPECT_TRUE(clock.is_due(k_start + 1000ms));
    EXPECT_FALSE(clock.is_due(k_start + 1033ms));
    EXPECT_TRUE(clock.is_due(k_start + 2010ms));
    EXPECT_TRUE(clock.is_due(k_start + 60s)) << "once after a long sleep";
    EXPECT_FALSE(clock.is_due(k_start + 60s + 1ms));
    const auto noon = at_hour(1, 12);
    WorldClock paused({.start = noon, .is_paused = true}, k_start);
    EXPECT_FALSE(paused.is_due(k_start + 90s));
    EXPECT_EQ(paused.time(k_start + 90s), noon);
    EXPECT_TRUE(paused.settings().time_paused);
}

TEST(WorldClock, TakesWhatTheConfigurationSays) {
    world::WorldConfig config;
    EXPECT_EQ(WorldClock::settings_of(config).start, at_hour(0, 5, 30));
    config.game_time = "0001-01-03T12:00:00Z";
    config.is_time_paused = true;
    config.day_seconds = 10;
    const auto settings = WorldClock::settings_of(config);
    EXPECT_EQ(settings.start, at_hour(2, 12));
    EXPECT_TRUE(settings.is_paused);
    EXPECT_EQ(settings.day_seconds, 10);
    EXPECT_EQ(settings.night_seconds, 1152);
}

TEST(WorldClock, TheConfigurationIsReadFromItsFile) {
    const test::TemporaryFolder folder;
    const auto read = [&](std::string_view text) {
        std::ofstream(folder / "config.json") << text;
        std::vector<Error> notes;
        return world::read_world_config(storage::Folder(storage::open_disk_tree(folder.path())), notes);
    };
    const auto config = read(R"({"GameTime": "0001-01-02T00:00:00Z", "IsGameTimePaused": true,
        "DaytimeDurationSeconds": 1728, "NighttimeDurationSeconds": 1151, "ForcedWeather": "Zone1_Sunny"})");
    EXPECT_EQ(config.forced_weather, "Zone1_Sunny");
    const auto settings = WorldClock::settings_of(config);
    EXPECT_EQ(settings.start, at_hour(1, 0));
    EXPECT_TRUE(settings.is_paused);
    EXPECT_EQ(settings.night_seconds, 1151);
    const auto odd = read(R"({"GameTime": 5, "IsGameTimePaused": "yes", "DaytimeDurationSeconds": -1,
        "NighttimeDurationSeconds": 1e300, "ForcedWeather": null})");
    EXPECT_EQ(odd.day_seconds, std::nullopt);
    EXPECT_EQ(odd.night_seconds, std::nullopt);
    EXPECT_FALSE(odd.is_time_paused);
    EXPECT_TRUE(odd.forced_weather.empty());
}

} // namespace
} // namespace orbis::game
