#include "game/player/chat.hpp"
#include "game/player/movement.hpp"
#include "packets/player.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace orbis::game {
namespace {

using Outcome = Movement::Outcome;

packets::Position place(double x, double y, double z) {
    packets::Position position;
    position.x = x;
    position.y = y;
    position.z = z;
    return position;
}

packets::ClientMovement to(double x, double y, double z) {
    packets::ClientMovement movement;
    movement.absolute_position = place(x, y, z);
    return movement;
}

packets::ClientMovement acknowledged(int id, double x, double y, double z) {
    auto movement = to(x, y, z);
    packets::TeleportAck ack;
    ack.teleport_id = static_cast<std::int8_t>(id);
    movement.teleport_ack = ack;
    return movement;
}

TEST(Movement, AbsoluteWinsOverRelativeWhichCountsTenThousandths) {
    Movement movement(place(1, 2, 3));
    packets::ClientMovement step;
    packets::HalfFloatPosition relative;
    relative.x = 10'000;
    relative.y = 2'500;
    relative.z = -5'000;
    step.relative_position = relative;
    EXPECT_EQ(movement.apply(step, false), Outcome::applied);
    EXPECT_DOUBLE_EQ(movement.position().x, 2);
    EXPECT_DOUBLE_EQ(movement.position().y, 2.25);
    EXPECT_DOUBLE_EQ(movement.position().z, 2.5);
    step.absolute_position = place(-0.5, 64, 7);
    EXPECT_EQ(movement.apply(step, false), Outcome::applied);
    EXPECT_DOUBLE_EQ(movement.position().x, -0.5);
    EXPECT_EQ(movement.block(), (BlockPos{-1, 64, 7}));
}

TEST(Movement, NothingMovesAPlayerWhoWaits) {
    Movement movement(place(1, 2, 3));
    EXPECT_EQ(movement.apply(to(9, 9, 9), true), Outcome::ignored);
    EXPECT_DOUBLE_EQ(movement.position().x, 1);
}

TEST(Movement, PlacesThatAreNoneAreForbiddenEvenToThoseWhoWait) {
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const auto infinite = std::numeric_limits<double>::infinity();
    for (const bool waits : {false, true}) {
        Movement movement(place(0, 0, 0));
        EXPECT_EQ(movement.apply(to(nan, 0, 0), waits), Outcome::forbidden);
        EXPECT_EQ(movement.apply(to(0, infinite, 0), waits), Outcome::forbidden);
        packets::ClientMovement look;
        packets::Direction direction;
        direction.pitch = std::nanf("");
        look.look_orientation = direction;
        EXPECT_EQ(movement.apply(look, waits), Outcome::forbidden);
        packets::ClientMovement body;
        body.body_orientation = direction;
        EXPECT_EQ(movement.apply(body, waits), Outcome::forbidden);
        packets::ClientMovement wish;
        wish.wish_movement = place(0, 0, infinite);
        EXPECT_EQ(movement.apply(wish, waits), Outcome::forbidden);
    }
}

TEST(Movement, FarPlacesHaveABlockToo) {
    Movement movement(place(0, 0, 0));
    EXPECT_EQ(movement.apply(to(1e300, 0, -1e300), false), Outcome::applied);
    EXPECT_EQ(movement.block(), (BlockPos{1 << 30, 0, -(1 << 30)}));
}

TEST(Movement, WhoIsMountedElsewhereIsIgnored) {
    Movement movement(place(0, 0, 0));
    auto step = to(5, 5, 5);
    for (const int mount : {7, -7}) {
        step.mounted_to = mount;
        EXPECT_EQ(movement.apply(step, false), Outcome::ignored);
        EXPECT_DOUBLE_EQ(movement.position().x, 0);
    }
}

TEST(Movement, SaysOnceThatSomethingHasChanged) {
    Movement movement(place(0, 0, 0));
    EXPECT_TRUE(movement.take_changed()) << "it has appeared";
    EXPECT_FALSE(movement.take_changed());
    (void)movement.apply(to(5, 5, 5), true);
    EXPECT_FALSE(movement.take_changed()) << "ignored";
    packets::ClientMovement turned;
    packets::Direction body;
    body.yaw = 1;
    packets::Direction look;
    look.pitch = 2;
    turned.body_orientation = body;
    turned.look_orientation = look;
    EXPECT_EQ(movement.apply(turned, false), Outcome::applied);
    EXPECT_TRUE(movement.take_changed());
    EXPECT_EQ(movement.body().yaw, 1);
    EXPECT_EQ(movement.look().pitch, 2);
    EXPECT_DOUBLE_EQ(movement.position().x, 0) << "it stays where it is";
    (void)movement.teleport(place(3, 0, 0));
    EXPECT_TRUE(movement.take_changed()) << "others see it at once";
    EXPECT_FALSE(movement.take_changed());
    movement.reset(place(1, 0, 0));
    EXPECT_TRUE(movement.take_changed());
    EXPECT_FALSE(movement.has_pending_teleport());
    EXPECT_EQ(movement.body().yaw, 0);
}

TEST(Movement, ATeleportHoldsUntilItIsAcknowledgedInOrder) {
    Movement movement(place(0, 0, 0));
    EXPECT_EQ(movement.teleport(place(10, 20, 30)).teleport_id, 0);
    EXPECT_EQ(movement.teleport(place(40, 50, 60)).teleport_id, 1);
    auto step = to(1, 1, 1);
    packets::MovementStates states;
    states.flying = true;
    step.movement_states = states;
    EXPECT_EQ(movement.apply(step, false), Outcome::applied);
    EXPECT_TRUE(movement.states().flying);
    EXPECT_DOUBLE_EQ(movement.position().x, 40);
    EXPECT_EQ(movement.apply(acknowledged(0, 10, 20.03, 30), false), Outcome::applied);
    EXPECT_DOUBLE_EQ(movement.position().x, 40) << "one more is pending";
    EXPECT_EQ(movement.apply(acknowledged(1, 40, 50, 60), false), Outcome::applied);
    EXPECT_FALSE(movement.has_pending_teleport());
    EXPECT_EQ(movement.apply(to(41, 50, 60), false), Outcome::applied);
    EXPECT_DOUBLE_EQ(movement.position().x, 41);
    EXPECT_EQ(movement.teleport(place(0, 0, 0)).teleport_id, 0) << "counts from zero when nothing is pending";
}

TEST(Movement, TheOldestOfTooManyTeleportsIsForgotten) {
    for (const int more : {0, 1}) {
        Movement movement(place(0, 0, 0));
        for (int i = 0; i < 256 + more; ++i) (void)movement.teleport(place(i, 0, 0));
        EXPECT_EQ(movement.apply(acknowledged(0, 0, 0, 0), false),
                  more == 0 ? Outcome::applied : Outcome::forbidden);
        EXPECT_EQ(movement.apply(acknowledged(1, 1, 0, 0), false), Outcome::applied);
    }
}

TEST(Movement, AWrongAcknowledgementIsForbidden) {
    const auto pending = [] {
        Movement movement(place(0, 0, 0));
        (void)movement.teleport(place(10, 20, 30));
        (void)movement.teleport(place(10, 20, 30));
        return movement;
    };
    EXPECT_EQ(pending().apply(acknowledged(1, 10, 20, 30), false), Outcome::forbidden);
    EXPECT_EQ(pending().apply(acknowledged(0, 10, 20.04, 30), false), Outcome::forbidden);
    auto without = acknowledged(0, 10, 20, 30);
    without.absolute_position.reset();
    EXPECT_EQ(pending().apply(without, false), Outcome::forbidden);
    EXPECT_EQ(Movement(place(0, 0, 0)).apply(acknowledged(0, 0, 0, 0), false), Outcome::forbidden);
}

TEST(Chat, IsOneCleanLine) {
    EXPECT_EQ(clean_chat("  hello \n world  "), "hello  world");
    EXPECT_EQ(clean_chat("\x1b[31mred\x7f"), "[31mred");
    EXPECT_EQ(clean_chat("gr\u00fc\u00dfe \u0085"), "gr\u00fc\u00dfe");
    EXPECT_EQ(clean_chat("a\u009fb\u00a0c"), "ab\u00a0c")
        << "the last that is no text, and the first that is";
    EXPECT_FALSE(clean_chat(" \t\n"));
    EXPECT_FALSE(clean_chat("bad \xff"));
    std::string longest;
    for (int count = 0; count < 300; ++count) longest += "\u00fc";
    EXPECT_EQ(clean_chat(longest)->size(), 2 * k_longest_chat);
}

TEST(Movement, APlayerAppearsStandingStill) {
    Movement movement(place(1, 2, 3));
    packets::MovementStates flying;
    flying.flying = true;
    packets::ClientMovement step;
    step.movement_states = flying;
    (void)movement.apply(step, false);
    movement.reset(place(4, -5.5, 6));
    EXPECT_TRUE(movement.states().idle);
    EXPECT_TRUE(movement.states().horizontal_idle);
    EXPECT_TRUE(movement.states().on_ground);
    EXPECT_FALSE(movement.states().flying);
    EXPECT_EQ(movement.block(), (BlockPos{4, -6, 6}));
}

TEST(Movement, AnAnswerToATeleportCountsWhileThePlayerWaits) {
    Movement movement(place(0, 0, 0));
    EXPECT_EQ(movement.apply(acknowledged(5, 9, 9, 9), true), Outcome::ignored) << "of the world before";
    const auto packet = movement.teleport(place(1, 2, 3));
    EXPECT_TRUE(packet.reset_velocity);
    EXPECT_EQ(packet.model_transform->position->y, 2);
    EXPECT_EQ(movement.apply(acknowledged(1, 1, 2, 3), true), Outcome::forbidden);
    EXPECT_EQ(movement.apply(acknowledged(0, 1, 2, 3), true), Outcome::ignored);
    EXPECT_FALSE(movement.has_pending_teleport());
    for (const int axis : {0, 1, 2}) {
        Movement again(place(0, 0, 0));
        (void)again.teleport(place(0, 0, 0));
        const double off = 0.04;
        EXPECT_EQ(again.apply(acknowledged(0, axis == 0 ? off : 0, axis == 1 ? off : 0, axis == 2 ? off : 0),
                              false),
                  Outcome::forbidden)
            << axis;
    }
}

TEST(Chat, HasTwoHundredFiftySixCharactersAndEightLinesAtOnce) {
    EXPECT_EQ(clean_chat(std::string(257, 'x')), std::string(256, 'x'));
    EXPECT_EQ(clean_chat("  " + std::string(256, 'x')), std::string(256, 'x')) << "blanks do not count";
    EXPECT_EQ(k_chat_limit.burst, 8);
    EXPECT_EQ(k_chat_limit.per_second, 1);
}

} // namespace
} // namespace orbis::game
