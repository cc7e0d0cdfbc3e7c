#include "net/ping_tracker.hpp"
#include "net/roster.hpp"

#include <gtest/gtest.h>

/// Small books that a server keeps about its connections.
namespace orbis::net {
namespace {

using namespace std::chrono_literals;

constexpr int k_kept_pings = 120;

TEST(PingTracker, EachKindIsAnsweredInOrderAndOnce) {
    PingTracker book;
    book.sent(7, Time{1s});
    book.sent(8, Time{2s});
    EXPECT_FALSE(book.answered(0, 8, Time{3s})) << "7 comes first";
    EXPECT_EQ(book.answered(0, 7, Time{3s}), Duration(2s));
    EXPECT_FALSE(book.answered(0, 7, Time{3s}));
    EXPECT_EQ(book.answered(1, 7, Time{4s}), Duration(3s)) << "another kind has a row of its own";
    EXPECT_EQ(book.answered(0, 8, Time{5s}), Duration(3s));
    EXPECT_EQ(book.last(0), Duration(3s));
    EXPECT_EQ(book.last(2), Duration::zero());
    EXPECT_FALSE(book.answered(PingTracker::k_kinds, 7, Time{5s}));
}

TEST(PingTracker, ForgetsTheOldestOfMoreThanTwoMinutes) {
    for (const int more : {0, 1, 2}) {
        PingTracker book;
        for (int id = 0; id < k_kept_pings + more; ++id) book.sent(id, Time{});
        if (more > 0) {
            EXPECT_FALSE(book.answered(0, more - 1, Time{})) << more;
        }
        EXPECT_TRUE(book.answered(0, more, Time{})) << more;
    }
}

TEST(Roster, OneWhoComesAgainFromTheSameHostTakesThePlace) {
    Roster roster;
    const auto here = Address::loopback_v4(1000);
    const auto also_here = Address::loopback_v4(2000);
    const auto elsewhere = resolve({"192.0.2.1", 1000}).value().front();
    const protocol::Uuid player{1};
    int asked_to_go = 0;
    const auto first = roster.enter(player, here, [&] { ++asked_to_go; });
    ASSERT_TRUE(first);
    EXPECT_FALSE(roster.enter(player, elsewhere, [] {})) << "from another host";
    EXPECT_EQ(asked_to_go, 0);
    const auto second = roster.enter(player, also_here, [&] { asked_to_go += 100; });
    ASSERT_TRUE(second);
    EXPECT_NE(*first, *second);
    EXPECT_EQ(asked_to_go, 1) << "the old one, once";
    EXPECT_EQ(roster.size(), 1u);
    roster.leave(player, *first); // comes late
    EXPECT_EQ(roster.size(), 1u) << "the new one stays";
    EXPECT_FALSE(roster.enter(player, elsewhere, [] {}));
    roster.leave(player, *second);
    EXPECT_EQ(roster.size(), 0u);
    EXPECT_TRUE(roster.enter(player, elsewhere, [] {}));
}

} // namespace
} // namespace orbis::net
