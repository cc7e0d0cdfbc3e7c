#include "bytes/reader.hpp"
#include "chunk/columns.hpp"
#include "game/bot/bot_hands.hpp"
#include "game/codec/wire_ids.hpp"
#include "game/content/made_pack_test.hpp"
#include "game/serve/packet_log_test.hpp"
#include "packets/entities.hpp"
#include "packets/interaction.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/world.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/dialect.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/value_json.hpp"
#include "support/amount.hpp"
#include "world/asset_pack.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace orbis::game {
namespace {

using test_server::PacketLog;

/// Clients of all builds on one server.
class ServedBuildsTest : public test_server::PacketLogTest {
protected:
    ServedBuildsTest() : PacketLogTest({"default"}) {}

    void begin(const world::Assets* assets = nullptr, const ContentPack* pack = nullptr) {
        std::ofstream(folder_ / "universe/worlds/default/config.json")
            << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}, "GameMode": "Creative"})";
        auto rules = unlimited();
        rules.can_edit = true;
        rules.editing.reach = 1000; // players stand in the air
        rules.assets = assets;
        rules.pack = pack;
        start(rules);
        usual_ = &join(1);
        ASSERT_TRUE(wait([&] { return has_all(*usual_); })) << usual_->reason;
    }
    static bool has_all(const PacketLog& log) {
        return log.count("SetChunk") >= 130 && log.count("UpdatePlayerInventory") > 0
               && log.count("ClearWorldMap") > 0;
    }
    /// The first and the last stand for all where fewer things are looked at.
    static std::vector<const protocol::BuildInfo*> others() {
        auto builds = net::spoken_builds();
        std::erase_if(builds, [](const auto* build) { return build->build == protocol::k_default_build; });
        if (orbis::test::looks_at_fewer()) builds.erase(builds.begin() + 1, builds.end() - 1);
        return builds;
    }
    PacketLog& join_as(std::size_t number, const protocol::BuildInfo& build) {
        auto& log = join(number, net::GameBuild::of(build));
        EXPECT_TRUE(wait([&] { return has_all(log) || !log.session; }));
        EXPECT_TRUE(log.session) << build.build << ": " << log.reason;
        return log;
    }
    /// A packet as text, without what differs from player to player.
    static std::string text_of(const PacketLog::Packet& packet) {
        const auto& schema = protocol::schema_of(*protocol::find_build(protocol::k_default_build));
        const auto value = protocol::decode(*schema.packet(packet.name), packet.payload, schema.read_rules());
        if (!value) return "unreadable";
        JsonWriter json;
        protocol::write_json(json, *value);
        return json.text();
    }

    /// A map of heights can be written in many ways.
    static std::string heights_of(const PacketLog::Packet& packet) {
        protocol::Arena arena;
        packets::SetChunkHeightmap map;
        if (!protocol::decode(packet.payload, arena, map) || !map.heightmap) return "unreadable";
        chunk::Heights heights;
        Reader in(*map.heightmap);
        Error problem;
        if (!heights.read(in, problem)) return problem.text();
        auto text = fmt::format("{},{}", map.x, map.z);
        for (int i = 0; i < k_columns; ++i) text += fmt::format(" {}", heights.at(ColumnIndex(i)));
        return text;
    }
    /// All builds are sent what the usual one is sent.
    void expect_the_same_for_all();

    PacketLog* usual_ = nullptr;
};

/// These differ from one join to the next, or say where somebody is.
bool differs_by_itself(std::string_view name) {
    static const std::set<std::string_view> k_names{"Ping",
                                                    "EntityUpdates",
                                                    "SetEntitySeed",
                                                    "SetClientId",
                                                    "UpdateTime",
                                                    "AddToServerPlayerList",
                                                    "UpdateServerPlayerListPing",
                                                    "UpdateServerPlayerList",
                                                    "ServerMessage",
                                                    "UpdateWorldMap",
                                                    "ConnectAccept"};
    return k_names.contains(name);
}

/// What some builds cannot say in full. The first have a text where later ones have a message, and do not
/// hide stats from tooltips; 2026.01.17 has fewer features. b242 has no flags of blocks, no ducking of sounds
/// and fewer features, and some things that may be absent in the usual build are always there.
bool is_said_in_part(std::string_view build, std::string_view name) {
    static const std::map<std::string_view, std::set<std::string_view>> k_names{
        {"2026.01.17", {"UpdateEntityStatTypes", "UpdateFeatures", "WorldLoadProgress"}},
        {"2026.02.06", {"UpdateEntityStatTypes", "WorldLoadProgress"}},
        {"b242",
         {"UpdateBlockTypes", "UpdateEntityUIComponents", "UpdateFeatures", "UpdateSoundEvents",
          "UpdateViewBobbing", "UpdateInteractions"}}};
    const auto of = k_names.find(build);
    return of != k_names.end() && of->second.contains(name);
}

void ServedBuildsTest::expect_the_same_for_all() {
    const auto& schema = protocol::schema_of(*protocol::find_build(protocol::k_default_build));
    /// What is left of a packet of the usual build when it was said in another.
    const auto left_of = [&](const PacketLog::Packet& packet, const protocol::Dialect& dialect) {
        const auto* word = dialect.said_by(protocol::Side::server, schema.registry().find(packet.name)->id);
        PacketLog::Packet left{packet.name, {}};
        Buffer there;
        EXPECT_TRUE(dialect.say(*word, packet.payload, there) && dialect.hear(*word, there, left.payload));
        return left;
    };
    const auto said_to = [&](const PacketLog& log, const protocol::BuildInfo& of, bool is_usual) {
        std::multiset<std::pair<std::string_view, std::string>> said;
        for (const auto& packet : log.packets) {
            if (differs_by_itself(packet.name)) continue;
            if (is_usual && is_said_in_part(of.build, packet.name))
                said.emplace(packet.name, text_of(left_of(packet, *protocol::Dialect::of(of))));
            else if (packet.name == packets::SetChunkHeightmap::k_info.name)
                said.emplace(packet.name, heights_of(packet));
            else
                said.emplace(packet.name, text_of(packet));
        }
        return said;
    };
    std::size_t number = 2;
    for (const auto* build : others()) {
        const auto expected = said_to(*usual_, *build, true);
        const auto said = said_to(join_as(number++, *build), *build, false);
        std::vector<std::pair<std::string_view, std::string>> missing;
        std::ranges::set_difference(expected, said, std::back_inserter(missing));
        for (const auto& [name, text] : missing)
            ADD_FAILURE() << build->build << " was not sent " << name << " " << text.substr(0, 300);
    }
}

TEST_F(ServedBuildsTest, EachIsSentTheSame) {
    begin();
    expect_the_same_for_all();
}

TEST_F(ServedBuildsTest, EachIsSentWhatTheAssetsSay) {
    test_pack::write(folder_ / "pack", test_pack::k_whole);
    const auto pack = test_pack::open(folder_ / "pack");
    auto assets = world::Assets::built_in();
    ASSERT_TRUE(world::load_assets(folder_ / "pack", assets));
    begin(&assets, &pack);
    expect_the_same_for_all();
    stop(); // before the pack goes
}

TEST_F(ServedBuildsTest, EachPlacesAndBreaksBlocksThatTheOthersSee) {
    begin();
    const auto stone = WireIds(world::Assets::built_in()).blocks.find("Rock_Stone").value();
    std::size_t number = 2;
    for (const auto* build : others()) {
        auto& log = join_as(number, *build);
        BotHands hands;
        const BlockPos pos{static_cast<int>(number), 200, 4};
        const auto before = usual_->count("ServerSetBlock");
        ASSERT_TRUE(hands.place(*log.session, pos, "Rock_Stone", stone));
        ASSERT_TRUE(wait([&] { return usual_->count("ServerSetBlock") == before + 1; })) << build->build;
        const auto placed = usual_->all<packets::ServerSetBlock>().back();
        EXPECT_EQ(placed.block_id, stone) << build->build;
        EXPECT_EQ(placed.x, pos.x) << build->build;
        ASSERT_TRUE(wait([&] { return log.count("ServerSetBlock") > 0; })) << build->build;
        EXPECT_EQ(log.all<packets::ServerSetBlock>().back().block_id, stone) << build->build;
        ASSERT_TRUE(hands.take_away(*log.session, pos));
        ASSERT_TRUE(wait([&] { return usual_->count("ServerSetBlock") == before + 2; })) << build->build;
        EXPECT_EQ(usual_->all<packets::ServerSetBlock>().back().block_id, 0) << build->build;
        EXPECT_EQ(log.count("CancelInteractionChain"), 0U) << build->build;
        ++number;
    }
}

TEST_F(ServedBuildsTest, EachIsSeenWalkingAndHeardByTheOthers) {
    begin();
    std::size_t number = 2;
    for (const auto* build : others()) {
        auto& log = join_as(number++, *build);
        pass(std::chrono::seconds(1));
        packets::ClientReady ready;
        ready.ready_for_chunks = ready.ready_for_gameplay = true;
        ASSERT_TRUE(log.session->send(ready));
        const auto own = log.all<packets::SetClientId>().front().client_id;
        packets::ClientMovement movement;
        movement.absolute_position = packets::Position{7.25, 15.5, 3.75};
        packets::MovementStates states;
        states.sprinting = true;
        movement.movement_states = states;
        ASSERT_TRUE(log.session->send(movement));
        const auto is_seen = [&](PacketLog& viewer) {
            bool has_moved = false;
            bool sprints = false;
            for (const auto& packet : viewer.all<packets::EntityUpdates>())
                for (const auto& entity : packet.updates.value_or({})) {
                    if (entity.network_id != own) continue;
                    for (const auto& component : entity.updates.value_or({})) {
                        if (const auto* moved = std::get_if<packets::TransformUpdate>(&component))
                            has_moved |= moved->transform.position && moved->transform.position->x == 7.25;
                        if (const auto* shown = std::get_if<packets::MovementStatesUpdate>(&component))
                            sprints |= shown->movement_states.sprinting;
                    }
                }
            return has_moved && sprints;
        };
        ASSERT_TRUE(wait([&] { return is_seen(*usual_); })) << build->build;
        packets::ChatMessage hello;
        const auto line_said = "hello from " + std::string(build->build);
        hello.message = protocol::Text(line_said);
        ASSERT_TRUE(log.session->send(hello));
        const auto is_heard = [&](PacketLog& listener) {
            const auto lines = listener.all<packets::ServerMessage>();
            return std::ranges::any_of(lines, [&](const auto& line) {
                const auto raw = line.message ? line.message->raw_text.value_or({}) : protocol::Text();
                return std::string_view(raw).find(build->build) != std::string_view::npos;
            });
        };
        EXPECT_TRUE(wait([&] { return is_heard(*usual_) && is_heard(log); })) << build->build;
    }
}

} // namespace
} // namespace orbis::game
