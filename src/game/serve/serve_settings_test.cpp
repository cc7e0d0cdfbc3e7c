#include "game/bot/crowd.hpp"
#include "game/download/chunk_collector.hpp"
#include "game/download/downloader.hpp"
#include "game/edits/edit_queue.hpp"
#include "game/mapview/map_stream.hpp"
#include "game/serve/game_rules.hpp"
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
         {Bounds{"max_players", 1, 10'000}, Bounds{"view_radius", 2, 64}, Bounds{"stop_notice", 0, 3600},
          Bounds{"workers", 1, 64}, Bounds{"cache", 1, 1 << 20}})
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
    EXPECT_EQ(problem_of(std::string(16, '[')), "settings.json: offset 16: expected JSON, found text that "
                                                "does not parse (such as {\"name\": \"Cows\", "
                                                "\"max_players\": 40}; docs/serve.md has all settings)");
    EXPECT_EQ(problem_of(std::string(17, '[')),
              "settings.json: offset 16: expected JSON nested at most 16 deep, found more");
    EXPECT_NE(problem_of(std::string(100'000, '[')), "none");
}

TEST(ServeSettings, WhatIsShownOfAWrongValueIsShort) {
    const auto shown_of = [](std::size_t size) {
        return problem_of(fmt::format(R"({{"unlimited": "{}"}})", std::string(size, 'x')));
    };
    const std::string begin = "settings.json: unlimited: expected true or false, found ";
    EXPECT_EQ(shown_of(60), begin + '"' + std::string(60, 'x') + '"');
    EXPECT_EQ(shown_of(61), begin + "a text of 61 bytes");
    EXPECT_EQ(problem_of(R"({"unlimited": [1]})"), begin + "an array");
}

TEST(ServeSettings, AFileMayHaveAMebibyte) {
    const orbis::test::TemporaryFolder folder;
    const auto path = (folder / "settings.json").string();
    for (const std::size_t size : {1U << 20, (1U << 20) + 1}) {
        std::ofstream(path) << "{}" << std::string(size - 2, ' ');
        EXPECT_EQ(ServeSettings::load(path).has_value(), size == 1 << 20) << size;
    }
}

TEST(ServeSettings, AreCheckedWhereTheyComeFromTheCommandLineToo) {
    ServeSettings given;
    given.bind = "";
    EXPECT_EQ(given.check().error().text(), "bind: expected a text of 1 to 4096 bytes, found 0");
    given.bind = std::string(4097, 'x');
    EXPECT_EQ(given.check().error().text(), "bind: expected a text of 1 to 4096 bytes, found 4097");
    given.bind.reset();
    given.stop_notice = 3601;
    EXPECT_EQ(given.check().error().text(),
              "stop_notice: expected a whole number from 0 to 3600, found 3601");
    given.stop_notice = -1;
    EXPECT_EQ(given.check().error().text(), "stop_notice: expected a whole number from 0 to 3600, found -1");
    given.stop_notice = 3600;
    EXPECT_TRUE(given.check());
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

/// What a server, a bot and a download do unless somebody says otherwise (docs/serve.md, docs/bot.md,
/// docs/download.md), and what they allow at most.
TEST(Defaults, AreThoseThatTheDocsName) {
    using namespace std::chrono_literals;
    const GameRules game;
    EXPECT_EQ(game.facts.name, "Orbis");
    EXPECT_EQ(game.facts.max_players, 100);
    EXPECT_EQ(game.facts.view_radius, 32);
    EXPECT_EQ(game.workers, 1U);
    EXPECT_FALSE(game.is_unlimited || game.can_edit);
    EXPECT_TRUE(game.has_map);
    EXPECT_EQ(game.cache.most_unused_bytes, 268'435'456U);
    EXPECT_EQ(game.cache.most_bytes, 1'073'741'824U);
    EXPECT_EQ(game.cache.retry_after, net::Duration(10s));
    EXPECT_EQ(game.watching.every, 1s);
    EXPECT_EQ(game.editing.saving.every, 2s);
    EXPECT_FALSE(game.editing.saving.force);
    EXPECT_EQ(game.editing.reach, 64);
    EXPECT_EQ(EditQueue::k_most_waiting, 4096U);
    EXPECT_EQ(EditQueue::k_most_unsaved, 512U);
    EXPECT_EQ(EditQueue::k_most_idle, 64U);
    EXPECT_EQ(MapStream::k_most_tiles, 20U);
    EXPECT_EQ(MapStream::k_most_bytes, 2'621'440U);
    EXPECT_EQ(MapStream::k_pass, 100ms);
    EXPECT_EQ(MapStream::k_look, 1s);
    const CrowdRules crowd;
    EXPECT_EQ(crowd.count, 1U);
    EXPECT_EQ(crowd.name, "bot");
    EXPECT_EQ(crowd.view_radius, 192);
    EXPECT_EQ(crowd.per_second, 50);
    EXPECT_EQ(crowd.time, net::Duration(30s));
    EXPECT_EQ(crowd.seed, 1U);
    EXPECT_TRUE(crowd.keeps_world);
    EXPECT_FALSE(crowd.keeps_chat);
    const DownloadRules download;
    EXPECT_EQ(download.name, "orbis");
    EXPECT_EQ(download.view_radius, 384);
    EXPECT_EQ(download.settle, net::Duration(1s));
    EXPECT_EQ(download.least_pace, 25);
    EXPECT_FALSE(download.flies || download.goes_on);
    const ChunkCollector::Limits held;
    EXPECT_EQ(held.chunks, 16'384U);
    EXPECT_EQ(held.bytes, 1'073'741'824U);
    EXPECT_EQ(held.held_bytes, 268'435'456U);
    EXPECT_EQ(held.held_packets, 65'536U);
}

} // namespace
} // namespace orbis::game
