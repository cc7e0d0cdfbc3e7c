#include "game/serve/console_command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using CommandKind = ConsoleCommand::Kind;

ConsoleCommand read_command(std::string_view line, CommandKind expected) {
    const auto command = ConsoleCommand::parse(line);
    EXPECT_TRUE(command && *command) << line << (command ? "" : command.error().text());
    if (!command || !*command) return {};
    EXPECT_EQ((*command)->kind, expected) << line;
    return **command;
}

TEST(ConsoleCommand, TakesWordsAndKeepsTheRestAsTheyAre) {
    EXPECT_EQ(read_command("  say hello  all \r\n", CommandKind::say).text, "hello  all");
    const auto kick = read_command("/kick Ann be  nice", CommandKind::kick);
    EXPECT_EQ(kick.player, "Ann");
    EXPECT_EQ(kick.text, "be  nice");
    EXPECT_EQ(read_command("kick Ann", CommandKind::kick).text, "");
    EXPECT_EQ(read_command("move Ann my world", CommandKind::move).text, "my world");
    const auto refer = read_command("refer * example.org:7000", CommandKind::refer);
    EXPECT_EQ(refer.player, "*");
    EXPECT_EQ(refer.to.host, "example.org");
    EXPECT_EQ(refer.to.port, 7000);
    read_command("players", CommandKind::players);
    for (const auto* line : {"teleport Ann 12 -7.5 +3", "teleport Ann 12,-7.5,3"}) {
        const auto teleport = read_command(line, CommandKind::teleport);
        EXPECT_EQ(teleport.player, "Ann");
        EXPECT_EQ(teleport.place, (std::array{12.0, -7.5, 3.0}));
    }
}

TEST(ConsoleCommand, StopTakesATimeAndAReason) {
    EXPECT_FALSE(read_command("stop", CommandKind::stop).notice);
    EXPECT_EQ(read_command("stop 0", CommandKind::stop).notice, 0s);
    EXPECT_EQ(read_command("stop 30", CommandKind::stop).notice, 30s);
    EXPECT_EQ(read_command("stop 30s new map", CommandKind::stop).notice, 30s);
    EXPECT_FALSE(read_command("stop new map", CommandKind::stop).notice);
    EXPECT_EQ(read_command("stop 30s new map", CommandKind::stop).text, "new map");
    EXPECT_EQ(read_command("stop new map", CommandKind::stop).text, "new map");
    EXPECT_EQ(read_command("stop 86400", CommandKind::stop).notice, 24h);
    EXPECT_FALSE(ConsoleCommand::parse("stop 86401"));
    EXPECT_FALSE(ConsoleCommand::parse("stop 99999999999999"));
    EXPECT_FALSE(ConsoleCommand::parse("stop 3x"));
    EXPECT_FALSE(ConsoleCommand::parse("stop -3"));
}

TEST(ConsoleCommand, SaysWhatACommandShouldLookLike) {
    EXPECT_EQ(ConsoleCommand::parse("move Ann").error().text(),
              "move needs a player and a world. Write: move PLAYER WORLD");
    EXPECT_EQ(ConsoleCommand::parse("dance").error().text(),
              "unknown command dance; help lists all commands");
    EXPECT_EQ(ConsoleCommand::parse("teleport Ann 1 2").error().text(),
              "teleport needs a player and a place. Write: teleport PLAYER X Y Z");
    EXPECT_EQ(ConsoleCommand::parse("teleport Ann 1 high 2").error().text(),
              "teleport: high is not a coordinate. Write: teleport PLAYER X Y Z");
    EXPECT_EQ(ConsoleCommand::parse("teleport Ann 1 2 3 4").error().text(),
              "teleport: unexpected 4. Write: teleport PLAYER X Y Z");
    for (const auto* line : {"teleport Ann 1 nan 2", "teleport Ann inf 1 2", "teleport Ann 1e99 1 2",
                             "teleport Ann 30000001 1 2", "teleport Ann - 1 2"})
        EXPECT_FALSE(ConsoleCommand::parse(line)) << line;
    EXPECT_EQ(read_command("teleport Ann 30000000 1 -30000000", CommandKind::teleport).place,
              (std::array{30'000'000.0, 1.0, -30'000'000.0}));
    EXPECT_FALSE(ConsoleCommand::parse("teleport Ann 1 2 -30000000.5"));
    EXPECT_FALSE(ConsoleCommand::parse("refer Ann host:99999"));
    EXPECT_FALSE(ConsoleCommand::parse("say"));
    EXPECT_FALSE(ConsoleCommand::parse("say \xff"));
    EXPECT_FALSE(ConsoleCommand::parse("   ")->has_value());
}

TEST(ConsoleCommand, EachRefusalNamesItsForm) {
    const std::string refer = "refer needs a player and a server. Write: refer PLAYER|* HOST[:PORT]";
    const std::string move = "move needs a player and a world. Write: move PLAYER WORLD";
    const std::string teleport = "teleport needs a player and a place. Write: teleport PLAYER X Y Z";
    const auto not_seconds = [](std::string_view word) {
        return fmt::format("stop: {} is not a number of seconds up to 86400. Write: stop [SECONDS] [REASON]",
                           word);
    };
    for (const auto& [line, text] : std::vector<std::pair<std::string, std::string>>{
             {"say", "say: what? Write: say TEXT"},
             {"say \t ", "say: what? Write: say TEXT"},
             {"kick", "kick: whom? Write: kick PLAYER [REASON]"},
             {"move", move},
             {"move Ann ", move},
             {"refer", refer},
             {"refer *", refer},
             {"teleport", teleport},
             {"teleport Ann", teleport},
             {"teleport Ann 1,2", teleport},
             {"teleport Ann 1 2 ++3", "teleport: ++3 is not a coordinate. Write: teleport PLAYER X Y Z"},
             {"teleport Ann 1 2 3x", "teleport: 3x is not a coordinate. Write: teleport PLAYER X Y Z"},
             {"stop -1", not_seconds("-1")},
             {"stop +1", not_seconds("+1")},
             {"stop 86401s", not_seconds("86401s")},
             {"stop 5sec later", not_seconds("5sec")},
             {"Say hello", "unknown command Say; help lists all commands"},
             {"//say hello", "unknown command /say; help lists all commands"},
             {"say \xff", "the line is not UTF-8 text"}}) {
        const auto command = ConsoleCommand::parse(line);
        ASSERT_FALSE(command) << line;
        EXPECT_EQ(command.error().code, Errc::usage) << line;
        EXPECT_EQ(command.error().text(), text) << line;
    }
    EXPECT_FALSE(ConsoleCommand::parse(" / ")->has_value()) << "nothing behind the slash";
    EXPECT_EQ(read_command("stop -new- map", CommandKind::stop).text, "-new- map");
    EXPECT_EQ(read_command("refer Ann host", CommandKind::refer).to.port, 5520) << "the game's own";
    EXPECT_EQ(read_command("say\thello", CommandKind::say).text, "hello");
}

TEST(ConsoleCommand, EveryLineOfTheHelpIsACommandAndEveryCommandHasOne) {
    std::string_view rest = ConsoleCommand::help_text();
    std::vector<std::pair<std::string, CommandKind>> found;
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        const auto name = std::string(line.substr(0, line.find(' ')));
        const auto command = ConsoleCommand::parse(name + (name == "refer" ? " Ann host" : " Ann 1 2 3"));
        ASSERT_TRUE(command) << name << command.error().text();
        found.emplace_back(name, (*command)->kind);
    }
    EXPECT_EQ(found, (std::vector<std::pair<std::string, CommandKind>>{{"status", CommandKind::status},
                                                                       {"players", CommandKind::players},
                                                                       {"worlds", CommandKind::worlds},
                                                                       {"say", CommandKind::say},
                                                                       {"kick", CommandKind::kick},
                                                                       {"move", CommandKind::move},
                                                                       {"teleport", CommandKind::teleport},
                                                                       {"refer", CommandKind::refer},
                                                                       {"save", CommandKind::save},
                                                                       {"reload", CommandKind::reload},
                                                                       {"stop", CommandKind::stop},
                                                                       {"help", CommandKind::help}}));
}

} // namespace
} // namespace orbis::game
