#include "game/content/expected_values_test.hpp"
#include "game/serve/packet_log_test.hpp"
#include "packets/entities.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"

#include <algorithm>
#include <fstream>
#include <set>

namespace orbis::game {
namespace {

using expected::Row;

class JoinTest : public test_server::PacketLogTest {
protected:
    JoinTest() : PacketLogTest({"default"}) {
        std::ofstream(folder_ / "universe/worlds/default/config.json")
            << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}, "GameMode": "Creative",
                   "ClientEffects": {"SunAngleDegrees": 180, "BloomIntensity": 0.5}})";
    }
};

/// Every packet of a join and what it says, in the order in which they come.
constexpr auto k_join = std::to_array<Row>({
    {"ConnectAccept", "passwordChallenge", "null"},
    {"WorldSettings", "worldHeight", "320"},
    {"WorldSettings", "requiredAssets", "[]"},
    {"ServerInfo", "motd"},
    {"ServerInfo", "maxPlayers", "100"},
    {"WorldLoadProgress", "status.messageId", "client.general.worldLoad.loadingWorld"},
    {"WorldLoadProgress", "status.rawText", "null"},
    {"WorldLoadProgress", "status.bold", "Null"},
    {"WorldLoadProgress", "percentComplete", "0"},
    {"WorldLoadProgress", "percentCompleteSubitem", "0"},
    {"AddToServerPlayerList", "players.0.worldUuid", "null"},
    {"AddToServerPlayerList", "players.0.ping", "0"},
    {"ServerTags", "tags.Allows=Movement"},
    {"UpdateServerPlayerList", "players.0.worldUuid"},
    {"JoinWorld", "clearWorld", "false"},
    {"JoinWorld", "fadeInOut", "false"},
    {"ViewRadius", "value", "64"},
    {"SetEntitySeed", "entitySeed", "0"},
    {"SetClientId", "clientId"},
    {"SetTimeDilation", "timeDilation", "1"},
    {"UpdateFeatures", "features.SplitVelocity", "true"},
    {"UpdateFeatures", "features.Mantling", "true"},
    {"UpdateFeatures", "features.SprintForce", "true"},
    {"UpdateFeatures", "features.CrouchSlide", "true"},
    {"UpdateFeatures", "features.SafetyRoll", "true"},
    {"UpdateFeatures", "features.DisplayHealthBars", "true"},
    {"UpdateFeatures", "features.DisplayCombatText", "true"},
    {"UpdateFeatures", "features.CanHideHelmet", "true"},
    {"UpdateFeatures", "features.CanHideCuirass", "true"},
    {"UpdateFeatures", "features.CanHideGauntlets", "true"},
    {"UpdateFeatures", "features.CanHidePants", "true"},
    {"UpdateSunSettings", "heightPercentage", "100"},
    {"UpdateSunSettings", "angleRadians", "3.1415927"},
    {"UpdatePostFxSettings", "globalIntensity", "0.5"},
    {"UpdatePostFxSettings", "power", "8"},
    {"UpdatePostFxSettings", "sunshaftScale", "4"},
    {"UpdatePostFxSettings", "sunIntensity", "0.25"},
    {"UpdatePostFxSettings", "sunshaftIntensity", "0.3"},
    {"SetUpdateRate", "updatesPerSecond", "30"},
    {"EntityUpdates", "removed", "null"},
    {"EntityUpdates", "updates.0.removed", "null"},
    {"SetGameMode", "gameMode", "Creative"},
    {"UpdateMovementSettings", "movementSettings.mass", "68"},
    {"UpdateMovementSettings", "movementSettings.dragCoefficient", "0.5"},
    {"UpdateMovementSettings", "movementSettings.invertedGravity", "false"},
    {"UpdateMovementSettings", "movementSettings.velocityResistance", "0.242"},
    {"UpdateMovementSettings", "movementSettings.jumpForce", "11.8"},
    {"UpdateMovementSettings", "movementSettings.swimJumpForce", "10"},
    {"UpdateMovementSettings", "movementSettings.jumpBufferDuration", "0.3"},
    {"UpdateMovementSettings", "movementSettings.jumpBufferMaxYVelocity", "3"},
    {"UpdateMovementSettings", "movementSettings.acceleration", "0.1"},
    {"UpdateMovementSettings", "movementSettings.airDragMin", "0.96"},
    {"UpdateMovementSettings", "movementSettings.airDragMax", "0.995"},
    {"UpdateMovementSettings", "movementSettings.airDragMinSpeed", "6"},
    {"UpdateMovementSettings", "movementSettings.airDragMaxSpeed", "10"},
    {"UpdateMovementSettings", "movementSettings.airFrictionMin", "0.02"},
    {"UpdateMovementSettings", "movementSettings.airFrictionMax", "0.045"},
    {"UpdateMovementSettings", "movementSettings.airFrictionMinSpeed", "6"},
    {"UpdateMovementSettings", "movementSettings.airFrictionMaxSpeed", "10"},
    {"UpdateMovementSettings", "movementSettings.airSpeedMultiplier", "1"},
    {"UpdateMovementSettings", "movementSettings.airControlMinSpeed", "0"},
    {"UpdateMovementSettings", "movementSettings.airControlMaxSpeed", "3"},
    {"UpdateMovementSettings", "movementSettings.airControlMinMultiplier", "0"},
    {"UpdateMovementSettings", "movementSettings.airControlMaxMultiplier", "3.13"},
    {"UpdateMovementSettings", "movementSettings.comboAirSpeedMultiplier", "1"},
    {"UpdateMovementSettings", "movementSettings.baseSpeed", "5.5"},
    {"UpdateMovementSettings", "movementSettings.climbSpeed", "0.035"},
    {"UpdateMovementSettings", "movementSettings.climbSpeedLateral", "0.035"},
    {"UpdateMovementSettings", "movementSettings.climbUpSprintSpeed", "0.05"},
    {"UpdateMovementSettings", "movementSettings.climbDownSprintSpeed", "0.065"},
    {"UpdateMovementSettings", "movementSettings.horizontalFlySpeed", "10.32"},
    {"UpdateMovementSettings", "movementSettings.verticalFlySpeed", "10.32"},
    {"UpdateMovementSettings", "movementSettings.maxSpeedMultiplier", "15"},
    {"UpdateMovementSettings", "movementSettings.minSpeedMultiplier", "0.01"},
    {"UpdateMovementSettings", "movementSettings.wishDirectionGravityX", "0.5"},
    {"UpdateMovementSettings", "movementSettings.wishDirectionWeightY", "0.5"},
    {"UpdateMovementSettings", "movementSettings.canFly", "true"},
    {"UpdateMovementSettings", "movementSettings.collisionExpulsionForce", "0.02"},
    {"UpdateMovementSettings", "movementSettings.forwardWalkSpeedMultiplier", "0.3"},
    {"UpdateMovementSettings", "movementSettings.backwardWalkSpeedMultiplier", "0.3"},
    {"UpdateMovementSettings", "movementSettings.strafeWalkSpeedMultiplier", "0.3"},
    {"UpdateMovementSettings", "movementSettings.forwardRunSpeedMultiplier", "1"},
    {"UpdateMovementSettings", "movementSettings.backwardRunSpeedMultiplier", "0.65"},
    {"UpdateMovementSettings", "movementSettings.strafeRunSpeedMultiplier", "0.8"},
    {"UpdateMovementSettings", "movementSettings.forwardCrouchSpeedMultiplier", "0.55"},
    {"UpdateMovementSettings", "movementSettings.backwardCrouchSpeedMultiplier", "0.4"},
    {"UpdateMovementSettings", "movementSettings.strafeCrouchSpeedMultiplier", "0.45"},
    {"UpdateMovementSettings", "movementSettings.forwardSprintSpeedMultiplier", "1.273"},
    {"UpdateMovementSettings", "movementSettings.variableJumpFallForce", "35"},
    {"UpdateMovementSettings", "movementSettings.fallEffectDuration", "0"},
    {"UpdateMovementSettings", "movementSettings.fallJumpForce", "7"},
    {"UpdateMovementSettings", "movementSettings.fallMomentumLoss", "0.1"},
    {"UpdateMovementSettings", "movementSettings.autoJumpObstacleSpeedLoss", "0.95"},
    {"UpdateMovementSettings", "movementSettings.autoJumpObstacleSprintSpeedLoss", "0.75"},
    {"UpdateMovementSettings", "movementSettings.autoJumpObstacleEffectDuration", "0.2"},
    {"UpdateMovementSettings", "movementSettings.autoJumpObstacleSprintEffectDuration", "0.1"},
    {"UpdateMovementSettings", "movementSettings.autoJumpObstacleMaxAngle", "45"},
    {"UpdateMovementSettings", "movementSettings.autoJumpDisableJumping", "true"},
    {"UpdateMovementSettings", "movementSettings.minSlideEntrySpeed", "6.99"},
    {"UpdateMovementSettings", "movementSettings.slideExitSpeed", "2.5"},
    {"UpdateMovementSettings", "movementSettings.minFallSpeedToEngageRoll", "21"},
    {"UpdateMovementSettings", "movementSettings.maxFallSpeedToEngageRoll", "31"},
    {"UpdateMovementSettings", "movementSettings.rollStartSpeedModifier", "3.5"},
    {"UpdateMovementSettings", "movementSettings.rollExitSpeedModifier", "2.2"},
    {"UpdateMovementSettings", "movementSettings.rollTimeToComplete", "0.2"},
    {"BuilderToolsSetSoundSet", "soundSetIndex", "0"},
    {"UpdatePlayerInventory", "hotbar.capacity", "9"},
    {"UpdatePlayerInventory", "hotbar.items", "{}"},
    {"UpdatePlayerInventory", "storage.capacity", "36"},
    {"UpdatePlayerInventory", "storage.items", "{}"},
    {"UpdatePlayerInventory", "armor.capacity", "4"},
    {"UpdatePlayerInventory", "utility.capacity", "4"},
    {"UpdatePlayerInventory", "tools.capacity", "23"},
    {"UpdatePlayerInventory", "backpack.capacity", "0"},
    {"UpdatePlayerInventory", "backpack.items", "{}"},
    {"UpdatePlayerInventory", "builderMaterial", "null"},
    {"UpdatePlayerInventory", "sortType", "Name"},
    {"SetActiveSlot", "inventorySectionId", "-1"},
    {"SetActiveSlot", "activeSlot", "0"},
    {"SetBlockPlacementOverride", "enabled", "false"},
    {"UpdateMemoriesFeatureStatus", "isFeatureUnlocked", "false"},
    {"SetMovementStates", "movementStates.flying", "false"},
    {"UpdateVisibleHudComponents", "visibleComponents.*"},
    {"UpdateKnownRecipes", "known", "{}"},
    {"UpdateTimeSettings", "daytimeDurationSeconds", "1728"},
    {"UpdateTimeSettings", "nighttimeDurationSeconds", "1152"},
    {"UpdateTimeSettings", "totalMoonPhases", "5"},
    {"UpdateTime", "gameTime"},
    {"ServerMessage", "message.messageId", "server.general.playerJoinedWorld"},
    {"ServerMessage", "message.params.username.value", "bot1"},
    {"ServerMessage", "message.params.world.value", "default"},
    {"UpdateWorldMapSettings", "defaultScale", "128"},
    {"UpdateWorldMapSettings", "minScale", "32"},
    {"UpdateWorldMapSettings", "maxScale", "175"},
});

/// The first update of a player's own entity: numbers of components are places in the list.
constexpr auto k_model = std::to_array<Row>({
    {"ModelUpdate", "entityScale", "0"},
    {"ModelUpdate", "model.assetId", "Player"},
    {"ModelUpdate", "model.path", "Characters/Player.blockymodel"},
    {"ModelUpdate", "model.texture", "Characters/Player_Textures/Player_Greyscale.png"},
    {"ModelUpdate", "model.gradientSet", "Skin"},
    {"ModelUpdate", "model.gradientId", "02"},
    {"ModelUpdate", "model.scale", "1"},
    {"ModelUpdate", "model.eyeHeight", "1.6"},
    {"ModelUpdate", "model.crouchOffset", "-0.4"},
    {"ModelUpdate", "model.sittingOffset", "0"},
    {"ModelUpdate", "model.sleepingOffset", "0"},
    {"ModelUpdate", "model.hitbox.minX", "-0.325"},
    {"ModelUpdate", "model.hitbox.minY", "0"},
    {"ModelUpdate", "model.hitbox.maxY", "1.85"},
    {"ModelUpdate", "model.hitbox.maxZ", "0.325"},
    {"ModelUpdate", "model.camera.positionOffset.x", "-0.35"},
    {"ModelUpdate", "model.camera.positionOffset.z", "2.75"},
    {"ModelUpdate", "model.camera.yaw", "null"},
    {"ModelUpdate", "model.animationSets.*.id"},
    {"ModelUpdate", "model.animationSets.*.animations.*.footstepIntervals"},
    {"ModelUpdate", "model.animationSets.*.nextAnimationDelay.min", "2"},
    {"ModelUpdate", "model.animationSets.*.nextAnimationDelay.max", "10"},
    {"ModelUpdate", "model.animationSets.*.animations.*.weight", "1"},
    {"ModelUpdate", "model.animationSets.*.animations.*.passiveLoopCount", "1"},
    {"ModelUpdate", "model.animationSets.Idle.animations.0.name",
     "Characters/Animations/Default/Idle.blockyanim"},
    {"ModelUpdate", "model.animationSets.Idle.animations.0.speed", "0.5"},
    {"ModelUpdate", "model.animationSets.Walk.animations.0.footstepIntervals.1", "75"},
    {"ModelUpdate", "model.attachments.0.model",
     "Characters/Body_Attachments/Faces/Player_Face_Detached.blockymodel"},
    {"ModelUpdate", "model.attachments.4.gradientSet", "Hair"},
    {"ModelUpdate", "model.attachments.4.gradientId", "Brown"},
    {"ModelUpdate", "model.detailBoxes.Head.0.offset.y", "1.6"},
    {"ModelUpdate", "model.detailBoxes.Body.0.box.maxY", "1.35"},
    {"ModelUpdate", "model.light", "null"},
    {"ModelUpdate", "model.particles", "null"},
    {"ModelUpdate", "model.trails", "null"},
    {"ModelUpdate", "model.phobiaModel", "null"},
    {"PlayerSkinUpdate", "skin", "null"},
    {"EquipmentUpdate", "armorIds.3", ""},
    {"EquipmentUpdate", "rightHandItemId", "Empty"},
    {"EquipmentUpdate", "leftHandItemId", "Empty"},
    {"TransformUpdate", "transform.position"},
    {"TransformUpdate", "transform.bodyOrientation"},
    {"TransformUpdate", "transform.lookOrientation"},
    {"EntityEffectsUpdate", "entityEffectUpdates", "[]"},
    {"EntityStatsUpdate", "entityStatUpdates.*.0.op", "Init"},
    {"EntityStatsUpdate", "entityStatUpdates.*.0.modifiers", "null"},
    {"EntityStatsUpdate", "entityStatUpdates.1.0.value", "100"},
    {"EntityStatsUpdate", "entityStatUpdates.3.0.value", "10"},
    {"NameplateUpdate", "text", "bot1"},
    {"UIComponentsUpdate", "components.1", "1"},
    {"HitboxCollisionUpdate", "hitboxCollisionConfigIndex", "0"},
});

TEST_F(JoinTest, EveryPacketComesInItsOrderAndSaysWhatTheGamesDoes) {
    start(unlimited());
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.count("UpdateWorldMapSettings") > 0; })) << player.reason;
    auto at = player.packets.begin();
    std::string_view last;
    for (const auto& row : k_join) {
        if (row.packet != last)
            at = std::ranges::find(at, player.packets.end(), row.packet,
                                   &test_server::PacketLog::Packet::name);
        ASSERT_NE(at, player.packets.end()) << row.packet << " does not come after " << last;
        last = row.packet;
        expected::check(row, expected::read(row.packet, at->payload));
    }
    EXPECT_EQ(player.count("SetActiveSlot"), 3U);
    const auto hud =
        expected::read("UpdateVisibleHudComponents", player.payload("UpdateVisibleHudComponents"));
    std::set<std::string> shown;
    for (const auto& component : *hud.find("visibleComponents")->as<protocol::Value::List>())
        shown.insert(expected::to_text(component));
    EXPECT_EQ(shown.size(), 21U);
    for (const auto* hidden : {"Requests", "PlayerList", "BuilderToolsMaterialSlotSelector"})
        EXPECT_FALSE(shown.contains(hidden)) << hidden;
}

TEST_F(JoinTest, WhoChangesItsLanguageGetsAllTextsAgain) {
    start(unlimited());
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.count("UpdateWorldMapSettings") > 0; })) << player.reason;
    EXPECT_EQ(player.count("UpdateTranslations"), 1U);
    packets::UpdateLanguage language;
    language.language = protocol::Text("de-DE");
    ASSERT_TRUE(player.session->send(language));
    ASSERT_TRUE(wait([&] { return player.count("UpdateTranslations") == 2; }));
    expected::check({"UpdateTranslations", "type", "Init"},
                    expected::read("UpdateTranslations", player.payload("UpdateTranslations", 1)));
}

TEST_F(JoinTest, APlayerIsToldAllOfItsOwnEntityAndNotHowItMoves) {
    start(unlimited());
    auto& player = join(1);
    ASSERT_TRUE(wait([&] { return player.count("EntityUpdates") > 0; })) << player.reason;
    const auto packet = expected::read("EntityUpdates", player.payload("EntityUpdates"));
    const auto& entities = *packet.find("updates")->as<protocol::Value::List>();
    ASSERT_EQ(entities.size(), 1U);
    std::map<std::string, const protocol::Value*> components;
    std::vector<std::string> order;
    for (const auto& component : *entities[0].find("updates")->as<protocol::Value::List>()) {
        order.emplace_back(component.as<protocol::Value::Record>()->layout->name);
        components[order.back()] = &component;
    }
    const std::vector<std::string> first{"InvulnerableUpdate",  "NameplateUpdate",  "ModelUpdate",
                                         "PlayerSkinUpdate",    "EquipmentUpdate",  "TransformUpdate",
                                         "EntityEffectsUpdate", "EntityStatsUpdate"};
    order.resize(std::min(order.size(), first.size()));
    EXPECT_EQ(order, first);
    for (const auto& row : k_model) {
        ASSERT_TRUE(components.contains(std::string(row.packet))) << row.packet;
        expected::check(row, *components[std::string(row.packet)]);
    }
    EXPECT_EQ(
        components["EntityStatsUpdate"]->find("entityStatUpdates")->as<protocol::Value::Entries>()->size(),
        13U)
        << "every type of stat";
    EXPECT_TRUE(components.contains("InvulnerableUpdate")) << "in creative mode";
    EXPECT_FALSE(components.contains("MovementStatesUpdate"));
}

TEST_F(JoinTest, APlayerIsToldOfItselfBeforeOthersAtTheSamePlace) {
    start(unlimited());
    auto& other = join(1);
    ASSERT_TRUE(wait([&] { return other.count("SetClientId") > 0; })) << other.reason;
    auto& player = join(2);
    const auto ids = [&](const packets::EntityUpdates& packet) {
        std::vector<std::int32_t> all;
        for (const auto& update : packet.updates.value_or({})) all.push_back(update.network_id);
        return all;
    };
    ASSERT_TRUE(wait([&] { return player.count("EntityUpdates") > 1; })) << player.reason;
    const auto told = player.all<packets::EntityUpdates>();
    const auto own = player.all<packets::SetClientId>().front().client_id;
    EXPECT_EQ(ids(told[0]), std::vector{own});
    const auto others = ids(told[1]);
    EXPECT_EQ(std::ranges::count(others, other.all<packets::SetClientId>().front().client_id), 1);

    // And once more of itself, but not where it is.
    const auto again = std::ranges::find(*told[1].updates, own, &packets::EntityUpdate::network_id);
    ASSERT_NE(again, told[1].updates->end());
    const auto parts = [](const packets::EntityUpdate& update) {
        std::multiset<std::size_t> kinds;
        for (const auto& part : *update.updates) kinds.insert(part.index());
        return kinds;
    };
    auto expected = parts(told[0].updates->front());
    const auto place = packets::ComponentUpdate(packets::TransformUpdate{}).index();
    ASSERT_EQ(expected.erase(place), 1U);
    EXPECT_EQ(parts(*again), expected);
    pass(std::chrono::seconds(1));
    for (std::size_t i = 2; i < player.count("EntityUpdates"); ++i)
        EXPECT_EQ(std::ranges::count(ids(player.all<packets::EntityUpdates>()[i]), own), 0);
    EXPECT_EQ(player.count("UpdateMovementSettings"), 2U);
    EXPECT_EQ(player.count("UpdateWorldMapSettings"), 2U);
}

} // namespace
} // namespace orbis::game
