#include "bytes/hex.hpp"

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

} // namespace orbis
