#include "protocol/dialect.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/missing_fields.hpp"
#include "protocol/schema_test_support.hpp"
#include "protocol/value_json.hpp"

#include <gtest/gtest.h>

namespace orbis::protocol {
namespace {

const BuildInfo& build_named(std::string_view name) { return *find_build(name); }

Value value_of_json(const Layout& layout, std::string_view json) {
    auto value = read_json(layout, JsonTree::parse(json).value()).value();
    fill_missing_fields(value);
    return value;
}

std::string json_text(const Value& value) {
    JsonWriter json;
    write_json(json, value);
    return json.text();
}

/// A packet of the usual build, said by a side in another build, as JSON of that.
std::string said(std::string_view in, Side side, std::string_view packet, std::string_view json) {
    const auto& dialect = *Dialect::of(build_named(in));
    const auto* layout = usual_schema().packet(packet);
    Buffer payload;
    EXPECT_TRUE(encode(*layout, value_of_json(*layout, json), payload));
    const auto* word = dialect.said_by(side, usual_schema().registry().find(packet)->id);
    if (word == nullptr) return "nothing";
    Buffer there;
    const auto translated = dialect.say(*word, payload, there);
    if (!translated) return translated.error().text();
    return std::string(word->other->name) + " "
           + json_text(decode(*word->other_layout, there, dialect.schema().read_rules()).value());
}

/// And what the usual build hears when that comes back.
std::string heard_again(std::string_view in, Side side, std::string_view packet, std::string_view json) {
    const auto& dialect = *Dialect::of(build_named(in));
    const auto* layout = usual_schema().packet(packet);
    const auto* word = dialect.said_by(side, usual_schema().registry().find(packet)->id);
    Buffer payload;
    Buffer there;
    Buffer back;
    EXPECT_TRUE(encode(*layout, value_of_json(*layout, json), payload));
    EXPECT_TRUE(dialect.say(*word, payload, there));
    EXPECT_TRUE(dialect.hear(*dialect.heard_from(side, word->other->id), there, back));
    return json_text(decode(*layout, back, {}).value());
}

TEST(Dialect, EachBuildOfTheProgramHasOne) {
    for (const auto& each : builds()) {
        const auto* dialect = Dialect::of(each);
        if (each.build == k_default_build) {
            EXPECT_EQ(dialect, nullptr);
            continue;
        }
        ASSERT_NE(dialect, nullptr) << each.build;
        EXPECT_EQ(dialect, Dialect::of(each)) << "made once";
        EXPECT_EQ(&dialect->build(), &each);
        EXPECT_TRUE(dialect->said_by(Side::server, usual_schema().registry().find("SetChunk")->id));
    }
    EXPECT_EQ(Dialect::of(build_named("0.5.1"))->protocol(), "hytale/2");
    EXPECT_EQ(Dialect::of(build_named("0.6.0-pre.1"))->protocol(), "hytale/3");
    EXPECT_FALSE(Dialect::of(build_named("2026.03.26"))->asks_for_player());
    EXPECT_TRUE(Dialect::of(build_named("0.5.1"))->asks_for_player());
}

TEST(Dialect, PacketsHaveTheNamesAndNumbersOfTheBuild) {
    const auto& dialect = *Dialect::of(build_named("2026.03.26"));
    const auto ping = usual_schema().registry().find("Ping")->id;
    EXPECT_EQ(dialect.said_by(Side::server, ping)->other->id, 3);
    EXPECT_EQ(dialect.heard_from(Side::server, 3)->usual->id, ping);
    EXPECT_EQ(dialect.said_by(Side::client, ping), nullptr) << "no client says that";
    EXPECT_EQ(said("2026.03.26", Side::client, "Disconnect", R"({"reason": "bye"})"),
              R"(ClientDisconnect {"reason":"PlayerLeave","type":"Disconnect"})");
    EXPECT_NE(said("2026.03.26", Side::server, "Disconnect", R"({"reason": "Full", "type": "Crash"})")
                  .find(R"("rawText":"Full")"),
              std::string::npos);
    EXPECT_EQ(heard_again("2026.03.26", Side::server, "Disconnect", R"({"reason": "Full", "type": "Crash"})"),
              R"({"type":"Crash","reason":"Full"})");
    EXPECT_EQ(said("2026.05.07", Side::client, "PlayerOptions", "{}"), "SetupFinalize {}");
    EXPECT_EQ(said("b242", Side::client, "ClientPlaceBlock", "{}"), "nothing");
}

TEST(Dialect, ThreeStatesAndBooleansThatMayBeAbsentSayTheSame) {
    const auto* line =
        R"({"message": {"rawText": "hi", "bold": "True", "italic": "False", "underlined": "Null"}})";
    const auto there = said("0.5.1", Side::server, "ServerMessage", line);
    EXPECT_NE(there.find(R"("bold":true,"italic":false,"monospace":null,"underlined":null)"),
              std::string::npos)
        << there;
    const auto back = heard_again("0.5.1", Side::server, "ServerMessage", line);
    EXPECT_NE(back.find(R"("bold":"True","italic":"False","monospace":"Null","underlined":"Null")"),
              std::string::npos)
        << back;
}

TEST(Dialect, TextsAreCutAtTheLimitOfTheBuild) {
    std::string line(254, 'a');
    line += "\u00e4\u00f6"; // 254, 256 and 258 bytes
    const auto there =
        said("0.5.1", Side::client, "ChatMessage", fmt::format(R"({{"message": "{}"}})", line));
    EXPECT_EQ(there, fmt::format(R"(ChatMessage {{"message":"{}"}})", std::string(254, 'a')));
}

TEST(Dialect, EnumsAreSaidByNameAndWhatHasNoNameIsLeftOut) {
    // `No` has another number from 2026.03.26 on.
    const auto* fx = R"({"type": "Init", "maxId": 1, "ambienceFX": [[0, {"sounds": [{"play3D": "No"}]}]]})";
    EXPECT_NE(said("2026.03.26", Side::server, "UpdateAmbienceFX", fx).find(R"("play3D":"No")"),
              std::string::npos);
    const auto features = said("b242", Side::server, "UpdateFeatures",
                               R"({"features": [["SplitVelocity", true], ["DisplayHealthBars", true]]})");
    EXPECT_NE(features.find("SplitVelocity"), std::string::npos);
    EXPECT_EQ(features.find("DisplayHealthBars"), std::string::npos) << features;
}

TEST(Dialect, MapPicturesHavePalettesInLaterBuilds) {
    std::string colours;
    for (int i = 0; i < 12; ++i) colours += fmt::format("{}{}", i == 0 ? "" : ",", i % 3 * 256);
    const auto json =
        fmt::format(R"({{"chunks": [{{"chunkX": 1, "chunkZ": 2, "image": {{"width": 4, "height": 3,
        "data": [{}]}}}}]}})",
                    colours);
    const auto there = said("2026.03.26", Side::server, "UpdateWorldMap", json);
    EXPECT_NE(there.find(R"("width":4,"height":3,"bitsPerIndex":2,"palette":[0,256,512])"), std::string::npos)
        << there;
    const auto back = heard_again("2026.03.26", Side::server, "UpdateWorldMap", json);
    EXPECT_NE(back.find(fmt::format(R"("width":4,"height":3,"data":[{}])", colours)), std::string::npos)
        << back;
}

TEST(Dialect, FramesAreSharedWhereTheBytesAreTheSame) {
    const auto id = [](std::string_view packet) { return usual_schema().registry().find(packet)->id; };
    for (const auto& each : builds()) {
        const auto* dialect = Dialect::of(each);
        if (dialect == nullptr || !each.is_spoken) continue;
        for (const auto* packet :
             {"SetChunk", "SetFluids", "ServerSetBlock", "ServerSetBlocks", "UnloadChunk"})
            EXPECT_TRUE(dialect->said_by(Side::server, id(packet))->is_said_alike)
                << each.build << " " << packet;
        for (const auto* packet : {"SetChunkHeightmap", "SetChunkTintmap", "SetChunkEnvironments"})
            EXPECT_NE(dialect->said_by(Side::server, id(packet))->is_said_alike, dialect->has_columns_apart())
                << each.build << " " << packet;
        EXPECT_FALSE(dialect->said_by(Side::server, id("EntityUpdates"))->is_said_alike) << each.build;
    }
    const auto& last = *Dialect::of(build_named("0.6.0-pre.1"));
    EXPECT_EQ(&last.first_to_say(id("UpdateBlockTypes")), Dialect::of(build_named("0.5.1")));
    EXPECT_EQ(&last.first_to_say(id("UpdatePlayerInventory")), Dialect::of(build_named("2026.03.26")));
    EXPECT_EQ(&last.first_to_say(id("UpdateTranslations")), &last) << "other packets come before it";
}

TEST(Dialect, PacketsThatOnlyTheBuildHasAreSentEmpty) {
    const auto& dialect = *Dialect::of(build_named("0.5.1"));
    const auto before = dialect.before(usual_schema().registry().find("UpdateTranslations")->id);
    std::vector<std::string> found;
    for (const auto& extra : before)
        found.push_back(
            std::string(extra.packet->name) + " "
            + json_text(decode(*dialect.schema().packet(extra.packet->id), extra.payload, {}).value()));
    EXPECT_EQ(found, (std::vector<std::string>{
                         R"(UpdateEmotes {"type":"Init","maxId":0,"emotes":[]})",
                         R"(UpdatePhysicalMaterials {"type":"Init","maxId":0,"physicalMaterials":[]})",
                         R"(UpdateMusicContainers {"type":"Init","maxId":0,"musicContainers":[]})",
                         R"(UpdateAudioStates {"type":"Init","maxId":0,"audioStates":[]})"}));
    EXPECT_TRUE(dialect.before(0).empty());
}

TEST(Dialect, BooleansThatBecameEnumsSayTheSame) {
    for (const auto* flies : {"true", "false"}) {
        const auto json = fmt::format(R"({{"movementSettings": {{"canFly": {}}}}})", flies);
        const bool can = std::string_view(flies) == "true";
        EXPECT_NE(said("b242", Side::server, "UpdateMovementSettings", json)
                      .find(can ? R"("fly":"Allowed")" : R"("fly":"Disabled")"),
                  std::string::npos);
        EXPECT_NE(heard_again("b242", Side::server, "UpdateMovementSettings", json)
                      .find(fmt::format(R"("canFly":{})", flies)),
                  std::string::npos);
    }
    const auto chain = [](std::string_view cancels) {
        return fmt::format(R"({{"type": "Init", "maxId": 1, "interactions":
            [[0, {{"$type": "BreakBlockInteraction", "cancelOnItemChange": {}}}]]}})",
                           cancels);
    };
    EXPECT_NE(said("b242", Side::server, "UpdateInteractions", chain("true")).find(R"("Cancel")"),
              std::string::npos);
    EXPECT_NE(said("b242", Side::server, "UpdateInteractions", chain("false")).find(R"("Ignore")"),
              std::string::npos);
    EXPECT_NE(heard_again("b242", Side::server, "UpdateInteractions", chain("true"))
                  .find(R"("cancelOnItemChange":true)"),
              std::string::npos);
}

TEST(Dialect, WorldsSayHowHighTheyAreWhereTheBuildWantsIt) {
    EXPECT_NE(said("b242", Side::server, "JoinWorld", "{}").find(R"("minSectionY":0,"maxSectionY":9)"),
              std::string::npos);
    EXPECT_EQ(said("b242", Side::server, "WorldSettings", R"({"worldHeight": 320})"),
              R"(WorldSettings {"requiredAssets":null})");
    EXPECT_EQ(heard_again("b242", Side::server, "WorldSettings", R"({"worldHeight": 320})"),
              R"({"worldHeight":320,"requiredAssets":null})");
    const auto& dialect = *Dialect::of(build_named("b242"));
    const auto before = dialect.before(usual_schema().registry().find("SetUpdateRate")->id);
    ASSERT_EQ(before.size(), 1U);
    EXPECT_EQ(json_text(decode(*dialect.schema().packet("NetworkTick"), before[0].payload, {}).value()),
              R"({"tickDurationMicros":33333,"serverTick":0})");
}

TEST(Dialect, MembersOfUnionsAreOneStructInTheFirstBuilds) {
    const auto update = [](std::string_view component) {
        return fmt::format(R"({{"updates": [{{"networkId": 7, "updates": [{}]}}]}})", component);
    };
    for (const auto* build : {"2026.01.17", "2026.02.06"}) {
        for (
            const auto* component :
            {R"({"$type":"NameplateUpdate","text":"Kim"})",
             R"({"$type":"UIComponentsUpdate","components":[3,4]})",
             R"({"$type":"CombatTextUpdate","hitAngleDeg":1.5,"text":"9"})",
             R"({"$type":"BlockUpdate","blockId":5,"entityScale":2})",
             R"({"$type":"EquipmentUpdate","armorIds":["a","b"],"rightHandItemId":"c","leftHandItemId":null})",
             R"({"$type":"InteractableUpdate","interactionHint":"open"})", R"({"$type":"NewSpawnUpdate"})",
             R"({"$type":"HitboxCollisionUpdate","hitboxCollisionConfigIndex":6})",
             R"({"$type":"PlayerSkinUpdate","skin":null})",
             R"({"$type":"ActiveAnimationsUpdate","activeAnimations":["walk",null]})"}) {
            const auto back = heard_again(build, Side::server, "EntityUpdates", update(component));
            EXPECT_NE(back.find(component), std::string::npos) << build << " " << back;
        }
        const auto model =
            said(build, Side::server, "EntityUpdates",
                 update(R"({"$type":"ModelUpdate","model":{"assetId":"Player","scale":1.5}})"));
        EXPECT_NE(model.find(R"("assetId":"Player")"), std::string::npos) << model;
        const auto there =
            said(build, Side::server, "EntityUpdates", update(R"({"$type":"NameplateUpdate","text":"Kim"})"));
        EXPECT_NE(there.find(R"("type":"Nameplate")"), std::string::npos) << there;
        EXPECT_NE(there.find(R"("nameplate":{"text":"Kim"})"), std::string::npos) << there;
        const auto prop = said(build, Side::server, "EntityUpdates", update(R"({"$type":"PropUpdate"})"));
        EXPECT_NE(prop.find(R"("updates":[])"), std::string::npos) << "has no word there: " << prop;
    }
}

TEST(Dialect, FilesThatTheSchemasDoNotKnowAreRefused) {
    const auto& info = build_named("0.5.1");
    const auto make = [&](std::string_view manners) {
        return Dialect::make(usual_schema(), schema_of(info), info, manners);
    };
    EXPECT_TRUE(make("{}"));
    EXPECT_TRUE(make(R"({"values": {"SoundEvent.spatialBlend": 1}})"));
    for (const auto* manners :
         {"", "{", R"({"like": "2031"})", R"({"values": {"SoundEvent.nothing": 1}})",
          R"({"values": {"Nothing": 1}})", R"({"values": {"SoundEvent.spatialBlend": "much"}})",
          R"({"packets": [{"usual": "Ping", "from": "moon", "here": "Ping"}]})",
          R"({"packets": [{"usual": "Ping", "from": "server", "here": "Pang"}]})",
          R"({"before": {"Ping": ["Pang"]}})", R"({"before": {"Pang": ["Ping"]}})",
          R"({"usual_values": {"WorldSettings.nothing": 1}})", R"({"columns_apart": true})",
          R"({"switches": {"canFly": {"here": "nothing", "off": "Disabled", "on": "Allowed"}}})",
          R"({"switches": {"nothing": {"here": "type", "off": "Disabled", "on": "Allowed"}}})"})
        EXPECT_FALSE(make(manners)) << manners;
}

/// Every packet of every build in its plainest form can be said. What comes back may have a zero where
/// nothing was, since some fields can be absent in one build alone; said again it is the same.
TEST(Dialect, PlainPacketsAreTheSameWhenTheyAreSaidAgain) {
    for (const auto& each : builds()) {
        const auto* dialect = Dialect::of(each);
        if (dialect == nullptr || !each.is_spoken) continue;
        for (const auto side : {Side::client, Side::server})
            for (const auto& packet : usual_schema().registry().packets()) {
                const auto* word = dialect->said_by(side, packet.id);
                if (word == nullptr) continue;
                Buffer payload;
                ASSERT_TRUE(encode(*word->usual_layout, plainest_value(*word->usual_layout), payload));
                Buffer there;
                Buffer back;
                const auto translated = dialect->say(*word, payload, there);
                ASSERT_TRUE(translated) << each.build << " " << packet.name << translated.error().text();
                const auto heard = dialect->hear(*word, there, back);
                ASSERT_TRUE(heard) << each.build << " " << packet.name << heard.error().text();
                Buffer again;
                ASSERT_TRUE(dialect->say(*word, back, again));
                EXPECT_EQ(again, there) << each.build << " " << packet.name;
                if (word->is_said_alike) {
                    EXPECT_EQ(there, payload) << each.build << " " << packet.name;
                }
            }
    }
}

} // namespace
} // namespace orbis::protocol
