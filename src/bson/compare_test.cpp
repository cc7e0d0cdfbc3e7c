#include "bson/compare.hpp"
#include "bson/extended_json.hpp"

#include <gtest/gtest.h>

namespace orbis::bson {
namespace {

bool same(std::string_view a, std::string_view b) {
    const auto left = from_extended_json(a).value();
    const auto right = from_extended_json(b).value();
    const bool same = same_content(*Document::open(left), *Document::open(right));
    EXPECT_EQ(same_content(*Document::open(right), *Document::open(left)), same);
    return same;
}

TEST(SameContent, TheOrderOfKeysMeansNothingAtAnyDepth) {
    EXPECT_TRUE(same(R"({"a":1,"b":{"c":true,"d":"x"}})", R"({"b":{"d":"x","c":true},"a":1})"));
    EXPECT_TRUE(same(R"({"a":[{"x":1,"y":2}]})", R"({"a":[{"y":2,"x":1}]})"));
}

TEST(SameContent, ValuesTypesKeysAndTheOrderInArraysDo) {
    EXPECT_FALSE(same(R"({"a":1})", R"({"a":2})"));
    EXPECT_FALSE(same(R"({"a":1})", R"({"b":1})"));
    EXPECT_FALSE(same(R"({"a":1})", R"({"a":1,"b":1})"));
    EXPECT_FALSE(same(R"({"a":1.0})", R"({"a":4607182418800017408})")) << "the same bytes as another type";
    EXPECT_FALSE(same(R"({"a":[1,2]})", R"({"a":[2,1]})"));
    EXPECT_FALSE(same(R"({"a":{"0":1}})", R"({"a":[1]})"));
}

TEST(SameContent, DamagedDocumentsAreTheSameOnlyByteForByte) {
    auto sound = from_extended_json(R"({"a":1,"b":"text"})").value();
    auto damaged = sound;
    damaged[4] = 0x55; // no such type
    auto other = damaged;
    other[7] = 9;
    EXPECT_TRUE(same_content(*Document::open(damaged), *Document::open(damaged)));
    EXPECT_FALSE(same_content(*Document::open(damaged), *Document::open(other)));
    EXPECT_FALSE(same_content(*Document::open(sound), *Document::open(damaged)));
}

} // namespace
} // namespace orbis::bson
