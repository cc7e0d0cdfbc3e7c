#include "game/chunks/chunk_pace.hpp"
#include "game/chunks/chunk_stream.hpp"
#include "game/chunks/chunks_test_support.hpp"
#include "net/address.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/dialect.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orbis::game {
namespace {

using namespace test_serve;

constexpr auto k_tick = net::Duration(1s) / 30;

/// A client that notes what it gets, and complains about what must not be.
struct ColumnClient final : ChunkSink {
    bool takes = true;
    bool knows = true;            ///< all names
    bool may_come_again = false;  ///< chunks that have changed
    bool is_full_at_once = false; ///< one chunk fills it until the next tick
    std::set<ChunkPos> has;
    std::set<ChunkPos> absent; ///< it was told that these do not exist
    std::vector<ChunkPos> order;
    std::vector<std::string> complaints;
    std::size_t changed = 0;

    [[nodiscard]] bool takes_chunks() const override { return takes && !is_full; }
    [[nodiscard]] bool knows_names() const override { return knows; }
    bool is_full = false;
    void send_chunk(const EncodedChunk& encoded) override {
        is_full = is_full_at_once;
        if (!has.insert(encoded.pos).second && !may_come_again) complaints.push_back("a chunk came twice");
        order.push_back(encoded.pos);
    }
    void send_changes(const EncodedChunk& encoded, std::span<const ChunkPart* const> parts) override {
        if (!has.contains(encoded.pos)) complaints.push_back("a chunk changed that is not there");
        changed += parts.size();
    }
    void send_unload(ChunkPos pos) override {
        if (has.erase(pos) == 0) complaints.push_back("a chunk was unloaded that is not there");
    }
    void send_absent(ChunkPos pos) override {
        has.erase(pos); // one that has changed may be gone
        absent.insert(pos);
    }
};

std::set<ChunkPos> circle(ChunkPos center, int radius) {
    std::set<ChunkPos> all;
    for (int x = -radius; x <= radius; ++x)
        for (int z = -radius; z <= radius; ++z)
            if (x * x + z * z <= radius * radius) all.insert({center.x + x, center.z + z});
    return all;
}

struct Scene {
    Workshop shop;
    ColumnClient client;
    /// One tick, with all workers done before the next.
    void tick(ChunkStream& stream) {
        client.is_full = false;
        stream.tick(shop.clock.time);
        shop.settle();
        shop.clock.time += k_tick;
    }
    void tell_changes_to(ChunkStream& stream) {
        shop.cache.set_changed([&](ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now) {
            stream.on_changed(pos, before, now);
        });
    }
    void refresh_all(int radius) {
        for (const auto pos : circle({0, 0}, radius)) shop.cache.refresh(pos);
    }
    void finish(ChunkStream& stream) {
        for (int count = 0; count < 2000 && !stream.is_complete(); ++count) tick(stream);
    }
};

TEST(Spiral, BeginsAsTheGameDoes) {
    const auto spiral = Spiral::of(3);
    const std::vector<ChunkPos> begin = {{0, 0},  {1, 0},   {1, 1},  {0, 1},  {-1, 1},
                                         {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {2, -1}};
    ASSERT_GE(spiral->steps().size(), begin.size());
    EXPECT_TRUE(std::equal(begin.begin(), begin.end(), spiral->steps().begin()));
    EXPECT_EQ(Spiral::of(12)->steps().size(), 441u);
}

TEST(Spiral, IsTheWholeCircleAndEachColumnOnce) {
    for (int radius = 0; radius <= 40; ++radius) {
        const auto spiral = Spiral::of(radius);
        const std::set<ChunkPos> steps(spiral->steps().begin(), spiral->steps().end());
        EXPECT_EQ(steps.size(), spiral->steps().size());
        EXPECT_EQ(steps, circle({0, 0}, radius));
        for (int ring = 1; ring <= radius; ++ring) {
            const auto first = spiral->first_of_ring(ring);
            ASSERT_LT(first, spiral->steps().size());
            EXPECT_EQ(std::max(std::abs(spiral->steps()[first].x), std::abs(spiral->steps()[first].z)), ring);
        }
    }
}

TEST(ChunkStream, SendsInTheOrderOfTheSpiral) {
    Scene scene;
    scene.shop.source->put_square(8);
    ChunkStream stream(scene.shop.cache, scene.client, {}, {1, -2}, 5);
    scene.finish(stream);
    const auto spiral = Spiral::of(5);
    ASSERT_EQ(scene.client.order.size(), spiral->steps().size());
    for (std::size_t at = 0; at < spiral->steps().size(); ++at)
        EXPECT_EQ(scene.client.order[at], (ChunkPos{1 + spiral->steps()[at].x, -2 + spiral->steps()[at].z}));
}

TEST(ChunkStream, ChunksAreMadeInTheWordsOfItsClientAsLongAsThatIsThere) {
    Scene scene;
    scene.shop.source->put_square(9);
    const auto* const words = protocol::Dialect::of(*protocol::find_build("b242"));
    const auto is_rendered = [&](ChunkPos pos) {
        return scene.shop.cache.find(pos)->encoded->parts[2].frame.renderings().find(*words).has_value();
    };
    {
        StreamRules rules;
        rules.words = words;
        ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, 2);
        scene.finish(stream);
        EXPECT_TRUE(is_rendered({0, 0}));
    }
    scene.client.has.clear();
    ChunkStream stream(scene.shop.cache, scene.client, {}, {6, 0}, 2);
    scene.finish(stream);
    EXPECT_FALSE(is_rendered({6, 0}));
}

RC_GTEST_PROP(ChunkStream, WhatAClientHasIsTheCircleWheneverItHasSettled, ()) {
    Scene scene;
    scene.shop.source->put_square(14);
    const auto missing = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(-10, 10), rc::gen::inRange(-10, 10)));
    for (const auto& [x, z] : missing) scene.shop.source->remove({x, z});
    StreamRules rules;
    rules.is_unlimited = *rc::gen::arbitrary<bool>();
    ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, 4);
    const auto moves = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(-9, 10), rc::gen::inRange(-9, 10)));
    const auto ticks = *rc::gen::inRange(0, 12);
    for (const auto& [x, z] : moves) {
        stream.move({x, z});
        if ((x ^ z) % 5 == 0) stream.set_radius(2 + (x * x + z) % 3);
        scene.client.takes = (x + z) % 3 != 0;
        for (int count = 0; count < ticks; ++count) scene.tick(stream);
    }
    scene.client.takes = true;
    scene.finish(stream);
    auto wanted = circle(stream.center(), stream.radius());
    for (const auto& [x, z] : missing)
        if (wanted.erase({x, z}) > 0) RC_ASSERT(scene.client.absent.contains({x, z}));
    RC_ASSERT(scene.client.has == wanted);
    RC_ASSERT(scene.client.complaints.empty());
    RC_ASSERT(stream.sent_chunks() == wanted.size());
}

/// The circle that the world has around a client of any radius, after it went any way in any direction.
RC_GTEST_PROP(ChunkStream, NothingOfTheCircleIsForgottenAfterAMoveWhateverTheRadius, ()) {
    Scene scene; // an empty world: to be told that a chunk does not exist is to be served
    StreamRules rules;
    rules.is_unlimited = true;
    const int radius = *rc::gen::inRange(2, 33);
    ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, radius);
    const auto covered = [&] {
        for (const auto pos : circle(stream.center(), stream.radius()))
            RC_ASSERT(scene.client.absent.contains(pos));
    };
    const auto ticks = *rc::gen::inRange(0, 6);
    for (int count = 0; count < ticks; ++count) scene.tick(stream);
    const auto steps = *rc::gen::inRange(1, 4);
    for (int step = 0; step < steps; ++step) {
        const auto span = radius + 2;
        const ChunkPos to{stream.center().x + *rc::gen::inRange(-span, span),
                          stream.center().z + *rc::gen::inRange(-span, span)};
        stream.move(to);
        if (*rc::gen::inRange(0, 4) == 0) scene.tick(stream);
    }
    scene.finish(stream);
    covered();
    // One step on the diagonal and along each axis, with everything there.
    for (const auto& [x, z] : {std::pair(1, 1), std::pair(-1, 1), std::pair(1, 0), std::pair(0, -1)}) {
        stream.move({stream.center().x + x, stream.center().z + z});
        scene.finish(stream);
        covered();
    }
}

/// Chunks that a client has after each of some ticks, with everything in the cache.
std::vector<std::size_t> paces(int per_second, int ticks) {
    Scene scene;
    scene.shop.source->put_square(12);
    ColumnClient before;
    StreamRules unlimited;
    unlimited.is_unlimited = true;
    ChunkStream filler(scene.shop.cache, before, unlimited, {0, 0}, 12);
    scene.finish(filler);
    StreamRules rules;
    rules.per_second = per_second;
    ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, 12);
    std::vector<std::size_t> had;
    for (int count = 0; count < ticks; ++count) {
        scene.tick(stream);
        had.push_back(scene.client.has.size());
    }
    return had;
}

TEST(ChunkStream, TheRateIsThatOfTheGame) {
    // Thirty ticks, the first of which only starts the clock.
    EXPECT_EQ(paces(36, 31).back(), 36u);
    EXPECT_EQ(paces(128, 31).back(), 4u * 30); // four in a tick at most
    EXPECT_EQ(paces(256, 31).back(), 4u * 30);
    const auto slow = paces(36, 6);
    EXPECT_EQ(slow, (std::vector<std::size_t>{0, 1, 2, 3, 4, 6}));
}

TEST(ChunkStream, WhatATickHasBegunIsSentThoughTheFirstOfItFillsTheNetwork) {
    Scene scene;
    scene.shop.source->put_square(12);
    scene.client.is_full_at_once = true;
    ChunkStream stream(scene.shop.cache, scene.client, {}, {0, 0}, 12);
    for (int count = 0; count < 31; ++count) scene.tick(stream);
    EXPECT_EQ(scene.client.has.size(), 4u * 30);
}

TEST(ChunkStream, ColumnsInPreparationCountAgainstTheBudget) {
    Scene scene;
    scene.shop.source->put_square(12);
    ChunkStream stream(scene.shop.cache, scene.client, {}, {0, 0}, 12);
    for (int count = 0; count < 10; ++count) { // the workers hand nothing back
        stream.tick(scene.shop.clock.time);
        scene.shop.clock.time += k_tick;
    }
    EXPECT_EQ(scene.shop.cache.counters().pending, 4u);
    scene.finish(stream);
    EXPECT_EQ(scene.client.has.size(), 441u);
}

TEST(ChunkStream, NothingIsBegunWhileTheNetworkIsFull) {
    for (const bool unlimited : {false, true}) {
        Scene scene;
        scene.shop.source->put_square(6);
        scene.client.takes = false;
        StreamRules rules;
        rules.is_unlimited = unlimited;
        ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, 4);
        for (int count = 0; count < 30; ++count) scene.tick(stream);
        EXPECT_EQ(scene.client.has.size(), 0u);
        EXPECT_EQ(scene.shop.source->all_loads(), 0);
        scene.client.takes = true;
        scene.finish(stream);
        EXPECT_EQ(scene.client.has.size(), 49u);
    }
}

TEST(ChunkStream, WithoutLimitItGoesOnWithoutTicksAndWithinItsWindow) {
    Scene scene;
    scene.shop.source->put_square(12);
    StreamRules rules;
    rules.is_unlimited = true;
    rules.window = 10;
    ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, 12);
    stream.on_delivered();
    EXPECT_EQ(scene.shop.cache.counters().pending, 10u);
    scene.shop.settle();
    EXPECT_EQ(scene.client.has.size(), 441u);
}

TEST(ChunkStream, WhatDoesNotExistIsToldAndTakesNoTime) {
    for (const bool unlimited : {false, true}) {
        Scene scene;
        scene.shop.source->put({0, 12});
        StreamRules rules;
        rules.is_unlimited = unlimited;
        rules.per_second = 36;
        ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, 12);
        for (int count = 0; count < 4; ++count) scene.tick(stream); // 256 in each, and the first begins
        EXPECT_EQ(scene.client.absent.size(), 440u);
        EXPECT_EQ(scene.client.has, (std::set<ChunkPos>{{0, 12}}));
        stream.move({24, 0}); // all of it is known to the cache by now, but what is new
        for (int count = 0; count < 4; ++count) scene.tick(stream);
        EXPECT_TRUE(stream.is_complete());
        EXPECT_TRUE(scene.client.absent.contains({36, 0}));
        EXPECT_TRUE(scene.client.complaints.empty());
    }
}

TEST(ChunkStream, AColumnThatCouldNotBeReadComesLater) {
    Scene scene;
    scene.shop.source->put_square(4);
    scene.shop.source->fail({1, 1}, true);
    ChunkStream stream(scene.shop.cache, scene.client, {}, {0, 0}, 3);
    scene.finish(stream);
    EXPECT_EQ(scene.client.has.size(), 28u);
    scene.shop.source->fail({1, 1}, false);
    for (int count = 0; count < 310; ++count) scene.tick(stream);
    EXPECT_EQ(scene.client.has, circle({0, 0}, 3));
}

TEST(ChunkStream, ChangesOfTheWorldReachThoseWhoSeeThem) {
    Scene scene;
    scene.shop.source->put_square(4);
    scene.shop.source->remove({1, 0});
    ChunkStream stream(scene.shop.cache, scene.client, {}, {0, 0}, 2);
    scene.tell_changes_to(stream);
    scene.finish(stream);
    EXPECT_EQ(scene.client.has.size(), 12u);
    scene.shop.source->put({1, 0});               // a new one
    scene.shop.source->remove({0, 1});            // one less
    scene.shop.source->put({0, 0}, "Soil_Grass"); // another block
    scene.refresh_all(2);
    for (int count = 0; count < 5; ++count) scene.tick(stream);
    auto wanted = circle({0, 0}, 2);
    wanted.erase({0, 1});
    EXPECT_EQ(scene.client.has, wanted);
    EXPECT_EQ(scene.client.changed, 1u);
    EXPECT_TRUE(scene.client.complaints.empty());
}

TEST(ChunkStream, NothingComesBeforeItsNames) {
    for (const bool unlimited : {false, true}) {
        Scene scene;
        scene.shop.source->put_square(6);
        ChunkStream stream(scene.shop.cache, scene.client, {.is_unlimited = unlimited}, {0, 0}, 3);
        scene.tell_changes_to(stream);
        scene.client.knows = false;
        for (int count = 0; count < 30; ++count) scene.tick(stream);
        EXPECT_TRUE(scene.client.order.empty());
        EXPECT_TRUE(unlimited || scene.shop.cache.counters().made <= 4) << "nothing piles up";
        scene.client.knows = true;
        scene.finish(stream);
        EXPECT_EQ(scene.client.order.size(), 29u);
        // So it is with changes.
        scene.client.knows = false;
        scene.client.may_come_again = true;
        scene.shop.source->put({0, 1}, "Mod_New");
        scene.refresh_all(3); // of all others nothing has changed
        for (int count = 0; count < 5; ++count) scene.tick(stream);
        EXPECT_EQ(scene.client.changed, 0u);
        EXPECT_EQ(scene.client.order.size(), 29u);
        scene.client.knows = true;
        scene.finish(stream);
        EXPECT_EQ(scene.client.order.size(), 30u);
        EXPECT_EQ(scene.client.order.back(), (ChunkPos{0, 1}));
        EXPECT_TRUE(scene.client.complaints.empty());
    }
}

TEST(ChunkStream, WhatWaitsHereComesAtThePaceOfTheGameOnceThereIsALimit) {
    Scene scene;
    scene.shop.source->put_square(6);
    StreamRules rules;
    rules.is_unlimited = true;
    ChunkStream stream(scene.shop.cache, scene.client, rules, {0, 0}, 4);
    scene.client.knows = false;
    for (int count = 0; count < 5; ++count) scene.tick(stream);
    EXPECT_FALSE(stream.is_complete());
    stream.set_unlimited(false);
    scene.client.knows = true;
    scene.tick(stream);
    EXPECT_LE(scene.client.order.size(), 4U) << "no more than a tick allows";
    scene.finish(stream);
    EXPECT_EQ(scene.client.has, circle({0, 0}, 4));
    EXPECT_TRUE(scene.client.complaints.empty());
    stream.unload_all();
    EXPECT_TRUE(scene.client.has.empty());
    EXPECT_EQ(stream.sent_chunks(), 0U);
    EXPECT_FALSE(scene.shop.cache.is_held({0, 0}));
    stream.set_unlimited(true);
    scene.finish(stream);
    EXPECT_EQ(scene.client.has, circle({0, 0}, 4)) << "it begins again";
}

TEST(ChunkStream, ChangesOfAWholeWorldComeAsTheNetworkTakesThem) {
    for (const bool unlimited : {false, true}) {
        Scene scene;
        scene.shop.source->put_square(6);
        ChunkStream stream(scene.shop.cache, scene.client, {.is_unlimited = unlimited}, {0, 0}, 3);
        scene.tell_changes_to(stream);
        scene.finish(stream);
        EXPECT_EQ(scene.client.order.size(), 29u);
        scene.client.takes = false;
        scene.client.may_come_again = true;
        for (const auto pos : circle({0, 0}, 3)) scene.shop.source->put(pos, "Soil_Grass");
        scene.shop.source->remove({0, 1});
        scene.refresh_all(3);
        for (int count = 0; count < 5; ++count) scene.tick(stream);
        EXPECT_EQ(scene.client.order.size(), 29u);
        EXPECT_EQ(scene.client.changed, 0u) << "nothing piles up";
        EXPECT_EQ(scene.client.has.size(), 28u) << "to take one away costs little";
        EXPECT_EQ(stream.sent_chunks(), 0u);
        stream.move({1, 0}); // some leave the circle before they came again
        scene.client.takes = true;
        scene.finish(stream);
        auto wanted = circle({1, 0}, 3);
        wanted.erase({0, 1});
        EXPECT_EQ(scene.client.has, wanted);
        EXPECT_EQ(scene.client.order.size(), 29u + 28u);
        EXPECT_TRUE(scene.client.complaints.empty());
    }
}

TEST(ChunkStream, LetsGoOfEverythingWhenItEnds) {
    Scene scene;
    scene.shop.source->put_square(4);
    {
        ChunkStream stream(scene.shop.cache, scene.client, {}, {0, 0}, 3);
        for (int count = 0; count < 3; ++count) scene.tick(stream);
        EXPECT_TRUE(scene.shop.cache.is_held({0, 0}));
        stream.tick(scene.shop.clock.time); // some are on their way
    }
    EXPECT_FALSE(scene.shop.cache.is_held({0, 0}));
    scene.shop.settle();
}

TEST(ColumnRules, RatesGoByWhereThePlayerIs) {
    const auto rate = [](const char* host) {
        return chunks_per_second(net::resolve({host, 5520}).value().front());
    };
    EXPECT_EQ(rate("127.0.0.1"), 256);
    EXPECT_EQ(rate("::1"), 256);
    for (const auto* host : {"10.1.2.3", "172.16.0.1", "172.31.255.1", "192.168.3.4", "169.254.1.1",
                             "224.0.0.1", "239.255.255.255", "fe80::1", "febf::1", "fec0::1", "feff::1",
                             "fc00::1", "fd00::1", "ff02::1", "::ffff:192.168.3.4"})
        EXPECT_EQ(rate(host), 128) << host;
    for (const auto* host : {"172.32.0.1", "172.15.255.255", "11.0.0.1", "9.255.255.255", "192.0.2.1",
                             "192.167.0.1", "169.253.0.1", "223.255.255.255", "240.0.0.1", "2001:db8::1",
                             "fbff::1", "fe7f::1", "::ffff:192.0.2.1"})
        EXPECT_EQ(rate(host), 36) << host;
}

TEST(ColumnRules, TheRadiusIsRoundedUpAndKeptWithinBounds) {
    EXPECT_EQ(view_radius(192, 32), 6);
    EXPECT_EQ(view_radius(193, 32), 7);
    EXPECT_EQ(view_radius(0, 32), 2);
    EXPECT_EQ(view_radius(-5, 32), 2);
    EXPECT_EQ(view_radius(INT32_MAX, 32), 32);
    EXPECT_EQ(view_radius(5000, 12), 12);
}

} // namespace
} // namespace orbis::game
