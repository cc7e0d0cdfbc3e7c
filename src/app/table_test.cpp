#include "app/captured_test.hpp"
#include "app/grouped_lines.hpp"
#include "app/help_text.hpp"
#include "app/live_lines.hpp"
#include "app/table.hpp"

#include <fmt/format.h>

namespace orbis::app {
namespace {

using test::captured;
using test::on_terminal;

std::string utf8(std::uint32_t letter) {
    const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
    if (letter < 0x80) return {byte(letter)};
    if (letter < 0x800) return {byte(0xc0 | letter >> 6), byte(0x80 | (letter & 0x3f))};
    if (letter < 0x10000)
        return {byte(0xe0 | letter >> 12), byte(0x80 | (letter >> 6 & 0x3f)), byte(0x80 | (letter & 0x3f))};
    return {byte(0xf0 | letter >> 18), byte(0x80 | (letter >> 12 & 0x3f)), byte(0x80 | (letter >> 6 & 0x3f)),
            byte(0x80 | (letter & 0x3f))};
}

TEST(LiveTable, ShowsAsManyRowsAsThereIsRoomForAndHowManyMoreThereAre) {
    const auto table = [](std::size_t rows, std::size_t room) {
        std::vector<std::string> lines{"before"};
        add_live_table(lines, "head", rows, room, [](std::size_t row) { return fmt::format("{}", row); });
        return fmt::format("{}", fmt::join(lines, " "));
    };
    EXPECT_EQ(table(3, 4), "before head 0 1 2");
    EXPECT_EQ(table(4, 4), "before head 0 1 and 2 more");
    EXPECT_EQ(table(2, 3), "before head 0 1");
    EXPECT_EQ(table(9, 3), "before head 0 and 8 more");
    EXPECT_EQ(table(9, 2), "before");
    EXPECT_EQ(table(0, 3), "before head");
    EXPECT_TRUE(table(25, 26).ends_with(" 23 24"));
    EXPECT_TRUE(table(1000, 22).ends_with(" 18 19 and 980 more"));
    EXPECT_TRUE(table(1000, 21).ends_with(" 17 18 and 981 more"));
    EXPECT_TRUE(table(1000, 100).ends_with(" 18 19 and 980 more"));
}

TEST(ColumnsOf, EveryRangeBeginsAndEndsWhereItShould) {
    const auto columns = [](std::uint32_t letter) { return columns_of(utf8(letter)); };
    struct Range {
        std::uint32_t first;
        std::uint32_t last;
        std::size_t columns;
    };
    for (const auto& [first, last, wanted] :
         {Range{0x300, 0x36f, 0}, Range{0x200b, 0x200f, 0}, Range{0xfe00, 0xfe0f, 0},
          Range{0x1100, 0x115f, 2}, Range{0x2e80, 0xa4cf, 2}, Range{0xac00, 0xd7a3, 2},
          Range{0xf900, 0xfaff, 2}, Range{0xfe30, 0xfe6f, 2}, Range{0xff00, 0xff60, 2},
          Range{0x1f300, 0x1faff, 2}, Range{0x20000, 0x3fffd, 2}}) {
        EXPECT_EQ(columns(first), wanted) << std::hex << first;
        EXPECT_EQ(columns(last), wanted) << std::hex << last;
        EXPECT_EQ(columns(first - 1), 1U) << std::hex << first - 1;
        EXPECT_EQ(columns(last + 1), 1U) << std::hex << last + 1;
    }
    EXPECT_EQ(columns_of("abc"), 3U);
    EXPECT_EQ(columns_of("äe\u0301日"), 4U);
    EXPECT_EQ(columns_of(""), 0U);
}

TEST(CutTo, TakesExactlyTheColumnsThatThereAre) {
    EXPECT_EQ(cut_to("abcdef", 7), "abcdef");
    EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
    EXPECT_EQ(cut_to("abcdef", 5), "abcd…");
    EXPECT_EQ(cut_to("abcdef", 1), "…");
    EXPECT_EQ(cut_to("abcdef", 0), "");
    EXPECT_EQ(cut_to("", 0), "");
    EXPECT_EQ(cut_to("日本語", 6), "日本語");
    EXPECT_EQ(cut_to("日本語", 5), "日本…");
    EXPECT_EQ(cut_to("日本語", 4), "日…");
}

TEST(PrintRow, IsCompleteWhereThereIsNoTerminal) {
    const auto row = [](std::vector<Cell> cells, Gap gap) {
        return captured([&] {
                   Console console;
                   print_titles(console, cells); // only on terminals
                   print_row(console, cells, gap);
               })
            .out;
    };
    EXPECT_EQ(row({{"a", 4}, {"12", 5, Tone::plain, true}, {"end"}}, Gap::blanks), "a        12  end\n");
    EXPECT_EQ(row({{"a", 3}, {"", 4}, {"z", 3}}, Gap::blanks), "a          z\n");
    EXPECT_EQ(row({{"a", 3}, {"b", 9}, {"", 4}}, Gap::blanks), "a    b\n") << "no blanks at the end";
    EXPECT_EQ(row({{"abcdef", 3}, {"日", 4}, {"z"}}, Gap::blanks), "abcdef  日    z\n");
    EXPECT_EQ(row({{"a\n", 9}, {"", 4}, {"12", 5, Tone::plain, true}}, Gap::tab), "a\\n\t\t12\n");
    EXPECT_EQ(row({{"a\tb", 9}, {"z"}}, Gap::blanks), "a\\tb       z\n");
}

TEST(PrintRow, GivesWayByRankOnANarrowTerminal) {
    const auto row = [](unsigned short width) {
        return on_terminal(width, [] {
            Console console;
            console.set_colour("never");
            print_row(console, {{"name-long-text", 20, Tone::plain, false, 1},
                                {"123", 6, Tone::plain, true, 2},
                                {"the last column"}});
        });
    };
    EXPECT_EQ(row(46), "name-long-text           123  the last column\n") << "16 for the last one";
    EXPECT_EQ(row(45), "name-long-text        the last column\n") << "half a number is another number";
    EXPECT_EQ(row(38), "name-long-text        the last column\n");
    EXPECT_EQ(row(30), "name-long-t…  the last column\n");
    EXPECT_EQ(row(26), "name-lo…  the last column\n") << "a column keeps eight";
    EXPECT_EQ(row(20), "name-lo…  the last …\n");
    EXPECT_EQ(on_terminal(20,
                          [] {
                              Console console;
                              console.set_colour("never");
                              print_row(console, {{"rank 0 stays as it is", 21}, {"gone"}});
                              print_titles(console, {{"Title", 8}, {"Other"}});
                          }),
              "rank 0 stays as it …\nTitle     Other\n");
}

TEST(PrintCut, EndsWhereTheTerminalEnds) {
    const auto cut = [](unsigned short width) {
        return on_terminal(width, [] {
            Console console;
            console.set_colour("never");
            print_cut(console, {{"abc"}, {"def"}, {"gh"}});
        });
    };
    EXPECT_EQ(cut(9), "abcdefgh\n");
    EXPECT_EQ(cut(8), "abcdefgh\n");
    EXPECT_EQ(cut(7), "abcdef…\n");
    EXPECT_EQ(cut(5), "abcd…\n");
    EXPECT_EQ(captured([] {
                  Console console;
                  print_cut(console, {{"abc"}, {"def"}});
              }).out,
              "abcdef\n");
}

TEST(PrintSentence, BreaksBetweenWordsAndOnlyOnATerminal) {
    const std::string_view text = "The quick brown fox jumps";
    const auto print = [&](unsigned short width) {
        return on_terminal(width, [&] {
            Console console;
            console.set_colour("never");
            print_sentence(console, text, Tone::plain, 2);
        });
    };
    EXPECT_EQ(print(27), "  The quick brown fox jumps\n");
    EXPECT_EQ(print(26), "  The quick brown fox\n  jumps\n");
    EXPECT_EQ(print(21), "  The quick brown fox\n  jumps\n");
    EXPECT_EQ(print(20), "  The quick brown\n  fox jumps\n");
    EXPECT_EQ(print(3), "  The quick brown\n  fox jumps\n") << "never narrower than 16";
    EXPECT_EQ(captured([&] {
                  Console console;
                  print_sentence(console, text, Tone::plain, 2);
              }).out,
              "  The quick brown fox jumps\n");
}

TEST(PrintSentence, BreaksAWordThatIsTooLong) {
    EXPECT_EQ(on_terminal(16,
                          [] {
                              Console console;
                              console.set_colour("never");
                              print_sentence(console, "0123456789abcdefXYZ and more");
                          }),
              "0123456789abcdef\nXYZ and more\n");
}

TEST(PrintFact, GoesOnBelowItsText) {
    const auto print = [](unsigned short width, std::string_view line) {
        return on_terminal(width, [&] {
            Console console;
            console.set_colour("never");
            print_fact(console, line);
        });
    };
    EXPECT_EQ(print(34, "  storage   region files in chunks"), "  storage   region files in chunks\n");
    EXPECT_EQ(print(33, "  storage   region files in chunks"),
              "  storage   region files in\n            chunks\n");
    EXPECT_EQ(print(80, "  no label"), "  no label\n");
    EXPECT_EQ(print(80, ""), "\n");
}

TEST(HelpText, ABlankIsAlwaysBetweenANameAndItsText) {
    const auto line = [](std::size_t length) {
        VerbText verb;
        verb.parameters = {{{"--" + std::string(length - 2, 'x')}, "", "Text"}};
        const auto help = help_of(verb);
        const auto begin = help.find("  --");
        return help.substr(begin, help.find("Text") + 4 - begin);
    };
    EXPECT_EQ(line(27), "  --" + std::string(25, 'x') + " Text");
    for (const auto length : {28UL, 29UL, 40UL})
        EXPECT_EQ(line(length), "  --" + std::string(length - 2, 'x') + "\n" + std::string(30, ' ') + "Text");
}

TEST(GroupedLines, CountsAllAndKeepsSome) {
    GroupedLines lines(false);
    Console console;
    EXPECT_EQ(captured([&] {
                  lines.add(console, "b", "title", "1", 2);
                  lines.add(console, "a", "title a", "2", 2);
                  lines.add(console, "b", "title", "3", 2);
                  lines.add(console, "b", "another", "4", 2);
                  lines.add(console, "b", "title", "5", 2);
                  lines.print_all(console);
              }).out,
              "");
    ASSERT_EQ(lines.groups().size(), 2U);
    const auto& first = lines.groups()[0];
    EXPECT_EQ(first.key, "b");
    EXPECT_EQ(first.title, "title");
    EXPECT_TRUE(first.is_mixed) << "once mixed, always mixed";
    EXPECT_EQ(first.count, 4U);
    EXPECT_EQ(first.examples, (std::vector<std::string>{"1", "3"}));
    EXPECT_FALSE(lines.groups()[1].is_mixed);
    EXPECT_EQ(lines.groups()[1].count, 1U);
    EXPECT_EQ(lines.left_out(), 2U);
}

TEST(GroupedLines, KindsBeyondAHundredShareAGroup) {
    GroupedLines lines(false);
    Console console;
    for (int i = 0; i < 103; ++i) lines.add(console, fmt::format("key {}", i), "title", fmt::to_string(i), 2);
    lines.add(console, "key 5", "title", "again", 2);
    ASSERT_EQ(lines.groups().size(), 101U);
    EXPECT_EQ(lines.groups()[99].key, "key 99");
    const auto& other = lines.groups().back();
    EXPECT_EQ(other.key, "other");
    EXPECT_EQ(other.title, "other");
    EXPECT_EQ(other.count, 3U);
    EXPECT_EQ(other.examples, (std::vector<std::string>{"100", "101"}));
    EXPECT_EQ(lines.groups()[5].count, 2U);
    EXPECT_EQ(lines.left_out(), 1U);
}

TEST(GroupedLines, WithAllEveryLineIsPrintedInItsOrder) {
    const std::string long_line(70'000, 'x');
    GroupedLines lines(true);
    Console console;
    const auto printed = captured([&] {
        lines.add(console, "a", "title", "first", 1);
        lines.add(console, "b", "title", std::string_view("two\nlines\0", 10), 1);
        lines.add(console, "a", "title", long_line, 1);
        lines.add(console, "a", "title", "", 1);
        lines.print_all(console);
    });
    EXPECT_EQ(printed.out, "first\ntwo lines \n" + long_line + "\n\n");
    EXPECT_EQ(lines.left_out(), 0U);
    EXPECT_TRUE(lines.groups()[0].examples.empty());
}

TEST(LiveLinesWithoutATerminal, AreOneEveryFiveSeconds) {
    LiveLines lines;
    const auto printed = captured([&] {
        Console console;
        EXPECT_EQ(LiveLines::room(), 1U);
        for (const double second : {0.0, 4.9, 5.0, 5.1, 9.9, 12.0, 16.9, 17.0})
            lines.show(console, second, {fmt::format("at {:.1f}", second), "more"});
        lines.show(console, 99, {});
        lines.clear();
    });
    EXPECT_EQ(printed.err, "at 5.0\nat 12.0\nat 17.0\n");
    EXPECT_EQ(printed.out, "");
}

} // namespace
} // namespace orbis::app
