#include "net/wire_test_support.hpp"
#include "packets/interface.hpp"
#include "packets/world.hpp"
#include "protocol/dialect.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

using namespace test;
using Phase = ClientSession::Phase;

ClientRules client_of(std::string_view build) {
    ClientRules rules;
    rules.build = GameBuild::find(build).value();
    rules.name = "visitor";
    return rules;
}

TEST(Builds, ClientsOfEachJoinOneServer) {
    Wire wire;
    wire.start();
    std::uint8_t number = 1;
    for (const auto* build : spoken_builds()) {
        auto rules = client_of(build->build);
        rules.uuid = uuid_of(number);
        auto& visit = wire.new_visit();
        wire.world.packets.clear();
        wire.join(visit, rules);
        ASSERT_TRUE(wire.network.run_until([&] { return visit.reached(Phase::play); }))
            << build->build << ": " << visit.reason.value_or("") << (visit.close ? visit.close->text() : "");
        visit.packets.resize(4); // pings may follow
        EXPECT_EQ(visit.packets, (std::vector<std::int32_t>{14, 20, 22, 104})) << build->build;
        EXPECT_TRUE(wire.network.run_until([&] { return wire.world.packets.size() == 4; }));
        EXPECT_EQ(wire.world.packets, (std::vector<std::int32_t>{23, 32, 33, 105})) << build->build;
        ++number;
    }
    EXPECT_EQ(wire.sessions_in(ServerSession::Phase::play), spoken_builds().size());
    wire.network.run_for(300s); // all answer pings
    EXPECT_EQ(wire.sessions_in(ServerSession::Phase::play), spoken_builds().size());
    for (auto& visit : wire.visits) {
        ASSERT_TRUE(visit.session);
        visit.session->leave();
    }
    EXPECT_TRUE(wire.network.run_until([&] { return wire.world.closes.size() == spoken_builds().size(); }));
}

TEST(Builds, TheFirstHaveOneStreamForEverything) {
    for (const auto* build : spoken_builds()) {
        const auto* dialect = GameBuild::of(*build).dialect;
        const bool has_one = dialect != nullptr && dialect->has_one_stream();
        EXPECT_EQ(has_one, build->build_number < 20) << build->build;
        Wire wire;
        wire.start();
        auto& visit = wire.new_visit();
        wire.join(visit, client_of(build->build));
        ASSERT_TRUE(wire.network.run_until([&] { return visit.reached(Phase::play); })) << build->build;
        auto& link = wire.session().link();
        const auto before = link.sent(Channel::normal);
        packets::UnloadChunk unload;
        unload.chunk_x = 5;
        ASSERT_TRUE(wire.session().send(unload));
        EXPECT_EQ(link.sent(Channel::normal) > before, has_one) << build->build;
        EXPECT_EQ(link.sent(Channel::chunks) == link.sent(Channel::normal), has_one) << build->build;
        const auto id = packets::UnloadChunk::k_info.id;
        EXPECT_TRUE(wire.network.run_until([&] {
            return std::ranges::find(visit.packets, id) != visit.packets.end();
        })) << build->build;
    }
}

TEST(Builds, FramesThatBelongTogetherAreFewerWhereTheBuildHasOnePacketForThem) {
    for (const auto* build : {"2026.02.17", "0.5.1", "b242"}) {
        Wire wire;
        wire.start();
        auto& visit = wire.new_visit();
        wire.join(visit, client_of(build));
        ASSERT_TRUE(wire.network.run_until([&] { return visit.reached(Phase::play); })) << build;
        protocol::FrameWriter<Side::server> writer;
        Buffer map(2 + 2 + 4 + 1280);
        map[0] = 1; // one height
        store_le(map.data() + 4, std::int32_t{1280});
        const auto frame = [&](const auto& packet) { return OutgoingFrame::make(writer, packet).value(); };
        const auto heights = frame(packets::SetChunkHeightmap{3, 4, Bytes(map)});
        const auto tints = frame(packets::SetChunkTintmap{3, 4, Bytes()});
        const auto block = frame(packets::UnloadChunk{3, 4});
        const std::array together{&heights, &tints, &block};
        auto& link = wire.session().link();
        const auto before = link.sent(Channel::chunks);
        ASSERT_TRUE(wire.session().send(together));
        auto expected = block.frame().bytes().size();
        if (std::string_view(build) == "b242") {
            protocol::PayloadFramer framer;
            Decompressor decompressor;
            Interpreter interpreter(*GameBuild::find(build)->dialect, Side::server, false, framer,
                                    decompressor, [](Channel, Bytes) {});
            expected += interpreter.render_as_one(heights, tints).value()[0].second.bytes().size();
        } else {
            expected += heights.frame().bytes().size() + tints.frame().bytes().size();
        }
        EXPECT_EQ(link.sent(Channel::chunks) - before, expected) << build;
        const auto came = [&](std::int32_t id) { return std::ranges::count(visit.packets, id); };
        EXPECT_TRUE(wire.network.run_until([&] { return came(packets::UnloadChunk::k_info.id) == 1; }));
        EXPECT_EQ(came(packets::SetChunkHeightmap::k_info.id), 1) << build;
    }
}

TEST(Builds, EachKnowsWhoItsPlayersAre) {
    for (const auto* build : spoken_builds()) {
        Wire wire;
        wire.rules.password = "secret";
        wire.start();
        auto rules = client_of(build->build);
        rules.uuid = uuid_of(7);
        rules.password = "secret";
        auto& visit = wire.new_visit();
        wire.join(visit, rules);
        ASSERT_TRUE(wire.network.run_until([&] { return visit.reached(Phase::play); })) << build->build;
        EXPECT_EQ(wire.session().player().name, "visitor") << build->build;
        EXPECT_EQ(wire.session().player().uuid, uuid_of(7)) << build->build;
        EXPECT_EQ(wire.session().player().language, "en-US") << build->build;
    }
}

TEST(Builds, EachIsToldWhyItIsSentAway) {
    for (const auto* build : spoken_builds()) {
        Wire wire;
        wire.world.refusal = "Not today";
        wire.start();
        auto& visit = wire.new_visit();
        wire.join(visit, client_of(build->build));
        ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); })) << build->build;
        EXPECT_EQ(visit.reason, "Not today") << build->build;
    }
}

TEST(Builds, AServerTakesOnlyThoseThatItAccepts) {
    Wire wire;
    wire.rules.builds = find_spoken_builds("2026.03.26,0.5.1").value();
    wire.start();
    for (const auto* build : spoken_builds()) {
        const bool is_accepted = build->build == "2026.03.26" || build->build == "0.5.1";
        auto& visit = wire.new_visit();
        auto rules = client_of(build->build);
        rules.uuid = uuid_of(static_cast<std::uint8_t>(build->build_number));
        wire.join(visit, rules);
        ASSERT_TRUE(wire.network.run_until([&] { return visit.close || visit.reached(Phase::play); }));
        EXPECT_EQ(visit.reached(Phase::play), is_accepted) << build->build;
        if (is_accepted) continue;
        EXPECT_EQ(visit.close->code, build->build_number < 100 ? 5U : 6U) << build->build;
        if (build->hash.empty())
            EXPECT_EQ(visit.close->reason, "2026.03.26, 0.5.1");
        else // it is told by its protocol
            EXPECT_NE(visit.reason.value_or("").find("outdated"), std::string::npos);
    }
}

TEST(Builds, TheirListsAreCheckedAndNamed) {
    EXPECT_EQ(names_of(find_spoken_builds("0.5.1,2026.03.26,0.5.1").value()), "0.5.1, 2026.03.26");
    EXPECT_EQ(find_spoken_builds("-1149927892").value().front()->build, "2026.05.07");
    for (const auto* text : {"", "0.5.1,", "2027", "2026.01"}) {
        const auto found = find_spoken_builds(text);
        ASSERT_FALSE(found) << text;
        EXPECT_EQ(found.error().advice, "it speaks " + names_of(spoken_builds()));
    }
}

TEST(Builds, WhoFloodsWithPacketsThatMeanNothingIsSentAway) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_visit();
    wire.join(visit, client_of("0.5.1"));
    ASSERT_TRUE(wire.network.run_until([&] { return visit.reached(Phase::play); }));
    // `UpdateEmotes` and the like go to clients; this one goes to servers and is nothing to the usual build.
    const auto* foreign = GameBuild::find("0.5.1")->dialect->schema().registry().find("StreamOpen");
    ASSERT_TRUE(foreign);
    Buffer frame{1, 0, 0, 0, 0, 0, 0, 0, 1};
    store_le(frame.data() + 4, foreign->id);
    for (int i = 0; i < 100'000 && !visit.close; ++i) {
        if (visit.session) visit.session->link().forward(Channel::normal, frame);
        if (i % 1000 == 0) wire.network.run_for(1ms);
    }
    ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }));
    EXPECT_EQ(visit.close->code, std::to_underlying(CloseCode::rate_limited));
}

TEST(Builds, LongPacketsOfOthersAreNotTranslated) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_visit();
    wire.join(visit, client_of("0.5.1"));
    ASSERT_TRUE(wire.network.run_until([&] { return visit.reached(Phase::play); }));
    const auto* chains = GameBuild::find("0.5.1")->dialect->schema().registry().find("SyncPlayerPreferences");
    ASSERT_TRUE(chains);
    Buffer frame(8 + (300 << 10));
    store_le(frame.data(), static_cast<std::int32_t>(frame.size() - 8));
    store_le(frame.data() + 4, chains->id);
    visit.session->link().forward(Channel::normal, frame);
    ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }));
    EXPECT_EQ(visit.close->kind, Close::Kind::transport);
    EXPECT_EQ(visit.close->code, k_protocol_violation);
}

} // namespace
} // namespace orbis::net
