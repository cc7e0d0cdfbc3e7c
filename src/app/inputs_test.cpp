#include "app/captured_test.hpp"
#include "app/command_serve_input.hpp"
#include "app/command_serve_owner.hpp"
#include "app/key_files.hpp"
#include "app/server_options.hpp"
#include "app/world_argument.hpp"
#include "support/shared.hpp"
#include "support/wait_for.hpp"

#include <fstream>
#include <mutex>

namespace orbis::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void put(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

TEST(PasswordFile, IsItsFirstLineAndNoLargerThanALine) {
    const orbis::test::TemporaryFolder folder;
    const auto read = [&](std::string_view text) {
        put(folder / "file", text);
        return read_password_file(folder / "file");
    };
    EXPECT_EQ(read("secret").value(), "secret");
    EXPECT_EQ(read(" se cret \nmore\n").value(), " se cret ");
    EXPECT_EQ(read("secret\r\n").value(), "secret");
    EXPECT_EQ(read(std::string(4096, 'x')).value().size(), 4096U);
    const auto refusal = [&](std::string_view text) {
        const auto done = read(text);
        return done ? std::string("none") : std::string(name(done.error().code));
    };
    EXPECT_EQ(refusal(std::string(4097, 'x')), "too_large");
    EXPECT_EQ(refusal(""), "usage");
    EXPECT_EQ(refusal("\nsecret"), "usage");
    EXPECT_EQ(read_password_file(folder / "none").error().code, Errc::not_found);
}

TEST(PlayerName, HasOneToSixteenPlainCharacters) {
    for (const auto* good : {"a", "1234567890123456", "!", "~"}) EXPECT_TRUE(check_player_name(good)) << good;
    for (const auto* bad : {"", "12345678901234567", "a b", " ", "\x7f", "ä", "a\n"})
        EXPECT_FALSE(check_player_name(bad)) << bad;
    EXPECT_EQ(check_player_name("").error().code, Errc::usage);
}

TEST(ParseTime, KnowsItsUnitsAndItsLimits) {
    const auto parse = [](std::string_view text) { return parse_time("--time", text); };
    EXPECT_EQ(parse("500ms").value(), net::Duration(500ms));
    EXPECT_EQ(parse("1.5s").value(), net::Duration(1500ms));
    EXPECT_EQ(parse("2m").value(), net::Duration(2min));
    EXPECT_EQ(parse("1h").value(), net::Duration(1h));
    EXPECT_EQ(parse("720h").value(), net::Duration(720h)) << "thirty days";
    for (const auto* bad : {"720.001h", "0s", "-1s", "nans", "5", "s", "", "5 s", "5S", "5d", "5sec"})
        EXPECT_FALSE(parse(bad)) << bad;
    EXPECT_EQ(parse("5d").error().problem, "--time must be a time such as 500ms, 30s, 5m or 1h, not \"5d\"");
    EXPECT_EQ(parse("5d").error().code, Errc::usage);
}

TEST(ServerFactsOf, TakesEverySettingAndElseTheUsual) {
    const game::ServerFacts usual;
    const auto none = facts_of({});
    EXPECT_EQ(none.name, usual.name);
    EXPECT_EQ(none.motd, usual.motd);
    EXPECT_EQ(none.welcome, usual.welcome);
    EXPECT_EQ(none.max_players, usual.max_players);
    EXPECT_EQ(none.view_radius, usual.view_radius);
    game::ServeSettings settings;
    settings.name = "Mine";
    settings.motd = "Today";
    settings.welcome = "Hello";
    settings.max_players = 3;
    settings.view_radius = 5;
    const auto all = facts_of(settings);
    EXPECT_EQ(all.name, "Mine");
    EXPECT_EQ(all.motd, "Today");
    EXPECT_EQ(all.welcome, "Hello");
    EXPECT_EQ(all.max_players, 3);
    EXPECT_EQ(all.view_radius, 5);
}

TEST(KeyFiles, AreFoundByFileNameOfAPairOrFolder) {
    const orbis::test::TemporaryFolder folder;
    const auto expect = [&](const KeyFiles& found, std::string_view certificate, std::string_view key) {
        EXPECT_EQ(found.certificate.string(), (folder / "").string() + std::string(certificate));
        EXPECT_EQ(found.key.string(), key.empty() ? "" : (folder / "").string() + std::string(key));
    };
    expect(KeyFiles::of(folder / "name"), "name.crt.pem", "name.key.pem");
    expect(KeyFiles::of(folder / "new/"), "new/orbis.crt.pem", "new/orbis.key.pem");
    fs::create_directories(folder / "certs");
    expect(KeyFiles::of(folder / "certs"), "certs/orbis.crt.pem", "certs/orbis.key.pem");
    expect(KeyFiles::named(folder / "x.crt.pem"), "x.crt.pem", "x.key.pem");
    expect(KeyFiles::named(folder / "x.key.pem"), "x.crt.pem", "x.key.pem");
    expect(KeyFiles::named(folder / "none"), "none", "");
    put(folder / "pair.crt.pem", "c");
    expect(KeyFiles::named(folder / "pair"), "pair.crt.pem", "pair.key.pem");
    put(folder / "pair", "a file wins");
    expect(KeyFiles::named(folder / "pair"), "pair", "");
    expect(KeyFiles::named(folder / "certs"), "certs", "");
    put(folder / "certs/orbis.crt.pem", "c");
    expect(KeyFiles::named(folder / "certs"), "certs/orbis.crt.pem", "certs/orbis.key.pem");
}

/// Lines that came, and the tickets that were handed out with them.
struct Lines {
    std::mutex mutex;
    std::vector<std::string> texts;
    std::vector<LineInput::Ticket> tickets;
    std::size_t most_at_once = 0;

    void take(Result<std::string> line, LineInput::Ticket ticket) {
        const std::lock_guard lock(mutex);
        texts.push_back(line ? *line : "refused: " + line.error().problem);
        tickets.push_back(std::move(ticket));
        most_at_once = std::max(most_at_once, tickets.size());
    }
    std::size_t count() {
        const std::lock_guard lock(mutex);
        return texts.size();
    }
};

/// What `LineInput` makes of bytes that come in these pieces.
std::vector<std::string> lines_of(const std::vector<std::string>& pieces) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    Lines lines;
    {
        const LineInput input(ends[0], [&](Result<std::string> line, LineInput::Ticket) {
            lines.take(std::move(line), nullptr);
        });
        for (const auto& piece : pieces)
            EXPECT_EQ(write(ends[1], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
        close(ends[1]);
        auto whole = std::string();
        for (const auto& piece : pieces) whole += piece;
        const auto expected = static_cast<std::size_t>(std::ranges::count(whole, '\n'))
                              + (whole.empty() || whole.ends_with('\n') ? 0 : 1);
        EXPECT_TRUE(orbis::test::wait_for([&] { return lines.count() >= expected; }));
    }
    close(ends[0]);
    return lines.texts;
}

TEST(LineInput, GivesLinesHoweverTheyCome) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(lines_of({"one\ntwo\n"}), (Texts{"one", "two"}));
    EXPECT_EQ(lines_of({"o", "ne\nt", "wo"}), (Texts{"one", "two"})) << "the last may have no end";
    EXPECT_EQ(lines_of({"\n\nx\n"}), (Texts{"", "", "x"}));
}

TEST(LineInput, RefusesALineThatIsTooLongAndGoesOn) {
    const std::string longest(4096, 'x');
    const std::string refusal = "refused: the line is longer than 4096 bytes";
    EXPECT_EQ(lines_of({longest + "\n" + longest + "y\nnext\n"}),
              (std::vector<std::string>{longest, refusal, "next"}));
    EXPECT_EQ(lines_of({longest, "y"}), (std::vector<std::string>{refusal})) << "also as the last one";
    EXPECT_EQ(lines_of({longest + longest + longest + "\n", "next\n"}),
              (std::vector<std::string>{refusal, "next"}));
}

TEST(LineInput, HandsOutNoMoreThanSixteenTicketsAtOnce) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    Lines lines;
    {
        const LineInput input(ends[0], [&](Result<std::string> line, LineInput::Ticket ticket) {
            lines.take(std::move(line), std::move(ticket));
        });
        for (int i = 0; i < 20; ++i) ASSERT_EQ(write(ends[1], "x\n", 2), 2);
        ASSERT_TRUE(orbis::test::wait_for([&] { return lines.count() >= 16; }));
        for (std::size_t next = 17; next <= 20; ++next) {
            LineInput::Ticket done;
            {
                const std::lock_guard lock(lines.mutex);
                EXPECT_EQ(lines.texts.size(), next - 1);
                done = std::move(lines.tickets.back());
                lines.tickets.pop_back();
            }
            done.reset(); // not under the lock: the next line comes now
            ASSERT_TRUE(orbis::test::wait_for([&] { return lines.count() >= next; }));
        }
        ASSERT_EQ(write(ends[1], "y\n", 2), 2); // it waits, and does not keep the input from ending
    }
    EXPECT_EQ(lines.most_at_once, 16U);
    close(ends[0]);
    close(ends[1]);
}

world::World named(std::string name) {
    world::World world;
    world.name = std::move(name);
    return world;
}

TEST(ForEachWorld, OneWorldFailsTheVerbAndOneOfSeveralDoesNotStopIt) {
    const auto run = [](std::size_t worlds, const std::string& failing, const std::string& damaged) {
        world::Location location;
        for (std::size_t i = 0; i < worlds; ++i)
            location.worlds.push_back(named(std::string(1, static_cast<char>('a' + i))));
        std::string visited;
        std::string result;
        const auto printed = test::captured([&] {
            Console console;
            const auto done =
                for_each_world(console, location, [&](const world::World& world) -> Result<Outcome> {
                    visited += world.name;
                    if (world.name == failing) return fail(Errc::io, "{} fails", world.name);
                    return world.name == damaged ? Outcome::damage : Outcome::fine;
                });
            result = !done ? "error" : *done == Outcome::fine ? "fine" : "damage";
        });
        return visited + " " + result + " " + printed.err;
    };
    EXPECT_EQ(run(1, "", ""), "a fine ");
    EXPECT_EQ(run(1, "", "a"), "a damage ");
    EXPECT_EQ(run(1, "a", ""), "a error ");
    EXPECT_EQ(run(3, "", ""), "abc fine ");
    EXPECT_EQ(run(3, "", "a"), "abc damage ");
    EXPECT_EQ(run(3, "b", ""), "abc damage orbis: b fails\n");
}

TEST(LocationText, IsACommandLineAndAKind) {
    EXPECT_EQ(location_argument("my universe", "it's"), "'my universe' --world 'it'\\''s'");
    EXPECT_EQ(location_argument("universe"), "universe");
    world::Location location;
    location.kind = world::Location::Kind::universe;
    EXPECT_EQ(kind_text(location), "universe");
    location.is_zip = true;
    EXPECT_EQ(kind_text(location), "universe in a zip");
}

TEST(PrintNotes, TellsAllAndWhetherAnyWorldIsUnfinished) {
    world::Location location;
    location.worlds = {named("a"), named("b"), named("c")};
    location.worlds[0].notes = {error(Errc::io, "note 1"), error(Errc::io, "note 2")};
    location.worlds[1].unfinished = error(Errc::truncated, "unfinished");
    location.worlds[1].notes = {*location.worlds[1].unfinished};
    location.worlds[2].notes = {error(Errc::io, "note 3")};
    bool is_unfinished = false;
    const auto print = [&] {
        return test::captured([&] {
                   Console console;
                   is_unfinished = print_notes(console, location);
               })
            .err;
    };
    EXPECT_EQ(print(), "orbis: note 1\norbis: note 2\norbis: unfinished\norbis: note 3\n");
    EXPECT_TRUE(is_unfinished);
    location.worlds[1].unfinished.reset();
    (void)print();
    EXPECT_FALSE(is_unfinished);
}

} // namespace
} // namespace orbis::app
