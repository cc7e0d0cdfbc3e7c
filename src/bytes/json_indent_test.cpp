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

} // namespace
} // namespace orbis
