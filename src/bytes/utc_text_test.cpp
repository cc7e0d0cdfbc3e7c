#include "bytes/utc_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace orbis {
namespace {

std::chrono::sys_seconds moment(std::int64_t seconds) {
    return std::chrono::sys_seconds(std::chrono::seconds(seconds));
}

TEST(UtcText, EachFormIsTheSameTime) {
    const auto time = moment(1'769'832'012);
    EXPECT_EQ(utc_text(time, UtcForm::date), "2026-01-31");
    EXPECT_EQ(utc_text(time, UtcForm::date_time), "2026-01-31 04:00:12");
    EXPECT_EQ(utc_text(time, UtcForm::iso), "2026-01-31T04:00:12Z");
    EXPECT_EQ(utc_text(time, UtcForm::iso_name), "2026-01-31T04-00-12Z");
    EXPECT_EQ(utc_text(time, UtcForm::backup_name), "2026-01-31_04-00-12");
}

TEST(UtcText, TimesAtTheEndsOfTheirRange) {
    EXPECT_EQ(utc_text(moment(0), UtcForm::iso), "1970-01-01T00:00:00Z");
    EXPECT_EQ(utc_text(moment(-1), UtcForm::iso), "1969-12-31T23:59:59Z");
    EXPECT_EQ(utc_text(moment(253'402'300'799), UtcForm::iso), "9999-12-31T23:59:59Z");
    EXPECT_EQ(utc_text(moment(std::numeric_limits<std::int64_t>::max()), UtcForm::date), "unknown");
}

} // namespace
} // namespace orbis
