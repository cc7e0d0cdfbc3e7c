#include "net/key_cache.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

constexpr Time k_start{1000s};

KeySet set_of(const std::string& id) { return KeySet({{id, {}}, {"other", {}}}); }

TEST(KeyCache, AsksOnceAndAgainWhenTheKeysAreOld) {
    KeyCache cache;
    EXPECT_TRUE(cache.wants_keys("a", k_start));
    EXPECT_FALSE(cache.keys(k_start));
    cache.answered(set_of("a"), k_start);
    EXPECT_FALSE(cache.wants_keys("a", k_start));
    EXPECT_FALSE(cache.wants_keys("a", k_start + 1h - 1ns));
    EXPECT_TRUE(cache.wants_keys("a", k_start + 1h));
    ASSERT_TRUE(cache.keys(k_start));
    EXPECT_NE((*cache.keys(k_start))->find("a"), nullptr);
}

TEST(KeyCache, InventedKeysDoNotMakeItAskAllTheTime) {
    KeyCache cache;
    cache.answered(set_of("a"), k_start);
    EXPECT_FALSE(cache.wants_keys("b", k_start + 29s));
    EXPECT_TRUE(cache.wants_keys("b", k_start + 30s));
    cache.answered(set_of("a"), k_start + 30s);
    EXPECT_FALSE(cache.wants_keys("c", k_start + 31s));
    cache.answered(set_of("b"), k_start + 60s);
    EXPECT_FALSE(cache.wants_keys("b", k_start + 61s));
}

TEST(KeyCache, AFailureIsAnsweredForAWhileAndTheOldKeysAreKept) {
    KeyCache cache;
    cache.answered(fail(Errc::io, "no service"), k_start);
    EXPECT_FALSE(cache.wants_keys("a", k_start + 4s));
    EXPECT_TRUE(cache.wants_keys("a", k_start + 5s));
    EXPECT_EQ(cache.keys(k_start).error().problem, "no service");
    cache.answered(set_of("a"), k_start + 5s);
    EXPECT_TRUE(cache.keys(k_start + 48h)) << "the failure is over: these are asked for again, not withdrawn";
    EXPECT_TRUE(cache.wants_keys("b", k_start + 35s));
    cache.answered(fail(Errc::io, "no service"), k_start + 2h);
    EXPECT_TRUE(cache.keys(k_start + 2h));
    EXPECT_FALSE(cache.wants_keys("a", k_start + 2h + 4s));
    EXPECT_TRUE(cache.wants_keys("a", k_start + 2h + 5s));
    // But not forever: a key may have been withdrawn.
    EXPECT_FALSE(cache.keys(k_start + 5s + 24h));
}

TEST(KeyCache, AMomentBeforeTheLastAnswerIsNoReasonToAsk) {
    KeyCache cache;
    cache.answered(set_of("a"), k_start);
    EXPECT_FALSE(cache.wants_keys("b", k_start - 1s));
    EXPECT_FALSE(cache.wants_keys("a", k_start - 1s));
}

} // namespace
} // namespace orbis::net
