#include "game/chunks/chunks_test_support.hpp"
#include "packets/world.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/dialect.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace orbis::game {
namespace {

using namespace test_serve;

/// What a chunk takes.
std::size_t bytes_of_one() {
    Workshop probe;
    probe.source->put({0, 0});
    Listener user;
    probe.cache.request({0, 0}, user);
    probe.settle();
    return probe.cache.counters().bytes;
}

TEST(EncodedChunkCache, NothingIsReadDecodedOrCompressedTwiceForTwoPlayers) {
    Workshop shop;
    shop.source->put({1, 2});
    Listener first;
    Listener second;
    ASSERT_FALSE(shop.cache.find({1, 2}));
    shop.cache.request({1, 2}, first);
    shop.cache.request({1, 2}, second); // while the first one is on its way
    shop.settle();
    const auto third = shop.cache.find({1, 2});
    ASSERT_TRUE(third && third->encoded);
    ASSERT_EQ(first.heard.size(), 1u);
    ASSERT_EQ(second.heard.size(), 1u);
    EXPECT_EQ(first.heard[0].second.encoded, third->encoded);
    EXPECT_EQ(second.heard[0].second.encoded, third->encoded);
    EXPECT_EQ(shop.source->loads({1, 2}), 1);
    EXPECT_EQ(shop.cache.counters().made, 1u);
    EXPECT_EQ(shop.cache.counters().joined, 1u);
    EXPECT_EQ(shop.cache.counters().hits, 1u);
    // Three of the chunk, ten sections, and the fluids.
    EXPECT_GE(third->encoded->parts.size(), 13u);
    EXPECT_EQ(third->encoded->parts.front().frame.packet(), packets::SetChunkHeightmap::k_info.id);
}

TEST(EncodedChunkCache, AChunkThatIsNotThereIsRememberedAndNeverMadeUp) {
    Workshop shop;
    Listener user;
    shop.cache.request({5, 5}, user);
    shop.settle();
    ASSERT_EQ(user.heard.size(), 1u);
    EXPECT_EQ(user.heard[0].second.kind, ChunkAnswer::Kind::absent);
    EXPECT_FALSE(user.heard[0].second.encoded);
    ASSERT_TRUE(shop.cache.find({5, 5}));
    EXPECT_EQ(shop.cache.find({5, 5})->kind, ChunkAnswer::Kind::absent);
    EXPECT_EQ(shop.source->loads({5, 5}), 1);
}

TEST(EncodedChunkCache, AChunkThatCannotBeReadIsTriedAgainAfterTenSeconds) {
    Workshop shop;
    shop.source->put({0, 0});
    shop.source->fail({0, 0}, true);
    std::vector<std::string> failures;
    shop.cache.set_failed([&](ChunkPos, const Error& error) { failures.push_back(error.problem); });
    Listener user;
    shop.cache.request({0, 0}, user);
    shop.settle();
    EXPECT_EQ(user.heard.at(0).second.kind, ChunkAnswer::Kind::failed);
    EXPECT_EQ(user.heard.at(0).second.retry_at, shop.clock.time + 10s);
    EXPECT_EQ(failures.size(), 1u);
    shop.clock.time += 9999ms;
    ASSERT_TRUE(shop.cache.find({0, 0}));
    shop.clock.time += 1ms;
    EXPECT_FALSE(shop.cache.find({0, 0}));
    shop.source->fail({0, 0}, false);
    shop.cache.request({0, 0}, user);
    shop.settle();
    EXPECT_EQ(user.heard.at(1).second.kind, ChunkAnswer::Kind::found);
}

TEST(EncodedChunkCache, TheLeastRecentlyUsedGiveWayAndThoseInViewStay) {
    const auto one = bytes_of_one();
    Listener user;
    Workshop shop({.most_unused_bytes = 3 * one + one / 2});
    for (int x = 0; x < 6; ++x) shop.source->put({x, 0});
    shop.cache.request({0, 0}, user);
    shop.settle();
    shop.cache.hold({0, 0});
    for (int x = 1; x < 4; ++x) {
        shop.cache.request({x, 0}, user);
        shop.settle();
    }
    ASSERT_TRUE(shop.cache.find({1, 0})); // used again: 2,0 is the oldest now
    shop.cache.request({4, 0}, user);
    shop.settle();
    EXPECT_TRUE(shop.cache.find({0, 0}));
    EXPECT_TRUE(shop.cache.find({1, 0}));
    EXPECT_FALSE(shop.cache.find({2, 0}));
    EXPECT_TRUE(shop.cache.find({4, 0}));
    EXPECT_LE(shop.cache.counters().bytes, 4 * one + one / 2);
    shop.cache.release({0, 0}); // the youngest of those that nobody sees
    EXPECT_TRUE(shop.cache.find({0, 0}));
    EXPECT_FALSE(shop.cache.find({3, 0}));
}

TEST(EncodedChunkCache, MemoryIsBoundedAlsoForColumnsInView) {
    const auto one = bytes_of_one();
    Listener user;
    Workshop shop({.most_unused_bytes = 0, .most_bytes = 2 * one + one / 2});
    for (int x = 0; x < 5; ++x) {
        shop.source->put({x, 0});
        shop.cache.hold({x, 0});
        shop.cache.request({x, 0}, user);
        shop.settle();
    }
    EXPECT_LE(shop.cache.counters().bytes, 2 * one + one / 2);
    EXPECT_TRUE(shop.cache.find({4, 0}));
    EXPECT_FALSE(shop.cache.find({0, 0}));
    // Who has it in view hears of changes all the same.
    std::vector<ChunkPos> changed;
    shop.cache.set_changed([&](ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now) {
        EXPECT_FALSE(before);
        EXPECT_TRUE(now.encoded);
        changed.push_back(pos);
    });
    shop.cache.refresh({0, 0});
    shop.settle();
    EXPECT_EQ(changed, std::vector<ChunkPos>({{0, 0}}));
}

TEST(EncodedChunkCache, AChangedChunkKeepsTheFramesOfWhatIsTheSame) {
    Workshop shop;
    shop.source->put({0, 0}, "Rock_Stone");
    Listener user;
    shop.cache.request({0, 0}, user);
    shop.settle();
    const auto before = shop.cache.find({0, 0})->encoded;
    shop.cache.hold({0, 0});
    EncodedChunkPtr old;
    ChunkAnswer now;
    int changes = 0;
    shop.cache.set_changed([&](ChunkPos, const EncodedChunkPtr& was, const ChunkAnswer& is) {
        ++changes;
        old = was;
        now = is;
    });
    shop.source->put({0, 0}, "Soil_Grass");
    shop.cache.refresh({0, 0});
    EXPECT_FALSE(shop.cache.find({0, 0})) << "an old chunk must not be given to anybody";
    shop.settle();
    ASSERT_EQ(changes, 1);
    EXPECT_EQ(old, before);
    ASSERT_TRUE(now.encoded);
    const auto parts = changed_parts(*before, *now.encoded);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0]->frame.packet(), packets::SetChunk::k_info.id);
    EXPECT_EQ(parts[0]->section, 0);
    std::size_t shared = 0;
    for (std::size_t at = 0; at < before->parts.size(); ++at)
        shared += before->parts[at].frame.frame().memory() == now.encoded->parts[at].frame.frame().memory();
    EXPECT_EQ(shared, before->parts.size() - 1);
}

TEST(EncodedChunkCache, AChangeDuringTheMakingIsNotMissed) {
    Workshop shop;
    shop.source->put({0, 0}, "Rock_Stone");
    Listener user;
    shop.cache.request({0, 0}, user);
    shop.source->put({0, 0}, "Soil_Grass");
    shop.cache.refresh({0, 0}); // whichever of the two the worker has read
    shop.settle();
    ASSERT_EQ(user.heard.size(), 1u);
    EXPECT_EQ(shop.source->loads({0, 0}), 2);
    EXPECT_TRUE(shop.cache.find({0, 0}));
}

TEST(EncodedChunkCache, ACancelledRequestIsNotAnswered) {
    Workshop shop;
    Listener gone;
    Listener stays;
    for (int x = 0; x < 20; ++x) {
        shop.source->put({x, 0});
        shop.cache.request({x, 0}, gone);
    }
    shop.cache.request({0, 0}, stays);
    for (int x = 0; x < 20; ++x) shop.cache.cancel({x, 0}, gone);
    shop.settle();
    EXPECT_TRUE(gone.heard.empty());
    EXPECT_EQ(stays.heard.size(), 1u);
    EXPECT_LE(shop.source->all_loads(), 4) << "most had not begun";
}

TEST(EncodedChunkCache, AColumnInViewIsMadeAgainThoughNobodyWaitsForItAnyMore) {
    Workshop shop;
    Listener user;
    for (int x = 0; x < 20; ++x) shop.source->put({x, 0});
    shop.cache.request({0, 0}, user);
    shop.settle();
    shop.cache.hold({0, 0});
    int changes = 0;
    shop.cache.set_changed([&](ChunkPos, const EncodedChunkPtr&, const ChunkAnswer&) { ++changes; });
    for (int x = 1; x < 20; ++x) shop.cache.request({x, 0}, user); // so that the next one has to wait
    shop.source->put({0, 0}, "Soil_Grass");
    shop.cache.refresh({0, 0});
    EXPECT_FALSE(shop.cache.peek({0, 0})) << "it is old";
    shop.cache.refresh({0, 0}, false); // somebody else has nothing to tell
    shop.cache.request({0, 0}, user);
    shop.cache.cancel({0, 0}, user);
    shop.settle();
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(shop.source->loads({0, 0}), 2);
    EXPECT_TRUE(shop.cache.peek({0, 0}));
    // Who knows already is not told.
    shop.cache.refresh({0, 0}, false);
    shop.settle();
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(shop.source->loads({0, 0}), 3);
}

TEST(EncodedChunkCache, WhatNobodySeesGivesWayBeforeWhatSomebodySees) {
    const auto one = bytes_of_one();
    Listener user;
    Workshop shop({.most_unused_bytes = 10 * one, .most_bytes = 3 * one + one / 2});
    for (int x = 0; x < 5; ++x) {
        shop.source->put({x, 0});
        shop.cache.request({x, 0}, user);
        shop.settle();
        if (x < 2) shop.cache.hold({x, 0});
    }
    EXPECT_LE(shop.cache.counters().bytes, 3 * one + one / 2);
    EXPECT_EQ(shop.cache.counters().evicted, 2U);
    for (int x = 0; x < 5; ++x) EXPECT_EQ(shop.cache.peek({x, 0}) != nullptr, x < 2 || x == 4) << x;
}

TEST(EncodedChunkCache, EnvironmentsOfAPlaceAreKnown) {
    auto chunk = chunk::Chunk::create();
    auto* environments = chunk.edit_environments().value();
    const std::array<chunk::EnvironmentRun, 2> runs = {
        {{.max_y = 99, .key = "Env_Cave"}, {.max_y = chunk::EnvironmentRun::k_no_end, .key = "Env_Sky"}}};
    environments->set_runs(ColumnIndex(3, 4), runs);
    Buffer out;
    const auto document = chunk.encode(out).value();
    struct One final : ChunkSource {
        Bytes bytes;
        Result<std::optional<LoadedChunk>> load(ChunkPos, storage::ReadContext&) override {
            return LoadedChunk{bytes};
        }
    } source;
    source.bytes = document;
    WireIds ids;
    ChunkEncoder maker;
    const auto encoded = maker.make(source, {0, 0}, ids, nullptr).value();
    EXPECT_FALSE(encoded->has_same_environments);
    EXPECT_EQ(environment_at(*encoded, {3, 99, 4}), ids.environments.find("Env_Cave"));
    EXPECT_EQ(environment_at(*encoded, {3, 100, 4}), ids.environments.find("Env_Sky"));
    EXPECT_NE(environment_at(*encoded, {4, 100, 4}), ids.environments.find("Env_Sky"));
    EXPECT_EQ(environment_at(*encoded, {3, -5, 4}), ids.environments.find("Env_Cave"));
}

/// A chunk with a hill and environments that differ from place to place.
Buffer hilly_document() {
    auto chunk = chunk::Chunk::create();
    auto* environments = chunk.edit_environments().value();
    for (int i = 0; i < k_columns; ++i) {
        const std::array<chunk::EnvironmentRun, 2> runs{
            {{.max_y = 40 + i % 32, .key = "Env_Cave"},
             {.max_y = chunk::EnvironmentRun::k_no_end, .key = "Env_Sky"}}};
        environments->set_runs(ColumnIndex(i), runs);
    }
    (void)chunk.set_block({5, 70, 5}, {.key = "Rock_Stone", .rotation = {}, .filler = {}});
    Buffer out;
    const auto document = chunk.encode(out).value();
    return {document.begin(), document.end()};
}

struct HillySource final : ChunkSource {
    Buffer document = hilly_document();
    Result<std::optional<LoadedChunk>> load(ChunkPos, storage::ReadContext&) override {
        return LoadedChunk{document};
    }
};

TEST(EncodedChunk, IsTheSameForWhateverBuildsItWasMade) {
    HillySource source;
    WireIds ids;
    ChunkEncoder maker;
    const protocol::Dialect* const usual = nullptr;
    const auto* const apart = protocol::Dialect::of(*protocol::find_build("b242"));
    const auto* const alike = protocol::Dialect::of(*protocol::find_build("0.5.1"));
    const auto made_for = [&](std::vector<const protocol::Dialect*> words,
                              const EncodedChunkPtr& before = {}) {
        return maker.make(source, {2, 3}, ids, before, nullptr, words).value();
    };
    const auto plain = made_for({});
    const auto& environments = plain->parts[2].frame;
    EXPECT_TRUE(environments.payload()) << "the weather needs it";
    EXPECT_FALSE(plain->parts[0].frame.payload());
    const auto has_frame = [&](const EncodedChunkPtr& encoded) {
        const auto& frame = encoded->parts[2].frame;
        return frame.bytes() - frame.renderings().bytes() > frame.payload()->size();
    };
    const auto is_rendered = [&](const EncodedChunkPtr& encoded) {
        return encoded->parts[2].frame.renderings().find(*apart).has_value()
               && encoded->parts[0]
                      .frame.renderings()
                      .find(*apart, encoded->parts[1].frame.memory())
                      .has_value();
    };
    EXPECT_TRUE(has_frame(plain) && !is_rendered(plain));
    EXPECT_TRUE(has_frame(made_for({usual})) && has_frame(made_for({alike})));
    const auto both = made_for({alike, apart});
    EXPECT_TRUE(has_frame(both) && is_rendered(both));
    const auto other = made_for({apart});
    EXPECT_FALSE(has_frame(other)) << "nobody is to get it";
    EXPECT_TRUE(is_rendered(other));
    EXPECT_GT(both->bytes(), plain->bytes());
    EXPECT_EQ(environment_at(*other, {9, 49, 4}), environment_at(*plain, {9, 49, 4}));
    EXPECT_NE(environment_at(*other, {9, 49, 4}), environment_at(*other, {9, 50, 4}));

    EXPECT_TRUE(changed_parts(*plain, *other).empty());
    ASSERT_EQ(plain->parts.size(), other->parts.size());
    for (std::size_t i = 0; i < plain->parts.size(); ++i)
        EXPECT_TRUE(plain->parts[i].frame.frame() == other->parts[i].frame.frame())
            << "for one who comes later";

    // A player of the usual build has joined before it is made again: then it has the frame at once.
    const auto first = made_for({apart});
    const auto again = made_for({apart, usual}, first);
    EXPECT_TRUE(has_frame(again));
    EXPECT_EQ(again->parts[2].frame.payload(), first->parts[2].frame.payload());
    EXPECT_TRUE(changed_parts(*first, *again).empty());
}

TEST(EncodedChunkCache, ChunksAreMadeInTheWordsOfThoseWhoAreThere) {
    Workshop shop;
    shop.source->put_square(1);
    const auto* const apart = protocol::Dialect::of(*protocol::find_build("b242"));
    Listener user;
    const auto is_rendered = [&](ChunkPos pos) {
        shop.cache.request(pos, user);
        shop.settle();
        return shop.cache.find(pos)->encoded->parts[2].frame.renderings().find(*apart).has_value();
    };
    EXPECT_FALSE(is_rendered({0, 0}));
    shop.cache.add_words(apart);
    shop.cache.add_words(apart);
    EXPECT_TRUE(is_rendered({1, 0}));
    shop.cache.remove_words(apart);
    EXPECT_TRUE(is_rendered({0, 1}));
    shop.cache.remove_words(apart);
    EXPECT_FALSE(is_rendered({1, 1}));
}

} // namespace
} // namespace orbis::game
