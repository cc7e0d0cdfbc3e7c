#include "http/target.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orbis::http {
namespace {

using Names = std::vector<std::string>;

TEST(Target, IsTakenApartAndDecodedOnce) {
    const auto target = parse_target("/api/tile/my%20world/slice@64/0/-1.2?q=red%20wool+x&kind=a,b&flag");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->path, (Names{"api", "tile", "my world", "slice@64", "0", "-1.2"}));
    EXPECT_EQ(target->value("q"), "red wool x");
    EXPECT_EQ(target->value("kind"), "a,b");
    EXPECT_EQ(target->value("flag"), "");
    EXPECT_FALSE(target->value("other"));
    EXPECT_EQ(parse_target("/a%2541")->path, Names{"a%41"});
    EXPECT_EQ(parse_target("/a%41")->path, Names{"aA"}) << "at the end";
    EXPECT_EQ(parse_target("/%7e%C3%bc")->path, Names{"~\u00fc"});
    EXPECT_EQ(parse_target("/a?b=%2B+%26&b=2")->value("b"), "+ &") << "the first";
    EXPECT_EQ(parse_target("/a+b")->path, Names{"a+b"}) << "a plus is a space in a query alone";
    EXPECT_TRUE(parse_target("/")->path.empty());
    EXPECT_TRUE(parse_target("/?a=1")->path.empty());
}

TEST(Target, NamesThatAreNotPlainAreRefused) {
    for (const char* bad : {"",
                            "a",
                            "*",
                            "http://localhost/",
                            "//",
                            "//etc/passwd",
                            "/a//b",
                            "/a/",
                            "/.",
                            "/..",
                            "/a/../b",
                            "/a/..",
                            "/%2e",
                            "/%2e%2e",
                            "/%2E%2e/x",
                            "/.%2e/x",
                            "/a%2fb",
                            "/a%2Fb",
                            "/..%2f..%2fetc",
                            "/a\\b",
                            "/a%5cb",
                            "/..%5c..",
                            "/a%00",
                            "/%00",
                            "/a%0a",
                            "/a%7f",
                            "/a\x01",
                            "/%",
                            "/%4",
                            "/%zz",
                            "/%c0%ae%c0%ae",
                            "/%ff",
                            "/a?b=%00",
                            "/a?%ff=1",
                            "/a?b=%1"})
        EXPECT_FALSE(parse_target(bad)) << bad;
}

TEST(Target, VeryLongOnesAreRefused) {
    EXPECT_TRUE(parse_target("/" + std::string(k_longest_target - 1, 'a')));
    const auto refused = parse_target("/" + std::string(k_longest_target, 'a'));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::too_large);
}

RC_GTEST_PROP(TargetProperty, WhatIsAcceptedHasOnlyPlainNames, (std::string raw)) {
    const auto target = parse_target("/" + raw);
    if (!target) return;
    for (const auto& name : target->path) {
        RC_ASSERT(!name.empty() && name != "." && name != "..");
        RC_ASSERT(name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos);
    }
}

TEST(TileName, HasOneFormForEachPlace) {
    EXPECT_EQ(parse_tile_name("-12.3"), std::pair(-12, 3));
    EXPECT_EQ(parse_tile_name("0.0"), std::pair(0, 0));
    EXPECT_EQ(parse_tile_name("2147483647.-2147483648"), std::pair(INT32_MAX, INT32_MIN));
    for (const char* bad : {"", ".", "1", "1.", ".1", "+1.0", "01.0", "-0.0", "1.2.3", "1,2", " 1.2", "1.2 ",
                            "0x1.0", "2147483648.0", "1e3.0", "--1.0", "-.0"})
        EXPECT_FALSE(parse_tile_name(bad)) << bad;
}

} // namespace
} // namespace orbis::http
