#include "game/serve/serve_settings.hpp"
#include "support/shared.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace orbis::game {
namespace {

std::string problem_of(std::string_view text) {
    const auto parsed = ServeSettings::parse(text, "settings.json");
    return parsed ? "none" : parsed.error().text();
}

TEST(ServeSettings, AreReadMemberByMember) {
    const auto read = ServeSettings::parse(
        R"({"name": "Ours", "motd": "", "max_players": 7, "view_radius": 12, "unlimited": true,
            "password_file": "word", "stop_notice": 0, "welcome": "Hi", "bind": "[::]:1"})",
        "settings.json");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->name, "Ours");
    EXPECT_EQ(read->motd, "");
    EXPECT_EQ(read->max_players, 7);
    EXPECT_EQ(read->view_radius, 12);
    EXPECT_EQ(read->unlimited, true);
    EXPECT_EQ(read->password_file, "word");
    EXPECT_EQ(read->stop_notice, 0);
    EXPECT_EQ(read->welcome, "Hi");
    EXPECT_EQ(read->bind, "[::]:1");
    EXPECT_FALSE(read->workers);
    EXPECT_EQ(ServeSettings::parse("{}", "").value(), ServeSettings{});
}

TEST(ServeSettings, AFileOfAPasswordLiesBesideThatOfTheSettings) {
    const orbis::test::TemporaryFolder folder;
    const auto path = (folder / "settings.json").string();
    for (const auto& [given, read] : {std::pair<std::string, std::string>{"word", (folder / "word").string()},
                                      {"/etc/word", "/etc/word"}}) {
        std::ofstream(path) << fmt::format(R"({{"password_file": "{}"}})", given);
        const auto settings = ServeSettings::load(path);
        ASSERT_TRUE(settings) << settings.error().text();
        EXPECT_EQ(settings->password_file, read);
    }
    std::ofstream(path) << R"({"motd": 5})";
    EXPECT_EQ(ServeSettings::load(path).error().file, path);
}

TEST(ServeSettings, WhatIsWrongIsToldWithFileMemberExpectedAndFound) {
    EXPECT_EQ(problem_of(R"({"view_radius": 65})"),
              "settings.json: view_radius: expected a whole number from 2 to 64, found 65");
    EXPECT_EQ(problem_of(R"({"view_radius": "12"})"),
              "settings.json: view_radius: expected a whole number from 2 to 64, found \"12\"");
    EXPECT_EQ(problem_of(R"({"max_players": 1.5})"),
              "settings.json: max_players: expected a whole number from 1 to 10000, found 1.5");
    EXPECT_EQ(problem_of(R"({"max_players": 18446744073709551615})"),
              "settings.json: max_players: expected a whole number from 1 to 10000, found "
              "18446744073709551615");
    EXPECT_EQ(problem_of(R"({"unlimited": 1})"), "settings.json: unlimited: expected true or false, found 1");
    EXPECT_EQ(problem_of(R"({"name": {"a": 1}})"),
              "settings.json: name: expected a text of at most 512 bytes, found an object");
    EXPECT_EQ(problem_of(R"({"motd": ")" + std::string(513, 'x') + R"("})"),
              "settings.json: motd: expected a text of at most 512 bytes, found 513");
    EXPECT_TRUE(problem_of(R"({"moth": "x"})")
                    .starts_with("settings.json: \"moth\": unknown setting "
                                 "(settings are name, motd, "));
    EXPECT_EQ(problem_of(R"({"name": "a", "name": "b"})"),
              "settings.json: name: expected it once, found it twice");
}

TEST(ServeSettings, LimitsAreExact) {
    struct Bounds {
        std::string_view name;
        int least;
        int most;
    };
    for (const auto& [name, least, most] :
         {Bounds{"max_players", k_player_limits.least, k_player_limits.most},
          Bounds{"view_radius", k_view_limits.least, k_view_limits.most},
          Bounds{"stop_notice", k_notice_limits.least, k_notice_limits.most},
          Bounds{"workers", k_worker_limits.least, k_worker_limits.most},
          Bounds{"cache", k_cache_limits.least, k_cache_limits.most}})
        for (const int more : {0, 1}) {
            const auto is_refused = [&, key = name](std::int64_t value) {
                return problem_of(fmt::format(R"({{"{}": {}}})", key, value)) != "none";
            };
            EXPECT_EQ(is_refused(std::int64_t{most} + more), more == 1) << name;
            EXPECT_EQ(is_refused(std::int64_t{least} - more), more == 1) << name;
        }
    const auto text = [](std::string_view name, std::size_t size) {
        return problem_of(fmt::format(R"({{"{}": "{}"}})", name, std::string(size, 'x')));
    };
    for (const auto* name : {"name", "motd", "welcome"}) {
        EXPECT_EQ(text(name, 0), "none");
        EXPECT_EQ(text(name, 512), "none");
        EXPECT_NE(text(name, 513), "none");
    }
    for (const auto* name : {"password_file", "bind", "world", "metrics"}) {
        EXPECT_NE(text(name, 0), "none");
        EXPECT_EQ(text(name, 1), "none");
        EXPECT_EQ(text(name, 4096), "none");
        EXPECT_NE(text(name, 4097), "none");
    }
}

TEST(ServeSettings, EveryMemberIsInheritedAndNamed) {
    const auto all =
        ServeSettings::parse(R"({"name": "a", "motd": "b", "welcome": "c", "max_players": 2, "view_radius": 3,
                                 "unlimited": true, "password_file": "d", "stop_notice": 4, "bind": "e",
                                 "world": "f", "metrics": "g", "workers": 5, "cache": 64})",
                             "")
            .value();
    EXPECT_EQ(ServeSettings{}.over(all), all);
    EXPECT_EQ(all.over({}), all);
    EXPECT_EQ(all.changes_from({}).size(), 13U);
    EXPECT_TRUE(all.changes_from(all).empty());
    EXPECT_EQ(all.needing_restart_from({}),
              (std::vector<std::string>{"bind", "world", "metrics", "workers", "cache"}));
}

TEST(ServeSettings, NothingElseThanAnObjectIsTaken) {
    for (const std::string_view text :
         {"", "[]", "1", "{", "{\"name\": }", "\"name\"", "{\"name\": \"\xff\"}", "{\"max_players\": 1e999}"})
        EXPECT_NE(problem_of(text), "none") << text;
    EXPECT_NE(problem_of(std::string(100'000, '[')), "none");
}

TEST(ServeSettings, TheCommandLineWins) {
    ServeSettings given;
    given.name = "given";
    ServeSettings written;
    written.name = "written";
    written.motd = "hello";
    const auto both = given.over(written);
    EXPECT_EQ(both.name, "given");
    EXPECT_EQ(both.motd, "hello");
    EXPECT_FALSE(both.max_players);
}

TEST(ServeSettings, SayWhatNeedsANewStart) {
    ServeSettings before;
    before.motd = "a";
    before.workers = 1;
    auto after = before;
    after.motd = "b";
    EXPECT_EQ(after.changes_from(before), std::vector<std::string>{"motd"});
    EXPECT_TRUE(after.needing_restart_from(before).empty());
    after.workers = 2;
    after.bind = "0.0.0.0:5520";
    EXPECT_EQ(after.needing_restart_from(before), (std::vector<std::string>{"bind", "workers"}));
}

} // namespace
} // namespace orbis::game
