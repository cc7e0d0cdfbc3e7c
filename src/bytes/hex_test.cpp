#include "bytes/hex.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orbis {

RC_GTEST_PROP(Hex, BytesComeBack, (const Buffer& bytes)) {
    const auto text = to_hex(bytes);
    RC_ASSERT(text.size() == 2 * bytes.size());
    RC_ASSERT(from_hex(text) == bytes);
}

TEST(Hex, DigitsOfBothCasesAreReadAndNothingElse) {
    EXPECT_EQ(from_hex("0aF9"), (Buffer{0x0a, 0xf9}));
    EXPECT_EQ(from_hex(""), Buffer{});
    for (const std::string_view bad : {"0", "0g", "g0", " 0", "+1", "-1", "0x", "00 ", "\xff\xff"})
        EXPECT_EQ(from_hex(bad), std::nullopt) << bad;
    EXPECT_EQ(to_hex(Buffer{0x00, 0xab}), "00ab");
}

TEST(Hex, HexAsPeopleCopyItIsReadToo) {
    const Buffer bytes{0x2a, 0x00, 0xff};
    for (const std::string_view text : {"2a00ff", "2A 00 FF", "2a:00:ff", "2a-00-ff", "0x2a00ff",
                                        "0x2a, 0x00, 0xff", " 2a\n00\r\nff\n", "0X2a\t0x00ff"})
        EXPECT_EQ(from_loose_hex(text), bytes) << text;
    EXPECT_EQ(from_loose_hex(" \n"), Buffer{});
}

TEST(Hex, WhatIsNotHexIsRefusedWithItsPlace) {
    const auto place = [](std::string_view text) {
        const auto read = from_loose_hex(text);
        return read ? std::string("read")
                    : fmt::format("{} {}", name(read.error().code), *read.error().offset);
    };
    EXPECT_EQ(place("2a0g"), "bad_text 3");
    EXPECT_EQ(place("2a0"), "bad_text 3");
    EXPECT_EQ(place("2 a"), "bad_text 1");
    EXPECT_EQ(place("{\"a\"}"), "bad_text 0");
    EXPECT_EQ(place("00x1"), "bad_text 2");
    EXPECT_EQ(place("0x0x2a"), "bad_text 3");
}

} // namespace orbis
