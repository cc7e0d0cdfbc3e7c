#include "game/bot/bot.hpp"
#include "packets/auth.hpp"
#include "packets/connection.hpp"
#include "packets/entities.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/world.hpp"
#include "protocol/packet_codec.hpp"
#include "support/imagined_link.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

/// A bot whose server says what a test wants, and what it keeps of that.
namespace orbis::game {
namespace {

class BotAlone : public testing::Test {
protected:
    BotAlone() : BotAlone(true) {}

    explicit BotAlone(bool keeps_world) : bot_(rules(keeps_world), pool_, context_) { connect(); }

    static BotRules rules(bool keeps_world) {
        BotRules out;
        out.keeps_chat = true;
        out.keeps_world = keeps_world;
        return out;
    }
    /// A connection of its own, as after a referral.
    void connect() {
        link_.emplace(net::Side::client, clock_, context_.tools.decompressor,
                      net::LinkLimits{.largest_payload = 64 << 20});
        link_->on_sent = [this](net::Channel, Bytes frame) {
            if (load_le<std::int32_t>(frame.data() + 4) != packets::ClientMovement::k_info.id) return;
            ++moves_;
            packets::ClientMovement move;
            ASSERT_TRUE(protocol::decode(frame.subspan(8), arena_, move));
            ASSERT_TRUE(move.absolute_position);
            told_ = {move.absolute_position->x, move.absolute_position->y, move.absolute_position->z};
        };
        link_->set_user(
            std::make_unique<net::ClientSession>(context_, bot_.rules().client, *link_, bot_.make_handler()));
        link_->start();
    }
    template <typename P>
    void hear(const P& packet) {
        const auto frame = writer_.frame(packet);
        ASSERT_TRUE(frame) << frame.error().text();
        link_->feed(*frame);
    }
    /// A world as servers send it: who the player is, where it is, and then a chunk.
    void enter(std::int32_t id, const Point& at) {
        packets::JoinWorld join;
        join.clear_world = true;
        hear(join);
        packets::SetClientId own;
        own.client_id = id;
        hear(own);
        packets::TransformUpdate transform;
        transform.transform.position = packets::Position{};
        transform.transform.position->x = at.x;
        transform.transform.position->y = at.y;
        transform.transform.position->z = at.z;
        const packets::ComponentUpdate component = transform;
        packets::EntityUpdate update;
        update.network_id = id;
        update.updates = protocol::List<packets::ComponentUpdate>(&component, 1);
        packets::EntityUpdates updates;
        updates.updates = protocol::List<packets::EntityUpdate>(&update, 1);
        hear(updates);
        for (int y = 0; y < k_sections; ++y) {
            packets::SetChunk section;
            section.y = y;
            hear(section);
        }
    }
    void walk_a_while() {
        for (int i = 0; i < 30; ++i) bot_.tick(1.0 / 30);
    }
    [[nodiscard]] double distance(const Point& from) const {
        return std::hypot(bot_.place()->x - from.x, bot_.place()->z - from.z);
    }
    void leave_and_connect() {
        packets::ClientReferral referral;
        referral.host_to = packets::HostAddress{};
        referral.host_to->host = "other.example.org";
        hear(referral);
        clock_.pass(std::chrono::seconds(10));
        context_.tick();
        ASSERT_TRUE(bot_.take_referral());
        connect();
    }
    void teleport(double x, double y, double z) {
        packets::ClientTeleport packet;
        packet.model_transform = packets::ModelTransform{};
        packet.model_transform->position = packets::Position{};
        packet.model_transform->position->x = x;
        packet.model_transform->position->y = y;
        packet.model_transform->position->z = z;
        hear(packet);
    }

    test::HandClock clock_;
    net::ClientContext context_{clock_};
    StatePool pool_;
    Bot bot_;
    protocol::FrameWriter<protocol::Side::server> writer_;
    protocol::Arena arena_;
    int moves_ = 0; ///< that it has told
    Point told_;    ///< where it said last that it is
    std::optional<test::ImaginedLink> link_;
};

TEST_F(BotAlone, GoesNowhereThatIsNoPlace) {
    hear(packets::JoinWorld{});
    teleport(10, 80, -5);
    ASSERT_TRUE(bot_.place());
    EXPECT_EQ(*bot_.place(), (Point{10, 80, -5}));
    EXPECT_EQ(moves_, 1) << "it acknowledges";
    constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double k_inf = std::numeric_limits<double>::infinity();
    teleport(k_nan, 80, 0);
    teleport(0, k_inf, 0);
    teleport(0, 80, -k_inf);
    EXPECT_EQ(*bot_.place(), (Point{10, 80, -5}));
    EXPECT_EQ(moves_, 1);
    EXPECT_EQ(bot_.counts().teleports, 4U);
    teleport(1e300, 80, 0); // far outside every world, and harmless
    bot_.walk({.kind = WalkRules::Kind::straight});
    clock_.pass(std::chrono::seconds(1));
    bot_.tick(0.03);
    EXPECT_TRUE(link_->is_open());
}

/// Once with what it decodes, once without.
class BotOnTheMove : public BotAlone, public testing::WithParamInterface<bool> {
protected:
    BotOnTheMove() : BotAlone(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutAWorld, BotOnTheMove, testing::Bool());

TEST_P(BotOnTheMove, IsWhereEachWorldPutsItAlthoughItHasWalked) {
    constexpr Point k_first{100, 80, 100};
    constexpr Point k_second{-500, 90, 7};
    bot_.walk({.kind = WalkRules::Kind::random, .range = 6});
    enter(3, k_first);
    walk_a_while();
    ASSERT_NE(*bot_.place(), k_first) << "it walks";
    const int moves = moves_;
    enter(4, k_second);
    EXPECT_EQ(*bot_.place(), k_second);
    EXPECT_EQ(moves_, moves) << "nobody told it to go anywhere";
    for (int i = 0; i < 20; ++i) walk_a_while();
    EXPECT_GT(moves_, moves) << "it walks on";
    EXPECT_LT(distance(k_second), 20) << "around the place where it is now";
    EXPECT_EQ(told_, *bot_.place());
}

TEST_P(BotOnTheMove, IsWhereTheNextServerPutsItAlthoughItWasToldToGoElsewhereBefore) {
    constexpr Point k_place{5, 70, 5};
    enter(3, {100, 80, 100});
    bot_.go_to({120, 80, 120});
    EXPECT_EQ(told_, (Point{120, 80, 120}));
    const int moves = moves_;
    leave_and_connect();
    EXPECT_FALSE(bot_.place()) << "the server has not said it yet";
    enter(3, k_place);
    EXPECT_EQ(*bot_.place(), k_place);
    EXPECT_EQ(moves_, moves);
}

TEST_P(BotOnTheMove, GoesOnceWhereItWasToldBeforeItCould) {
    constexpr Point k_target{40, 80, 40};
    bot_.go_to(k_target);
    enter(3, {100, 80, 100});
    EXPECT_EQ(*bot_.place(), k_target);
    EXPECT_EQ(told_, k_target);
    EXPECT_EQ(moves_, 1);
    enter(4, {-7, 80, -7});
    EXPECT_EQ(*bot_.place(), (Point{-7, 80, -7}));
    EXPECT_EQ(moves_, 1);
}

TEST_P(BotOnTheMove, LosesNoColumnThatItDoesNotHave) {
    enter(3, {0, 80, 0}); // with the column 0,0
    ASSERT_EQ(bot_.counts().chunks, 1U);
    hear(packets::UnloadChunk{});
    EXPECT_EQ(bot_.counts().unloaded, 1U);
    hear(packets::UnloadChunk{});
    EXPECT_EQ(bot_.counts().unloaded, 1U) << "there is none";
    EXPECT_EQ(bot_.bad_packets(), 0U);
}

TEST_F(BotAlone, RemembersNoMoreOthersThanAnyServerHas) {
    constexpr std::size_t k_most = 1 << 16;
    constexpr std::size_t k_sent = 70'000;
    const packets::ComponentUpdate component = packets::TransformUpdate{};
    std::vector<packets::EntityUpdate> entities(k_sent);
    std::vector<packets::ServerPlayerListPlayer> players(k_sent);
    for (std::size_t i = 0; i < k_sent; ++i) {
        entities[i].network_id = static_cast<std::int32_t>(i);
        entities[i].updates = protocol::List<packets::ComponentUpdate>(&component, 1);
        players[i].uuid = {0, static_cast<std::uint8_t>(i >> 16), static_cast<std::uint8_t>(i >> 8),
                           static_cast<std::uint8_t>(i)};
    }
    packets::EntityUpdates updates;
    updates.updates = protocol::List<packets::EntityUpdate>(entities);
    hear(updates);
    EXPECT_EQ(bot_.entities().size(), k_most);
    packets::AddToServerPlayerList list;
    list.players = protocol::List<packets::ServerPlayerListPlayer>(players);
    hear(list);
    EXPECT_EQ(bot_.players(), k_most);
    EXPECT_TRUE(link_->is_open());
    // Who goes makes room.
    const std::array<std::int32_t, 2> gone{0, 1};
    packets::EntityUpdates removal;
    removal.removed = protocol::List<std::int32_t>(gone);
    hear(removal);
    EXPECT_EQ(bot_.entities().size(), k_most - 2);
    hear(updates);
    EXPECT_EQ(bot_.entities().size(), k_most);
}

TEST_F(BotAlone, RemembersTheLastWordsAndNoLongOnes) {
    const std::string text(5000, 'x');
    packets::ServerMessage message;
    message.message = packets::FormattedMessage{};
    message.message->raw_text = protocol::Text(text);
    // Every part of a text counts.
    packets::StringParamValue value;
    value.value = protocol::Text(text);
    std::vector<protocol::Entry<protocol::Text, packets::ParamValue>> parameters(500);
    std::deque<std::string> names;
    for (auto& parameter : parameters) {
        parameter.key = names.emplace_back(std::to_string(names.size()));
        parameter.value = value;
    }
    message.message->params = protocol::Map<protocol::Text, packets::ParamValue>(parameters);
    std::vector<packets::FormattedMessage> children(500);
    for (auto& child : children) child.raw_text = protocol::Text(text);
    message.message->children = protocol::List<packets::FormattedMessage>(children);
    for (int i = 0; i < 100; ++i) hear(message);
    EXPECT_EQ(bot_.counts().chats, 100U);
    ASSERT_EQ(bot_.heard().size(), 64U);
    for (const auto& heard : bot_.heard()) EXPECT_EQ(heard.size(), 1024U);
}

TEST_F(BotAlone, RemembersNoMoreTimesThanSomebodyMayAskFor) {
    packets::Ping ping;
    ping.last_ping_value_direct = 1000;
    for (int i = 0; i < 5000; ++i) hear(ping);
    EXPECT_EQ(bot_.take_pings().size(), 4096U);
    EXPECT_TRUE(bot_.take_pings().empty());
}

TEST_F(BotAlone, IsNotSentInCirclesForEver) {
    packets::ClientReferral referral;
    referral.host_to = packets::HostAddress{};
    referral.host_to->host = "other.example.org";
    const Buffer data(4096, 7);
    referral.data = Bytes(data);
    for (int i = 0; i < 16; ++i) {
        hear(referral);
        clock_.pass(std::chrono::seconds(10));
        context_.tick();
        ASSERT_TRUE(bot_.is_over()) << i;
        const auto next = bot_.take_referral();
        ASSERT_TRUE(next) << i;
        EXPECT_EQ(next->data, data);
        connect();
    }
    hear(referral);
    clock_.pass(std::chrono::seconds(10));
    context_.tick();
    EXPECT_TRUE(bot_.is_over());
    EXPECT_FALSE(bot_.take_referral());
    EXPECT_EQ(bot_.failure(), "servers referred it 17 times, which is too often");
}

} // namespace
} // namespace orbis::game
