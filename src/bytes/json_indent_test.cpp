#include "bytes/json_indent.hpp"
#include "bytes/json_nesting.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

TEST(IndentJson, PutsOneMemberOnALineAndShortListsOnOne) {
    EXPECT_EQ(indent_json(R"({"a":1,"list":[1,"x,y:{",{"b":null}],"none":{}})"),
              "{\n  \"a\": 1,\n  \"list\": [1, \"x,y:{\", {\"b\": null}],\n  \"none\": {}\n}");
}

TEST(IndentJson, DoesNotCareAboutTheWhiteSpaceThatIsThere) {
    EXPECT_EQ(indent_json("{ \"a\" :\n[ 1 , { \"b\": \" x \" } ]}"), "{\n  \"a\": [1, {\"b\": \" x \"}]\n}");
}

TEST(IndentJson, BreaksWhatIsTooLongForALine) {
    const std::string word(60, 'w');
    EXPECT_EQ(indent_json("{\"a\":[\"" + word + "\",\"" + word + "\"]}"),
              "{\n  \"a\": [\n    \"" + word + "\",\n    \"" + word + "\"\n  ]\n}");
}

TEST(IndentJson, LeavesStringsAsTheyAre) {
    EXPECT_EQ(indent_json(R"({"k":"a\"b,\\","m":""})"), "{\n  \"k\": \"a\\\"b,\\\\\",\n  \"m\": \"\"\n}");
}

TEST(IndentJson, SurvivesTextThatIsNotJson) {
    for (const auto* text : {"", "{", "]", "\"", "\"\\", "[[[[", "}}}", "{\"a\"", ",:,"})
        EXPECT_LE(indent_json(text).size(), 200U) << text;
}

TEST(DeepNesting, IsFoundExactlyAboveTheLimitAndNotInTexts) {
    EXPECT_EQ(find_deep_nesting("[[[1]]]", 3), std::nullopt);
    EXPECT_EQ(find_deep_nesting("[[[1]]]", 2), 2U);
    EXPECT_EQ(find_deep_nesting(R"({"a":[{}]})", 3), std::nullopt);
    EXPECT_EQ(find_deep_nesting(R"({"a":[{}]})", 2), 6U);
    EXPECT_EQ(find_deep_nesting("[][][][]", 1), std::nullopt) << "beside each other";
    EXPECT_EQ(find_deep_nesting(R"(["[[[[", "{{{{"])", 1), std::nullopt);
    EXPECT_EQ(find_deep_nesting(R"(["\"[[[["])", 1), std::nullopt) << "an escaped quote ends no text";
    EXPECT_EQ(find_deep_nesting(R"(["\\",[[]]])", 2), 7U) << "an escaped backslash escapes nothing";
    EXPECT_EQ(find_deep_nesting("", 0), std::nullopt);
    EXPECT_EQ(find_deep_nesting("{", 0), 0U);
}

TEST(IndentJson, ALineHasItsWidthExactly) {
    // At depth 1 there is room for 98 characters, at depth 2 for 96.
    const auto list = [](std::size_t length) { return "[\"" + std::string(length - 4, 'w') + "\"]"; };
    EXPECT_EQ(indent_json("{\"a\":" + list(98) + "}"), "{\n  \"a\": " + list(98) + "\n}");
    EXPECT_NE(indent_json("{\"a\":" + list(99) + "}"), "{\n  \"a\": " + list(99) + "\n}");
    const std::string filler(200, 'f');
    const auto deep = [&](const std::string& inner) {
        return "{\"o\":{\"f\":\"" + filler + "\",\"a\":" + inner + "}}";
    };
    const auto stays = [&](const std::string& inner) {
        return indent_json(deep(inner)).find("\"a\": " + inner + "\n") != std::string::npos;
    };
    EXPECT_TRUE(stays(list(96)));
    EXPECT_FALSE(stays(list(97)));
}

TEST(WideObject, IsFoundExactlyAboveTheLimitAndNotInTexts) {
    EXPECT_EQ(find_wide_object(R"({"a":1,"b":2})", 2), std::nullopt);
    EXPECT_EQ(find_wide_object(R"({"a":1,"b":2,"c":3})", 2), 16U);
    EXPECT_EQ(find_wide_object(R"([{"a":1,"b":2},{"c":1,"d":2}])", 2), std::nullopt) << "each has its own";
    EXPECT_EQ(find_wide_object(R"({"a":{"x":1,"y":2},"b":2})", 2), std::nullopt);
    EXPECT_EQ(find_wide_object(R"({"a":{"x":1,"y":2},"b":2,"c":3})", 2), 28U) << "the outer one goes on";
    EXPECT_EQ(find_wide_object(R"({"a":"::::","\":":":"})", 2), std::nullopt);
    EXPECT_EQ(find_wide_object(R"({"a":"\\","b":1,"c":1})", 2), 19U);
    EXPECT_EQ(find_wide_object("}]::", 1), 3U);
    std::string wide = "{";
    for (int i = 0; i < 20'000; ++i) wide += "\"k\":0,";
    EXPECT_EQ(find_wide_object(wide), std::nullopt);
    EXPECT_EQ(find_wide_object(wide + "\"k\":0"), wide.size() + 3);
}

} // namespace
} // namespace orbis
