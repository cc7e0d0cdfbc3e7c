#include "net/base64url.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orbis::net {
namespace {

TEST(Base64url, WritesTheExamplesOfTheStandard) {
    EXPECT_EQ(to_base64url({}), "");
    EXPECT_EQ(to_base64url(as_bytes("f")), "Zg");
    EXPECT_EQ(to_base64url(as_bytes("fo")), "Zm8");
    EXPECT_EQ(to_base64url(as_bytes("foo")), "Zm9v");
    EXPECT_EQ(to_base64url(as_bytes("foob")), "Zm9vYg");
    EXPECT_EQ(to_base64url(as_bytes("fooba")), "Zm9vYmE");
    EXPECT_EQ(to_base64url(as_bytes("foobar")), "Zm9vYmFy");
    EXPECT_EQ(to_base64url(Buffer{0xfb, 0xff, 0xfe}), "-__-");
}

TEST(Base64url, RefusesWhatIsNotStrict) {
    for (const auto* text : {"Z", "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm9+", "Zm9/", "Zm9vY", "Zm\xc3\xa9v"})
        EXPECT_FALSE(from_base64url(text)) << text;
    // `Zh` has bits that no byte uses: it must not be a second name of `Zg`.
    EXPECT_TRUE(from_base64url("Zg"));
    EXPECT_FALSE(from_base64url("Zh"));
    EXPECT_FALSE(from_base64url("Zm9"));
    EXPECT_FALSE(from_base64url(std::string_view("Zm9\0", 4)));
}

RC_GTEST_PROP(Base64url, ReadsBackWhatItWrote, (const Buffer& bytes)) {
    const auto text = to_base64url(bytes);
    RC_ASSERT(text.size() == (bytes.size() * 8 + 5) / 6);
    RC_ASSERT(from_base64url(text) == bytes);
}

RC_GTEST_PROP(Base64url, WhateverIsReadIsWrittenTheSame, (const std::string& text)) {
    if (const auto bytes = from_base64url(text)) RC_ASSERT(to_base64url(*bytes) == text);
}

} // namespace
} // namespace orbis::net
