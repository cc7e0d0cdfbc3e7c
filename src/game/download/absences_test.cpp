#include "game/download/absences.hpp"
#include "game/download/pause_tracker.hpp"
#include "game/download/route.hpp"

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

TEST(PauseTracker, IsStuckAfterTwoAndAHalfSecondsAndWaitsForHalfAMinuteAtMost) {
    PauseTracker pauses;
    net::Time now{10s};
    pauses.begin(now);
    pauses.note_packet(now);
    pauses.note_ping();
    EXPECT_EQ(pauses.quiet(now + 2500ms), net::Duration(2500ms));
    EXPECT_EQ(pauses.quiet(now + 2501ms), net::Duration::zero());
    pauses.note_packet(now + 2s);
    EXPECT_EQ(pauses.quiet(now + 3s), net::Duration(3s)) << "it was not stuck, only without chunks";
    pauses.note_chunk(now);
    pauses.note_chunk(now += 14s);
    EXPECT_EQ(pauses.least(1s), net::Duration(28s));
    EXPECT_EQ(pauses.least(29s), net::Duration(29s));
    pauses.note_chunk(now += 16s);
    EXPECT_EQ(pauses.least(1s), net::Duration(30s));
    EXPECT_EQ(pauses.least(31s), net::Duration(31s));
}

TEST(Absences, NearAnEarlierCircleMeansTwoChunksOutsideOfIt) {
    for (const auto& [x, is_new] : {std::pair(14, false), std::pair(15, true)}) {
        Absences told;
        told.go_to({0, 0}, 12);
        told.go_to({10, 0}, 12);
        told.told({x, 0});
        EXPECT_EQ(told.are_told(), is_new) << x;
    }
}

TEST(DownloadRoute, GoesRoundInASpiral) {
    Route route({10, -20}, 3, ChunkArea{{5, -25}, {15, -15}}); // squares of 5
    EXPECT_EQ(route.side(), 5);
    EXPECT_EQ(route.visited(), 9U);
    EXPECT_EQ(route.waiting(), 9U);
    std::vector<ChunkPos> stops;
    while (const auto stop = route.next()) stops.push_back(*stop);
    EXPECT_EQ(
        stops,
        (std::vector<ChunkPos>{
            {10, -20}, {15, -20}, {15, -15}, {10, -15}, {5, -15}, {5, -20}, {5, -25}, {10, -25}, {15, -25}}));
    EXPECT_EQ(route.waiting(), 0U);
    EXPECT_EQ(route.chunks_of({5, -25}).size(), 9U) << "what is outside of the area is left out";
    EXPECT_EQ(route.chunks_of({10, -20}).size(), 25U);
}

TEST(DownloadRoute, VisitsWhatIsBesideLandAndNothingElse) {
    Route route({0, 0}, 1, {});
    EXPECT_EQ(route.side(), 1);
    ASSERT_EQ(route.next(), (ChunkPos{0, 0}));
    EXPECT_EQ(route.waiting(), 0U);
    route.arrive(true);
    EXPECT_EQ(route.waiting(), 8U);
    ASSERT_EQ(route.next(), (ChunkPos{1, 0}));
    route.arrive(false);
    EXPECT_EQ(route.waiting(), 7U);
    ASSERT_EQ(route.next(), (ChunkPos{1, 1}));
    route.arrive(true);
    EXPECT_EQ(route.waiting(), 6U + 5) << "three of its neighbours were known";
    Route edge({0, 0}, 1, ChunkArea{{(1 << 25) - 1, 0}, {(1 << 25) + 5, 0}});
    EXPECT_EQ(edge.visited(), 2U) << "no world goes further";
    EXPECT_EQ(Route({0, 0}, 0, {}).side(), 1);
    EXPECT_EQ(Route({0, 0}, 2, {}).side(), 3);
    EXPECT_EQ(Route({0, 0}, 12, {}).side(), 17);
}

} // namespace
} // namespace orbis::game
