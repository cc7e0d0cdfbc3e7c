#include "net/rate_limit.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

/// How many packets in a row are taken at one moment.
int taken_at(TokenBucket& bucket, Time now) {
    int count = 0;
    while (count < 10'000 && bucket.take(now)) ++count;
    return count;
}

TEST(TokenBucket, TheBurstIsExact) {
    TokenBucket bucket({.is_enabled = true, .burst = 500, .per_second = 2000}, Time{});
    EXPECT_EQ(taken_at(bucket, Time{}), 500);
}

TEST(TokenBucket, TimeBetweenPacketsIsNotLostHoweverSmall) {
    // At 2000 in a second one comes each half millisecond: packets that follow each other faster must not
    // push it away.
    for (const Duration gap : {Duration(1us), Duration(100us), Duration(499us), Duration(499'999ns)}) {
        TokenBucket bucket({.is_enabled = true, .burst = 10, .per_second = 2000}, Time{});
        Time now{};
        ASSERT_EQ(taken_at(bucket, now), 10);
        int taken = 0;
        while (now < Time{} + 100ms) {
            now += gap;
            taken += bucket.take(now) ? 1 : 0;
        }
        // Whole tokens are counted from the packet that saw the last one come, as in the game.
        const auto steps = (500us + gap - 1ns) / gap;
        const auto expected = 100ms / (gap * steps);
        EXPECT_NEAR(taken, static_cast<double>(expected), 1) << gap.count();
        EXPECT_GT(taken, 90) << gap.count();
    }
}

TEST(TokenBucket, OneComesWhenItsTimeIsOverAndNotBefore) {
    TokenBucket bucket({.is_enabled = true, .burst = 3, .per_second = 2000}, Time{});
    ASSERT_EQ(taken_at(bucket, Time{}), 3);
    EXPECT_FALSE(bucket.take(Time{} + 499'999ns));
    EXPECT_TRUE(bucket.take(Time{} + 500us));
    EXPECT_FALSE(bucket.take(Time{} + 500us));
    EXPECT_FALSE(bucket.take(Time{} + 999'999ns));
    EXPECT_EQ(taken_at(bucket, Time{} + 2ms), 3) << "three have come";
}

TEST(TokenBucket, MoreThanTheBurstIsNeverSaved) {
    TokenBucket bucket({.is_enabled = true, .burst = 7, .per_second = 2000}, Time{});
    EXPECT_EQ(taken_at(bucket, Time{} + 1s), 7);
    EXPECT_EQ(taken_at(bucket, Time{} + std::chrono::hours(24 * 365 * 200)), 7);
}

TEST(TokenBucket, WithoutALimitEverythingIsTaken) {
    TokenBucket bucket({.is_enabled = false, .burst = 1, .per_second = 1}, Time{});
    EXPECT_EQ(taken_at(bucket, Time{}), 10'000);
}

} // namespace
} // namespace orbis::net
