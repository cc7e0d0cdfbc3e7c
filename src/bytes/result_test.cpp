#include "bytes/result.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

TEST(Error, SaysPlaceProblemAndAdviceInOneLine) {
    const auto whole = error(Errc::bad_magic, "expected {}, found {}", "A", "B")
                           .in_file("w/0.0.region.bin")
                           .about("region 0.0")
                           .at(20)
                           .advise("run x");
    EXPECT_EQ(whole.text(), "w/0.0.region.bin: region 0.0, offset 20: expected A, found B (run x)");
    EXPECT_EQ(error(Errc::io, "no").text(), "no");
    EXPECT_EQ(error(Errc::io, "no").at(3).text(), "offset 3: no");
}

TEST(Error, TheInnermostPlaceWins) {
    const auto inner = error(Errc::truncated, "short").at(7).in_file("inner").in_file("outer").at(0);
    EXPECT_EQ(inner.file, "inner");
    EXPECT_EQ(inner.offset, 7U);
}

Result<int> half(int value) {
    if (value % 2 != 0) return fail(Errc::bad_value, "{} is odd", value);
    return value / 2;
}

Result<int> quarter(int value) {
    TRY(const int once, half(value));
    TRY(const int twice, half(once));
    return twice;
}

TEST(Try, HandsTheErrorOnOrDeclaresTheValue) {
    EXPECT_EQ(quarter(12).value(), 3);
    EXPECT_EQ(quarter(6).error().problem, "3 is odd");
}

} // namespace
} // namespace orbis
