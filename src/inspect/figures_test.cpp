#include "capture/made_records_test.hpp"
#include "inspect/inbox.hpp"
#include "inspect/latency.hpp"
#include "inspect/rates.hpp"
#include "inspect/scene.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace orbis::inspect {
namespace {

using capture::Side;
using capture::made::Records;

constexpr std::int64_t k_second = 1'000'000'000;
constexpr std::string_view k_ping =
    R"({{"id":{},"lastPingValueRaw":0,"lastPingValueDirect":0,"lastPingValueTick":0}})";

std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

TEST(Rates, CountEachPacketInItsSecond) {
    Records made;
    Rates rates(Rates::recent());
    for (int i = 0; i < 10; ++i) {
        auto& chat = made.add(Side::server, "ChatMessage", R"({"message":"hello"})");
        chat.time = Records::k_start + i * k_second / 2;
        rates.add(chat);
    }
    auto& ping = made.add(Side::client, "Ping", fmt::format(fmt::runtime(k_ping), 1));
    ping.time = Records::k_start + 3 * k_second;
    rates.add(ping);
    const auto table = rates.table(10);
    EXPECT_EQ(table.start, Records::k_start);
    EXPECT_EQ(table.width, k_second);
    ASSERT_EQ(table.count, 5U);
    ASSERT_EQ(table.series.size(), 2U);
    EXPECT_EQ(table.series[0].packet, "ChatMessage");
    EXPECT_EQ(table.series[0].to, Side::server);
    EXPECT_EQ(table.series[0].frames, (std::vector<std::uint64_t>{2, 2, 2, 2, 2}));
    EXPECT_EQ(table.series[1].frames, (std::vector<std::uint64_t>{0, 0, 0, 1, 0}));
    EXPECT_EQ(table.series[1].bytes[3], ping.length);
}

TEST(Rates, OfAProxyForgetTheOldest) {
    Records made;
    auto& chat = made.add(Side::server, "ChatMessage", R"({"message":"hello"})");
    Rates rates({.width = k_second, .buckets = 10});
    for (int i = 0; i < 1000; ++i) {
        chat.time = Records::k_start + i * k_second;
        rates.add(chat);
    }
    auto table = rates.table(10);
    EXPECT_EQ(table.count, 10U);
    EXPECT_EQ(table.start, Records::k_start + 990 * k_second);
    chat.time += 100'000 * k_second; // after a long rest
    rates.add(chat);
    table = rates.table(10);
    EXPECT_EQ(sum_of(table.series.at(0).frames), 1U);
}

TEST(Rates, OfACaptureWidenAndLoseNothing) {
    Records made;
    auto& chat = made.add(Side::server, "ChatMessage", R"({"message":"hello"})");
    Rates rates(Rates::whole());
    for (int i = 0; i < 5000; ++i) {
        chat.time = Records::k_start + i * k_second;
        rates.add(chat);
    }
    const auto table = rates.table(10);
    EXPECT_LE(table.count, 1024U);
    EXPECT_GE(table.width * 1024, 5000 * k_second);
    EXPECT_EQ(sum_of(table.series.at(0).frames), 5000U);
    EXPECT_EQ(sum_of(table.series.at(0).bytes), 5000 * chat.length);
}

TEST(Rates, PutWhatIsTooMuchIntoOne) {
    Records made;
    Rates rates({.kinds = 2});
    rates.add(made.add(Side::server, "ChatMessage", R"({"message":"hello"})"));
    rates.add(made.add(Side::client, "Ping", fmt::format(fmt::runtime(k_ping), 1)));
    rates.add(made.add(Side::client, "SetClientId", R"({"clientId":42})"));
    auto table = rates.table(10);
    ASSERT_EQ(table.series.size(), 3U);
    EXPECT_EQ(table.series[2].packet, "");
    table = rates.table(1);
    ASSERT_EQ(table.series.size(), 2U);
    EXPECT_EQ(sum_of(table.series[1].frames), 2U);
}

TEST(Rates, BearAnyTimes) {
    Records made;
    auto& chat = made.add(Side::server, "ChatMessage", R"({"message":"hello"})");
    for (const auto settings : {Rates::recent(), Rates::whole()}) {
        Rates rates(settings);
        for (const auto time : {std::int64_t{0}, std::numeric_limits<std::int64_t>::max(),
                                std::numeric_limits<std::int64_t>::min(), std::int64_t{5}}) {
            chat.time = time;
            rates.add(chat);
        }
        EXPECT_LE(rates.table(5).count, settings.buckets);
    }
}

TEST(Latency, IsTheTimeFromAPingToItsAnswers) {
    Records made;
    Latency latency;
    capture::RecordDecoder decoder;
    const auto add = [&](capture::Record& record, std::int64_t milliseconds) {
        record.time = Records::k_start + milliseconds * 1'000'000;
        latency.add(record, decoder);
    };
    const auto ping = [&](int id, std::int64_t at) {
        add(made.add(Side::client, "Ping", fmt::format(fmt::runtime(k_ping), id)), at);
    };
    const auto pong = [&](int id, std::string_view type, std::int64_t at) {
        add(made.add(Side::server, "Pong",
                     fmt::format(R"({{"id":{},"type":"{}","packetQueueSize":0}})", id, type)),
            at);
    };
    ping(1, 0);
    pong(1, "Raw", 20);
    ping(2, 1000);
    pong(1, "Tick", 1030);
    pong(2, "Raw", 1040);
    pong(2, "Raw", 1050); // a second answer of the same kind says nothing
    pong(9, "Raw", 1060); // nobody asked
    latency.add(1, {Records::k_start, Latency::Kind::server, 5'000'000});
    const auto players = latency.players();
    ASSERT_EQ(players.size(), 1U);
    EXPECT_EQ(players[0].player, 1U);
    std::string text;
    for (const auto& sample : players[0].samples)
        text += fmt::format("{} {}, ", Latency::name(sample.kind), sample.nanoseconds / 1'000'000);
    EXPECT_EQ(text, "raw 20, tick 1030, raw 40, server 5, ");
}

TEST(Latency, KeepsTheLastOfAFewPlayers) {
    Latency latency;
    for (std::uint64_t player = 1; player <= 2 * Latency::k_most_players; ++player)
        latency.add(player, {0, Latency::Kind::client, 1});
    for (std::size_t i = 0; i < 3 * Latency::k_most_samples; ++i)
        latency.add(1000, {static_cast<std::int64_t>(i), Latency::Kind::client, 1});
    const auto players = latency.players();
    EXPECT_EQ(players.size(), Latency::k_most_players);
    EXPECT_EQ(players.back().player, 1000U);
    EXPECT_EQ(players.back().samples.size(), Latency::k_most_samples);
    EXPECT_EQ(players.back().samples.back().time, static_cast<std::int64_t>(3 * Latency::k_most_samples - 1));
}

constexpr std::string_view k_entity =
    R"({{"updates":[{{"networkId":{},"updates":[{{"$type":"TransformUpdate","transform":{{"position":{{"x":{},"y":64.5,"z":-3.25}}}}}}]}}]}})";

TEST(Scene, FollowsEntities) {
    Records made;
    Scene scene;
    capture::RecordDecoder decoder;
    const auto client = [&](std::string_view packet, std::string_view json) {
        scene.add(made.add(Side::client, packet, json), decoder);
    };
    client("EntityUpdates", fmt::format(fmt::runtime(k_entity), 5, 1.5));
    client("EntityUpdates", fmt::format(fmt::runtime(k_entity), 6, 7.5));
    client("EntityUpdates",
           R"({"updates":[{"networkId":5,"updates":[{"$type":"NameplateUpdate","text":"Kweebec"}]}]})");
    ASSERT_EQ(scene.entities().size(), 2U);
    EXPECT_EQ(scene.entities().at(5).name, "Kweebec");
    EXPECT_EQ(scene.entities().at(5).place, (Scene::Place{1.5, 64.5, -3.25}));
    client("EntityUpdates", fmt::format(fmt::runtime(k_entity), 5, 2.5));
    EXPECT_EQ(scene.entities().at(5).place->at(0), 2.5);
    EXPECT_EQ(scene.entities().at(5).name, "Kweebec");
    client("EntityUpdates", R"({"removed":[5]})");
    EXPECT_FALSE(scene.entities().contains(5));
    client("JoinWorld",
           R"({"clearWorld":true,"fadeInOut":false,"worldUuid":"00112233-4455-6677-8899-aabbccddeeff"})");
    EXPECT_TRUE(scene.entities().empty());
    EXPECT_EQ(scene.worlds(), 1U);
}

TEST(Scene, FollowsChunksAndThePlayer) {
    Records made;
    Scene scene;
    capture::RecordDecoder decoder;
    const auto visit = capture::made::visit();
    for (const auto& record : visit.all()) scene.add(record, decoder);
    ASSERT_EQ(scene.chunks().size(), 1U);
    EXPECT_TRUE(scene.chunks().contains(ChunkPos{1, -3}));
    scene.add(made.add(Side::client, "UnloadChunk", R"({"chunkX":1,"chunkZ":-3})"), decoder);
    EXPECT_TRUE(scene.chunks().empty());
    EXPECT_FALSE(scene.place());
    scene.add(
        made.add(
            Side::client, "ClientTeleport",
            R"({"teleportId":1,"modelTransform":{"position":{"x":1.0,"y":2.0,"z":3.0}},"resetVelocity":false})"),
        decoder);
    EXPECT_EQ(scene.place(), (Scene::Place{1, 2, 3}));
}

TEST(Scene, HasNoMoreThanItsLimits) {
    Records made;
    Scene scene;
    capture::RecordDecoder decoder;
    std::string updates;
    for (std::size_t id = 0; id < Scene::k_most_entities + 10; ++id)
        updates += fmt::format(R"({}{{"networkId":{}}})", updates.empty() ? "" : ",", id);
    scene.add(made.add(Side::client, "EntityUpdates", fmt::format(R"({{"updates":[{}]}})", updates)),
              decoder);
    EXPECT_EQ(scene.entities().size(), Scene::k_most_entities);
    EXPECT_EQ(scene.left_out(), 10U);
}

TEST(Inbox, DropsWhatDoesNotFitAndSaysHowMuch) {
    const auto visit = capture::made::visit();
    Inbox inbox(3000);
    for (int i = 0; i < 100; ++i) inbox.add(visit.all()[4]);
    auto batch = inbox.take();
    EXPECT_GT(batch.letters.size(), 0U);
    EXPECT_LT(batch.letters.size(), 100U);
    EXPECT_EQ(batch.dropped, 100 - batch.letters.size());
    EXPECT_EQ(as_text(batch.letters[0].record.frame), as_text(visit.all()[4].frame));
    EXPECT_EQ(batch.letters[0].record.build_name, "2026.02.17");
    inbox.add(visit.all()[4]);
    batch = inbox.take();
    EXPECT_EQ(batch.letters.size(), 1U) << "there is room again";
    EXPECT_EQ(batch.dropped, 0U);
}

} // namespace
} // namespace orbis::inspect
