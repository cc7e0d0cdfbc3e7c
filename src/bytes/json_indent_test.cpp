#include "bytes/json_indent.hpp"

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

} // namespace
} // namespace orbis
