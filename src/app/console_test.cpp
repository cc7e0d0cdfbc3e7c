#include "app/captured_test.hpp"
#include "app/console.hpp"

#include <csignal>
#include <fcntl.h>
#include <limits>

namespace orbis::app {
namespace {

using test::captured;
using test::on_terminal;

TEST(HumanText, ChangesItsUnitExactlyAtTheLimit) {
    EXPECT_EQ(human_bytes(0), "0 bytes");
    EXPECT_EQ(human_bytes(1), "1 byte");
    EXPECT_EQ(human_bytes(1023), "1023 bytes");
    EXPECT_EQ(human_bytes(1024), "1.0 KiB");
    EXPECT_EQ(human_bytes(1536), "1.5 KiB");
    EXPECT_EQ(human_bytes((1 << 20) - 1), "1024.0 KiB");
    EXPECT_EQ(human_bytes(1 << 20), "1.0 MiB");
    EXPECT_EQ(human_bytes(1ULL << 30), "1.0 GiB");
    EXPECT_EQ(human_bytes(1ULL << 40), "1.0 TiB");
    EXPECT_EQ(human_bytes(1ULL << 50), "1.0 PiB");
    EXPECT_EQ(human_bytes(1ULL << 60), "1.0 EiB");
    EXPECT_EQ(human_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(HumanText, GroupsDigitsAndCountsThings) {
    EXPECT_EQ(human_count(0), "0");
    EXPECT_EQ(human_count(999), "999");
    EXPECT_EQ(human_count(1000), "1,000");
    EXPECT_EQ(human_count(999'999), "999,999");
    EXPECT_EQ(human_count(1'000'000), "1,000,000");
    EXPECT_EQ(human_count(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
    EXPECT_EQ(counted(0, "chunk"), "0 chunks");
    EXPECT_EQ(counted(1, "chunk"), "1 chunk");
    EXPECT_EQ(counted(2, "chunk"), "2 chunks");
    EXPECT_EQ(counted(12'345, "chunk"), "12,345 chunks");
}

TEST(WriteError, HasEveryFieldThatIsThereAndNoOther) {
    JsonWriter all;
    write_error(all, error(Errc::bad_value, "wrong \"text\"")
                         .in_file("folder/file")
                         .at(ChunkPos{-3, 4})
                         .about("Block")
                         .at(std::uint64_t{0})
                         .advise("do this"));
    EXPECT_EQ(all.text(), R"({"code":"bad_value","message":"wrong \"text\"","file":"folder/file",)"
                          R"("subject":"chunk -3,4, Block","offset":0,"advice":"do this"})");
    JsonWriter little;
    write_error(little, error(Errc::io, "wrong"));
    EXPECT_EQ(little.text(), R"({"code":"io","message":"wrong"})");
}

TEST(ConsoleOutput, EveryLineIsPrintableButJsonIsAsItIs) {
    const std::string hostile = "a\tb\x1b[31m\nc";
    EXPECT_EQ(captured([&] {
                  Console console;
                  console.line(hostile);
                  console.line({{"x\n"}, {hostile}});
              }).out,
              "a\tb\\x1b[31m\\nc\nx\\na\tb\\x1b[31m\\nc\n");
    EXPECT_EQ(captured([&] {
                  Console console;
                  console.set_json(true);
                  console.line(hostile);
              }).out,
              hostile + "\n");
    EXPECT_EQ(captured([&] {
                  Console console;
                  console.indented_json(R"({"a":1})");
                  console.bytes(as_bytes(hostile));
              }).out,
              "{\n  \"a\": 1\n}\n" + hostile);
}

TEST(ConsoleOutput, QuietSilencesNotesAndNotProblems) {
    for (const bool quiet : {false, true}) {
        const auto printed = captured([&] {
            Console console;
            console.set_quiet(quiet);
            console.note("a note");
            console.problem(error(Errc::io, "a problem").in_file("file").advise("advice"));
            console.warn(error(Errc::io, "a warning"));
        });
        EXPECT_EQ(printed.out, "");
        EXPECT_EQ(printed.err, std::string(quiet ? "" : "a note\n")
                                   + "orbis: file: a problem (advice)\norbis: a warning\n");
    }
    EXPECT_EQ(captured([] {
                  Console console;
                  console.set_json(true);
                  console.set_quiet(true);
                  console.problem(error(Errc::no_space, "full"));
              }).err,
              "{\"error\":{\"code\":\"no_space\",\"message\":\"full\"}}\n");
}

TEST(ConsoleOutput, EveryToneHasItsColourWhereColoursAreWanted) {
    const auto print = [](const char* colour, bool json) {
        return captured([&] {
            Console console;
            console.set_colour(colour);
            console.set_json(json);
            console.line({{"p"},
                          {"g", Tone::good},
                          {"w", Tone::warning},
                          {"b", Tone::bad},
                          {"f", Tone::faint},
                          {"h", Tone::heading},
                          {"", Tone::bad}});
            console.problem(error(Errc::io, "orbis: twice"));
            console.note("plain orbis: note");
        });
    };
    const auto coloured = print("always", false);
    EXPECT_EQ(coloured.out,
              "p\x1b[32mg\x1b[0m\x1b[33mw\x1b[0m\x1b[31mb\x1b[0m\x1b[2mf\x1b[0m\x1b[1mh\x1b[0m\n");
    EXPECT_EQ(coloured.err, "\x1b[31morbis:\x1b[0m orbis: twice\nplain orbis: note\n");
    for (const auto* never : {"never", "auto"}) {
        EXPECT_EQ(print(never, false).out, "pgwbfh\n") << never;
        EXPECT_EQ(print(never, false).err, "orbis: orbis: twice\nplain orbis: note\n") << never;
    }
    EXPECT_EQ(print("always", true).out, "pgwbfh\n") << "JSON never has colours";
}

TEST(ConsoleOutput, ATerminalHasColoursUnlessTheEnvironmentRefusesThem) {
    const auto print = [] {
        return on_terminal(80, [] {
            Console console;
            console.line({{"bad", Tone::bad}});
        });
    };
    const auto set = [](const char* name, const char* value) {
        value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    };
    struct Row {
        const char* no_color;
        const char* terminal;
        bool is_coloured;
    };
    const auto* const old_terminal = std::getenv("TERM");
    const std::string kept = old_terminal == nullptr ? "" : old_terminal;
    for (const auto& [no_color, terminal, is_coloured] :
         {Row{nullptr, "xterm", true}, Row{"", "xterm", true}, Row{"1", "xterm", false},
          Row{nullptr, "dumb", false}, Row{nullptr, nullptr, true}}) {
        set("NO_COLOR", no_color);
        set("TERM", terminal);
        EXPECT_EQ(print(), is_coloured ? "\x1b[31mbad\x1b[0m\n" : "bad\n");
    }
    set("NO_COLOR", nullptr);
    set("TERM", kept.empty() ? nullptr : kept.c_str());
}

TEST(ConsoleOutput, OnlyLinesAtTheLeftThatEndInAColonAreHeadings) {
    EXPECT_EQ(captured([] {
                  Console console;
                  console.set_colour("always");
                  console.page("Options:\n  --x:\n\nlast line");
                  console.page("");
              }).out,
              "\x1b[1mOptions:\x1b[0m\n  --x:\n\nlast line\n");
}

TEST(ConsoleOutput, TheWidthIsThatOfTheTerminalOrOfTheEnvironment) {
    EXPECT_EQ(captured([] { EXPECT_EQ(Console::data_width(), 0U) << "no terminal"; }).out, "");
    std::vector<std::size_t> widths;
    const auto note = [&] { widths.push_back(Console::data_width()); };
    (void)on_terminal(61, note);
    (void)on_terminal(0, note);
    for (const auto* columns : {"44", "0", "44x", "-1", ""}) {
        (void)on_terminal(61, [&] {
            setenv("COLUMNS", columns, 1);
            note();
            unsetenv("COLUMNS");
        });
    }
    EXPECT_EQ(widths, (std::vector<std::size_t>{61, 80, 44, 61, 61, 61, 61}));
}

TEST(ConsoleOutput, AFullDiskIsAnErrorOfItsOwnAndAGoneReaderIsNone) {
    const auto flushed = [](int descriptor) {
        std::fflush(stdout);
        const int kept = dup(STDOUT_FILENO);
        dup2(descriptor, STDOUT_FILENO);
        close(descriptor);
        Console console;
        console.line("text");
        auto done = console.flush();
        dup2(kept, STDOUT_FILENO);
        close(kept);
        std::clearerr(stdout);
        return done;
    };
    const auto full = flushed(open("/dev/full", O_WRONLY | O_CLOEXEC));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, Errc::no_space);
    EXPECT_EQ(full.error().file, "stdout");
    const auto closed = flushed(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().code, Errc::io);
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(pipe(pipe_ends.data()), 0);
    close(pipe_ends[0]);
    auto* const old = std::signal(SIGPIPE, SIG_IGN);
    EXPECT_TRUE(flushed(pipe_ends[1]));
    std::signal(SIGPIPE, old);
}

} // namespace
} // namespace orbis::app
