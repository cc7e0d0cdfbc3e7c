#include "game/bot/walk.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orbis::game {
namespace {

double distance(const Point& a, const Point& b) { return std::hypot(a.x - b.x, a.z - b.z); }

TEST(Walk, KeepsItsSpeed) {
    for (const auto kind : {WalkRules::Kind::straight, WalkRules::Kind::random}) {
        Walk walk({.kind = kind, .speed = 4}, 3);
        Point here{10, 64, -5};
        for (int i = 0; i < 300; ++i) {
            const auto next = walk.step(here, 0.1);
            EXPECT_NEAR(distance(here, next), 0.4, 1e-9);
            EXPECT_EQ(next.y, 64);
            here = next;
        }
    }
}

TEST(Walk, StraightIsStraightAndRandomStaysNear) {
    Walk straight({.kind = WalkRules::Kind::straight, .speed = 10}, 1);
    Walk random({.kind = WalkRules::Kind::random, .speed = 10, .range = 30}, 1);
    Point a{};
    Point b{};
    for (int i = 0; i < 6000; ++i) {
        a = straight.step(a, 0.05);
        b = random.step(b, 0.05);
        EXPECT_LT(distance(b, {}), 31);
    }
    EXPECT_NEAR(distance(a, {}), 3000, 1e-6);
}

TEST(Walk, CirclesAroundWhereItBegan) {
    Walk walk({.kind = WalkRules::Kind::circle, .speed = 8, .radius = 5}, 9);
    Point here{100, 64, 100};
    for (int i = 0; i < 100; ++i) here = walk.step(here, 0.05);
    for (int i = 0; i < 200; ++i) {
        here = walk.step(here, 0.05);
        EXPECT_NEAR(distance(here, {100, 64, 100}), 5, 0.2);
    }
}

TEST(Walk, FollowsAPathAndStopsAtATarget) {
    Walk to({.kind = WalkRules::Kind::to, .speed = 5, .points = {{3, 0, 4}}}, 1);
    Point here{};
    for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(to.has_arrived());
        here = to.step(here, 0.1);
    }
    EXPECT_TRUE(to.has_arrived());
    EXPECT_EQ(to.step(here, 1).x, 3);
    const Point elsewhere{50, 0, 50};
    EXPECT_EQ(to.step(elsewhere, 1), elsewhere) << "it was brought there, and need not go back";
    Walk path({.kind = WalkRules::Kind::path, .speed = 1, .points = {{1, 0, 0}, {1, 0, 1}, {0, 0, 0}}}, 1);
    here = {};
    for (const auto& wanted : {Point{1, 0, 0}, Point{1, 0, 1}}) {
        here = path.step(here, 1);
        EXPECT_EQ(here, wanted);
    }
    here = path.step(here, 2);
    EXPECT_EQ(here, (Point{0, 0, 0}));
    EXPECT_EQ(path.step(here, 1), (Point{1, 0, 0}));
}

TEST(Walk, ReadsPathsAndSaysWhichLineIsWrong) {
    const auto path = parse_path("# a square\n0 0\n10 64 0 # with a height\n\n10 -2.5\n");
    ASSERT_TRUE(path);
    EXPECT_EQ(*path, (std::vector<Point>{{0, 0, 0}, {10, 64, 0}, {10, 0, -2.5}}));
    EXPECT_EQ(parse_path("0 0\n1 x\n").error().problem, "line 2: expected a number, found 'x'");
    EXPECT_EQ(parse_path("1\n").error().problem, "line 1: expected 2 or 3 numbers, found 1");
    EXPECT_FALSE(parse_path("# nothing\n"));
    EXPECT_FALSE(parse_path("nan 1\n"));
}

TEST(Walk, APathHasSixtyFiveThousandPointsAtMost) {
    std::string text;
    for (int i = 0; i < 1 << 16; ++i) text += "1 2\n";
    EXPECT_EQ(parse_path(text)->size(), 1U << 16);
    EXPECT_EQ(parse_path(text + "1 2").error().problem, "line 65537: more than 65536 points");
    EXPECT_EQ(parse_path("1 2 3 4").error().text(),
              "line 1: expected 2 or 3 numbers, found 4 (write X Z or X Y Z in each line)");
    EXPECT_EQ(parse_path("1 2x").error().problem, "line 1: expected a number, found '2x'");
    EXPECT_EQ(parse_path("1 inf").error().problem, "line 1: expected a number, found 'inf'");
    EXPECT_EQ(parse_path("#").error().text(), "the path has no points (write X Z in each line)");
    EXPECT_EQ(parse_walk("to").error().problem, "expected still, straight, random or circle, found 'to'");
}

TEST(Walk, LooksWhereItGoesAndBeginsAgainWhereItIsBrought) {
    const auto yaw_to = [](double x, double z) {
        Walk walk({.kind = WalkRules::Kind::to, .speed = 1, .points = {{x, 0, z}}}, 1);
        (void)walk.step({}, 0.1);
        return walk.yaw();
    };
    EXPECT_FLOAT_EQ(yaw_to(0, -1), 0);
    EXPECT_FLOAT_EQ(yaw_to(-1, 0), 1.5707964F);
    EXPECT_FLOAT_EQ(yaw_to(1, 0), -1.5707964F);
    EXPECT_EQ(Walk({.kind = WalkRules::Kind::still}, 1).step({1, 2, 3}, 5), (Point{1, 2, 3}));
    Walk walk({.kind = WalkRules::Kind::circle, .speed = 8, .radius = 5}, 9);
    Point here{100, 64, 100};
    for (int i = 0; i < 100; ++i) here = walk.step(here, 0.05);
    walk.begin_again();
    here = {-300, 64, 7};
    for (int i = 0; i < 100; ++i) here = walk.step(here, 0.05);
    EXPECT_NEAR(distance(here, {-300, 64, 7}), 5, 0.2);
    const WalkRules usual;
    EXPECT_EQ(usual.speed, 5.5);
    EXPECT_EQ(usual.range, 48);
    EXPECT_EQ(usual.radius, 8);
}

TEST(Walk, ABlockIsBelowAPlaceAndWorldsHaveAnEnd) {
    EXPECT_EQ(block_at({-0.5, 3.9, 2}), (BlockPos{-1, 3, 2}));
    EXPECT_EQ(block_at({1e9, 2e9, -1e9}), (BlockPos{1'000'000'000, 1'000'000'000, -1'000'000'000}));
    EXPECT_FALSE(block_at({1e9 + 1, 0, 0}));
    EXPECT_FALSE(block_at({0, 0, -1e9 - 1}));
    EXPECT_FALSE(block_at({0, std::nan(""), 0}));
    EXPECT_FALSE(block_at({std::nan(""), 0, 0}));
}

} // namespace
} // namespace orbis::game
