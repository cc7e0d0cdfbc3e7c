#include "bytes/json_reader.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace orbis {
namespace {

/// The text of the one value in it; nothing if it is not JSON.
std::optional<std::string> skipped(std::string_view text) {
    JsonReader in(text);
    const std::string value(in.skip());
    return in.finish() ? std::optional(value) : std::nullopt;
}

TEST(JsonReader, StepsThroughObjectsAndLists) {
    JsonReader in(R"( {"a": [1, -2 ,{}, []], "b":{"c" : "\u00e9\n"}, "d":null} )");
    std::string key;
    std::string seen;
    ASSERT_TRUE(in.object());
    while (in.next_member(key)) {
        seen += key;
        if (key == "a") {
            in.array();
            ASSERT_TRUE(in.next_element());
            EXPECT_EQ(in.integer(0, 5), 1);
            ASSERT_TRUE(in.next_element());
            EXPECT_EQ(in.integer(-5, 5), -2);
            while (in.next_element()) seen += in.skip();
        } else if (key == "b") {
            std::string text;
            ASSERT_TRUE(in.object() && in.next_member(key) && in.string(text));
            EXPECT_EQ(text, "é\n");
            EXPECT_FALSE(in.next_member(key));
        } else {
            EXPECT_EQ(in.skip(), "null");
        }
    }
    EXPECT_TRUE(in.finish()) << in.error().text();
    EXPECT_EQ(seen, "a{}[]bd");
}

TEST(JsonReader, SaysWhatItExpectedAndWhere) {
    const auto number = [](std::string_view text) {
        JsonReader in(text);
        (void)in.integer(0, 15);
        return in.error().text();
    };
    EXPECT_EQ(number("\"7\""), "offset 0: expected a number, found text");
    EXPECT_EQ(number(" 16"), "offset 1: expected a whole number from 0 to 15, found 16");
    EXPECT_EQ(number("1.0"), "offset 0: expected a whole number from 0 to 15, found 1.0");
    EXPECT_EQ(number("99999999999999999999"),
              "offset 0: expected a whole number from 0 to 15, found 99999999999999999999");
    EXPECT_EQ(number("x"), "offset 0: expected JSON, found \"x\"");
    EXPECT_EQ(number(""), "offset 0: expected JSON, found nothing");
    JsonReader in("[1");
    ASSERT_TRUE(in.array() && in.next_element());
    (void)in.integer(0, 9);
    EXPECT_FALSE(in.next_element());
    EXPECT_EQ(in.error().text(), "offset 2: the JSON ends too early");
}

TEST(JsonReader, RefusesWhatIsNestedTooDeeply) {
    const auto nested = [](int depth) {
        return std::string(static_cast<std::size_t>(depth), '[')
               + std::string(static_cast<std::size_t>(depth), ']');
    };
    EXPECT_TRUE(skipped(nested(JsonReader::k_max_depth)));
    JsonReader in(std::string_view{});
    const auto deep = nested(1'000'000);
    in = JsonReader(deep);
    (void)in.skip();
    EXPECT_EQ(in.error().code, Errc::too_deep);
}

TEST(JsonReader, AgreesWithAnotherParserAboutWhatIsJson) {
    for (const std::string_view text : {"0",
                                        "-0",
                                        "01",
                                        "-",
                                        "1.",
                                        ".5",
                                        "1e5",
                                        "1E+5",
                                        "1e",
                                        "1e+",
                                        "[1,]",
                                        "[,1]",
                                        "{,}",
                                        "{\"a\":1,}",
                                        "{\"a\"}",
                                        "{a:1}",
                                        "[1 2]",
                                        "true",
                                        "tru",
                                        "nul",
                                        "null ",
                                        "\"\\u12\"",
                                        "\"\\ud83d\\ude00\"",
                                        "\"\\ud83d\"",
                                        "\"\\ude00\"",
                                        "\"\\x\"",
                                        "\"\x01\"",
                                        "\"\xFF\"",
                                        "\"",
                                        "\"\\",
                                        "[",
                                        "{",
                                        "{\"a\":",
                                        "{\"a\":1",
                                        "[]]",
                                        "[}",
                                        "{]",
                                        "1 1",
                                        "",
                                        " ",
                                        "\"\\u0000\"",
                                        "[true,false,null]",
                                        "truefalse"})
        EXPECT_EQ(skipped(text).has_value(), nlohmann::json::accept(text)) << text;
}

RC_GTEST_PROP(JsonReader, EveryCutAndChangeOfAJsonTextIsReadAsAnotherParserReadsIt, ()) {
    static const std::string k_text =
        R"({"a":[1,-2.5e3,true,null,"x\u00e9\"\\"],"b":{"c":{},"d":[[],[{}]]},"e":0})";
    auto text = k_text;
    const auto cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    if (*rc::gen::arbitrary<bool>()) text.resize(cut);
    for (int i = *rc::gen::inRange(0, 3); i > 0 && !text.empty(); --i)
        text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::elementOf(k_text);
    RC_ASSERT(skipped(text).has_value() == nlohmann::json::accept(text));
}

RC_GTEST_PROP(JsonReader, TextsAreReadAsAnotherParserReadsThem, ()) {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "\"", "\\", "/", "\n", std::string(1, '\0'), "\x1f", "\x7f", "é", "€", "😀", "\uFFFD"));
    std::string any;
    for (const auto& piece : pieces) any += piece;
    const auto text = nlohmann::json(any).dump(-1, ' ', *rc::gen::arbitrary<bool>()); // with escapes or raw
    JsonReader in(text);
    std::string out;
    RC_ASSERT(in.string(out) && in.finish());
    RC_ASSERT(out == any);
}

} // namespace
} // namespace orbis
