#include "game/download/absences.hpp"
#include "game/download/pause_tracker.hpp"

#include <gtest/gtest.h>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

TEST(Absences, AreWhatAServerSaysOfColumnsThatWereNeverOutOfView) {
    Absences told;
    told.told({3, 4});
    EXPECT_TRUE(told.are_told());
    EXPECT_TRUE(told.contains({3, 4}));
    told.go_to({0, 0}, 12);
    told.told({-5, 2});
    told.told({40, 0}); // nowhere near: it may have been on its way
    EXPECT_TRUE(told.contains({-5, 2}));
    EXPECT_FALSE(told.contains({40, 0}));
    told.came({-5, 2}); // somebody has made it since
    EXPECT_FALSE(told.contains({-5, 2}));
}

TEST(Absences, DoNotFollowFromColumnsThatAServerTakesBack) {
    Absences told;
    told.go_to({0, 0}, 12);
    told.go_to({17, 0}, 12);
    told.told({10, 0}); // was in view from the first stop, too
    told.told({14, 0}); // or nearly so
    EXPECT_FALSE(told.are_told());
    EXPECT_FALSE(told.contains({10, 0}));
    told.told({25, 0}); // this one was not: the server says what does not exist
    EXPECT_TRUE(told.are_told());
    EXPECT_TRUE(told.contains({10, 0}));
    EXPECT_TRUE(told.contains({25, 0}));
}

TEST(Absences, WhoStaysWhereItIsHasNotMoved) {
    Absences told;
    told.go_to({0, 0}, 12);
    told.go_to({0, 0}, 12);
    told.told({10, 0});
    EXPECT_TRUE(told.contains({10, 0}));
}

TEST(Absences, AreForgottenFarAwayWhenThereAreMany) {
    Absences told;
    for (int x = -300; x < 300; ++x)
        for (int z = -300; z < 300; ++z) told.told({x, z});
    told.go_to({280, 280}, 12);
    EXPECT_TRUE(told.contains({290, 280}));
    EXPECT_FALSE(told.contains({-290, -290}));
}

TEST(PauseTracker, GrowsWithThePausesOfTheServer) {
    PauseTracker pauses;
    net::Time now{10s};
    pauses.begin(now);
    EXPECT_EQ(pauses.least(1s), net::Duration(1s));
    pauses.note_chunk(now += 3s); // the first one may take its time
    EXPECT_EQ(pauses.least(1s), net::Duration(1s));
    pauses.note_chunk(now += 2s); // in the middle of others
    EXPECT_EQ(pauses.least(1s), net::Duration(4s));
    EXPECT_EQ(pauses.quiet(now + 3s), net::Duration(3s));
    pauses.begin(now);
    pauses.note_chunk(now += 5s);
    EXPECT_EQ(pauses.least(1s), net::Duration(4s)) << "it was on its way between stops";
}

TEST(PauseTracker, DoesNotCountTheTimeInWhichTheServerIsStuck) {
    PauseTracker pauses;
    net::Time now{10s};
    pauses.begin(now);
    pauses.note_packet(now);
    EXPECT_EQ(pauses.quiet(now + 20s), net::Duration(20s)) << "one that has no pings is only quiet";
    pauses.note_ping();
    EXPECT_EQ(pauses.quiet(now + 2s), net::Duration(2s));
    EXPECT_EQ(pauses.quiet(now + 20s), net::Duration::zero());
    EXPECT_EQ(pauses.silence(now + 20s), net::Duration(20s));
    EXPECT_EQ(PauseTracker().silence(now), net::Duration::zero()) << "it has not begun";
    pauses.note_packet(now += 20s); // and goes on
    EXPECT_EQ(pauses.quiet(now + 1s), net::Duration(1s));
}

} // namespace
} // namespace orbis::game
