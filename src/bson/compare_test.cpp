#include "bson/compare.hpp"
#include "bson/extended_json.hpp"
#include "bson/view.hpp"
#include "bson/writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

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

TEST(SameContent, OfEqualKeysTheOrderCounts) {
    Buffer one;
    Writer(one).int32("k", 1).int32("k", 2).finish();
    Buffer other;
    Writer(other).int32("k", 2).int32("k", 1).finish();
    EXPECT_FALSE(same_content(*Document::open(one), *Document::open(other)));
    Buffer more;
    Writer(more).int32("a", 0).int32("k", 1).int32("k", 2).finish();
    Buffer moved;
    Writer(moved).int32("k", 1).int32("a", 0).int32("k", 2).finish();
    EXPECT_TRUE(same_content(*Document::open(more), *Document::open(moved)));
}

TEST(SameContent, IsLookedForAsDeepAsDocumentsMayBe) {
    for (const int depth : {k_max_depth, k_max_depth + 1}) {
        std::string left = R"({"x":1,"y":2})";
        std::string right = R"({"y":2,"x":1})";
        auto a = from_extended_json(left).value();
        auto b = from_extended_json(right).value();
        for (int i = 1; i < depth; ++i) {
            for (auto* bytes : {&a, &b}) {
                Buffer outer;
                Writer(outer).document("d", *bytes).finish();
                *bytes = std::move(outer);
            }
        }
        EXPECT_EQ(same_content(*Document::open(a), *Document::open(b)), depth <= k_max_depth) << depth;
    }
}

} // namespace
} // namespace orbis::bson
