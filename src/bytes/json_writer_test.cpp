#include "bytes/json_writer.hpp"
#include "bytes/utf8.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace orbis {
namespace {

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
    JsonWriter json;
    json.object().member("x", 3).key("list").array().number(1).string("a").object().end().end();
    json.key("none").null().member("yes", true).end();
    EXPECT_EQ(json.text(), R"({"x":3,"list":[1,"a",{}],"none":null,"yes":true})");
}

TEST(JsonWriter, EscapesOnlyWhatJsonNeeds) {
    std::string out;
    append_json_string(out, "a\"\\\b\t\n\f\r\x01\x1f/é€😀");
    EXPECT_EQ(out, R"("a\"\\\b\t\n\f\r\u0001\u001f/é€😀")");
}

TEST(JsonWriter, BytesThatAreNotUtf8BecomeReplacementCharacters) {
    std::string out;
    append_json_string(out, "a\xFF\xC0\x80z");
    EXPECT_EQ(out, "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"");
}

TEST(JsonWriter, NumbersReadBackAsThemselves) {
    JsonWriter json;
    json.array()
        .number(std::numeric_limits<std::int64_t>::min())
        .number(std::uint64_t{18446744073709551615U});
    json.real(0.1).real(1e300).real(std::numeric_limits<double>::quiet_NaN()).end();
    EXPECT_EQ(json.text(), R"([-9223372036854775808,18446744073709551615,0.1,1e+300,"NaN"])");
}

TEST(Utf8, KnowsWellFormedSequencesFromOthers) {
    EXPECT_TRUE(is_utf8("plain ascii of some length é € 😀"));
    for (const std::string_view bad :
         {"\xC0\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\x80", "\xE2\x82"})
        EXPECT_EQ(utf8_valid_prefix(std::string("0123456789") + std::string(bad)), 10U);
}

} // namespace
TEST(Utf8, ShortTextsAreJudgedLikeLongOnes) {
    // Every sequence of up to three bytes that matter, at every place of a short text and after long ones.
    const std::string bytes(
        "a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff");
    for (const char one : bytes)
        for (const char two : bytes)
            for (const char three : bytes)
                for (const std::string end : {"", "b", "\x80", "\x80\x80"}) {
                    const auto part = std::string{one, two, three} + end;
                    const bool sound = utf8_valid_prefix(part) == part.size();
                    for (const std::size_t before :
                         {0U, 1U, 14U, 15U, 40U, 56U, 57U, 58U, 59U, 60U, 70U, 120U, 121U, 122U}) {
                        ASSERT_EQ(is_utf8(std::string(before, 'x') + part), sound);
                        if (before > 50) {
                            ASSERT_EQ(is_utf8(std::string(before, 'x') + part + std::string(70, 'x')), sound);
                        }
                    }
                }
}

TEST(JsonWriter, InfinitiesKeepTheirSignAndAClearedWriterStartsAgain) {
    JsonWriter json;
    const auto infinite = std::numeric_limits<double>::infinity();
    json.array().real(infinite).real(-infinite).real(-0.5).end();
    EXPECT_EQ(json.text(), R"(["Infinity","-Infinity",-0.5])");
    json.clear();
    json.object().member("a", 1).member("b", "text").member("c", 2.5);
    json.clear();
    json.object().key("x").array().end().key("y").object().end().end();
    EXPECT_EQ(json.take(), R"({"x":[],"y":{}})");
    EXPECT_EQ(json.text(), "");
}

} // namespace orbis
