#include "game/content/expected_values_test.hpp"
#include "game/content/made_pack_test.hpp"
#include "game/content/pack_registries.hpp"
#include "game/content/registries.hpp"
#include "packets/player.hpp"
#include "packets/registry.hpp"
#include "protocol/frame.hpp"
#include "world/asset_pack.hpp"

#include <fmt/format.h>

namespace orbis::game {
namespace {

using namespace test_pack;

/// A pack in a folder, and the registries of a server with it.
class PackRegistriesTest : public testing::Test {
protected:
    void begin(const Files& files) {
        write(folder_.path(), files);
        auto opened = test_pack::open(folder_.path(), problems_);
        ASSERT_TRUE(opened) << opened.error().text();
        pack_.emplace(*std::move(opened));
        assets_ = world::Assets::built_in();
        ASSERT_TRUE(world::load_assets(folder_.path(), assets_));
        ids_ = std::make_unique<WireIds>(assets_);
        registries_ = std::make_unique<Registries>(assets_, *ids_, &*pack_);
        const auto done = registries_->prepare(tools_);
        ASSERT_TRUE(done) << done.error().text();
        for (const auto& frame : registries_->frames()) told_[frame.info().name] = read(frame);
    }
    static protocol::Value read(const net::OutgoingFrame& frame) {
        protocol::FrameDecoder decoder(packets::registry(), {.receiver = protocol::Side::client,
                                                             .channel = protocol::Channel::normal,
                                                             .largest = 16 << 20,
                                                             .decompresses = true});
        decoder.feed(frame.frame().bytes());
        const auto next = decoder.next();
        if (next && *next) return expected::read((*next)->packet->name, (*next)->payload);
        ADD_FAILURE() << frame.info().name << " cannot be read";
        return {};
    }
    /// The entry that has a name: its field `id`, or `name` of blocks.
    const protocol::Value* entry(std::string_view packet, std::string_view field, std::string_view id) {
        const auto* map = told_[packet].find(field);
        const auto* entries = map == nullptr ? nullptr : map->as<protocol::Value::Entries>();
        if (entries == nullptr) return nullptr;
        for (const auto& [key, value] : *entries)
            for (const auto* name : {"id", "name"})
                if (const auto* text = value.find(name); text != nullptr && expected::to_text(*text) == id)
                    return &value;
        return nullptr;
    }
    /// The number of an entry.
    std::string number(std::string_view packet, std::string_view field, std::string_view id) {
        for (const auto& [key, value] : *told_[packet].find(field)->as<protocol::Value::Entries>())
            if (const auto* text = value.find("id"); text != nullptr && expected::to_text(*text) == id)
                return expected::to_text(key);
        return "none";
    }
    struct Said {
        std::string_view path;
        std::string text;
    };
    void expect(const protocol::Value* entry, std::string_view what, std::initializer_list<Said> all) {
        ASSERT_NE(entry, nullptr) << what;
        for (const auto& [path, text] : all) {
            const expected::Row row{what, path, text};
            expected::check(row, *entry);
        }
    }
    std::string listed(const protocol::Value* entry, std::string_view field) {
        std::string text;
        for (const auto& element : *entry->find(field)->as<protocol::Value::List>())
            text += expected::to_text(element) + " ";
        return text;
    }

    test::TemporaryFolder folder_;
    std::vector<Error> problems_;
    std::optional<ContentPack> pack_;
    world::Assets assets_;
    std::unique_ptr<WireIds> ids_;
    std::unique_ptr<Registries> registries_;
    net::FrameTools<protocol::Side::server> tools_;
    std::map<std::string_view, protocol::Value> told_;
};

TEST_F(PackRegistriesTest, SoundsHaveGainsAndPitches) {
    begin(k_whole);
    for (const auto& problem : problems_) ADD_FAILURE() << problem.text();
    const auto category = number("UpdateAudioCategories", "categories", "Loud");
    EXPECT_NE(category, "none");
    expect(entry("UpdateSoundEvents", "soundEvents", "Step"), "sound event",
           {{"volume", "0.5011872"},
            {"pitch", "2"},
            {"musicDuckingVolume", "10"},
            {"ambientDuckingVolume", "1"},
            {"startAttenuationDistance", "3"},
            {"maxDistance", "40"},
            {"maxInstance", "50"},
            {"preventSoundInterruption", "true"},
            {"audioCategory", category},
            {"layers.0.files.1", "Sounds/b.ogg"},
            {"layers.0.volume", "0.1"},
            {"layers.0.startDelay", "0.25"},
            {"layers.0.looping", "true"},
            {"layers.0.probability", "30"},
            {"layers.0.probabilityRerollDelay", "1"},
            {"layers.0.roundRobinHistorySize", "2"},
            {"layers.0.randomSettings.minVolume", "0.5011872"},
            {"layers.0.randomSettings.maxVolume", "1"},
            {"layers.0.randomSettings.minPitch", "0.5"},
            {"layers.0.randomSettings.maxPitch", "1"},
            {"layers.0.randomSettings.maxStartOffset", "0.5"},
            {"layers.1.volume", "1"},
            {"layers.1.probability", "100"},
            {"layers.1.randomSettings.minPitch", "1"},
            {"layers.1.files", "[]"}});
    const auto step = number("UpdateSoundEvents", "soundEvents", "Step");
    expect(entry("UpdateBlockSoundSets", "blockSoundSets", "Stony"), "block sounds",
           {{"soundEventIndices.Walk", step},
            {"soundEventIndices.Break", "0"},
            {"moveInRepeatRange.inclusiveMin", "0.25"},
            {"moveInRepeatRange.inclusiveMax", "2"}});
    expect(entry("UpdateItemSoundSets", "itemSoundSets", "ISS_My"), "item sounds",
           {{"soundEventIndices.Drag", step}});
    expect(entry("UpdateSoundSets", "soundSets", "My_Set"), "sound set",
           {{"sounds.Any", step}, {"category", "UI"}});
    EXPECT_EQ(expected::to_text(*told_["UpdateSoundEvents"].find("maxId")), "3");
}

TEST_F(PackRegistriesTest, BlocksHaveAllMembersOfTheirFiles) {
    begin(k_whole);
    const auto hitbox = [&](std::string_view path, std::string text) {
        expect(&told_["UpdateBlockHitboxes"], "hitboxes", {{path, std::move(text)}});
    };
    hitbox("blockBaseHitboxes.0.0.maxX", "1");
    hitbox("blockBaseHitboxes.1.0.maxZ", "1.5"); // Low
    hitbox("blockBaseHitboxes.1.0.minY", "-0.25");
    hitbox("blockBaseHitboxes.1.1.maxY", "0.5");
    const auto* block = entry("UpdateBlockTypes", "blockTypes", "My_Block");
    expect(block, "block",
           {{"drawType", "CubeWithModel"},
            {"material", "Solid"},
            {"opacity", "Cutout"},
            {"requiresAlphaBlending", "true"},
            {"model", "Blocks/M.blockymodel"},
            {"modelTexture.0.texture", "Blocks/M.png"},
            {"modelTexture.0.weight", "0.75"},
            {"modelTexture.1.weight", "0.25"},
            {"modelScale", "1.5"},
            {"modelAnimation", "Blocks/M.blockyanim"},
            {"cubeTextures.0.weight", "0.5"},
            {"cubeTextures.1.weight", "0.25"},
            {"cubeTextures.2.weight", "0.25"},
            {"cubeTextures.0.top", "u.png"},
            {"cubeTextures.0.bottom", "d.png"},
            {"cubeTextures.0.back", "n.png"},
            {"cubeTextures.0.front", "s.png"},
            {"cubeTextures.0.left", "w.png"},
            {"cubeTextures.0.right", "e.png"},
            {"cubeTextures.1.top", "ud.png"},
            {"cubeTextures.1.left", "sides.png"},
            {"cubeTextures.2.front", "all.png"},
            {"cubeSideMaskTexture", "mask.png"},
            {"cubeShadingMode", "Flat"},
            {"hitbox", "1"},
            {"interactionHitbox", "0"},
            {"transitionTexture", "t.png"},
            {"tint.top", std::to_string(static_cast<std::int32_t>(0xFF010203))},
            {"tint.back", std::to_string(static_cast<std::int32_t>(0xFFAABBCC))},
            {"tint.front", std::to_string(static_cast<std::int32_t>(0xFF102030))},
            {"biomeTint.top", "30"},
            {"biomeTint.left", "70"},
            {"biomeTint.right", "30"},
            {"shaderEffect.0", "Wind"},
            {"shaderEffect.1", "Ice"},
            {"particleColor.green", "2"},
            {"light.red", "15"},
            {"light.green", "8"},
            {"light.blue", "0"},
            {"light.radius", "0"},
            {"blockSoundSetIndex", number("UpdateBlockSoundSets", "blockSoundSets", "Stony")},
            {"ambientSoundEventIndex", number("UpdateSoundEvents", "soundEvents", "Step")},
            {"looping", "true"},
            {"variantRotation", "NESW"},
            {"randomRotation", "YawStep90"},
            {"rotationYawPlacementOffset", "OneEighty"},
            {"movementSettings.isClimbable", "true"},
            {"movementSettings.drag", "0.5"},
            {"movementSettings.friction", "0.18"},
            {"movementSettings.jumpForceMultiplier", "1"},
            {"flags.isUsable", "true"},
            {"flags.isStackable", "true"},
            {"interactionHint", "server.hint"},
            {"gathering.breaking.gatherType", "Rocks"},
            {"gathering.soft.isWeaponBreakable", "true"},
            {"gathering.harvest", "null"},
            {"placementSettings.allowRotationKey", "true"},
            {"support.Down.0.faceType", "Full"},
            {"support.Down.0.support", "Required"},
            {"support.Down.0.blockTypeId", "-1"},
            {"supporting.Up.0.faceType", "Half"},
            {"maxSupportDistance", "4"},
            {"blockSupportsRequiredFor", "Any"},
            {"ignoreSupportWhenPlaced", "true"},
            {"particles", "null"},
            {"blockParticleSetId", "null"},
            {"item", "My_Block"}});
    EXPECT_EQ(listed(block, "transitionToGroups"),
              expected::to_text(*entry("UpdateBlockTypes", "blockTypes", "Rock_Stone")->find("group")) + " ");
    // Its own tags and those of its item: Type, Soil, Type=Soil; Made, By, Made=By. The tag that it goes to
    // is one of them.
    EXPECT_EQ(block->find("tagIndexes")->as<protocol::Value::List>()->size(), 6U);
    EXPECT_NE(listed(block, "tagIndexes").find(expected::to_text(*block->find("transitionToTag")) + " "),
              std::string::npos);

    expect(entry("UpdateBlockTypes", "blockTypes", "*My_Block_State_Definitions_Open"), "state",
           {{"drawType", "Model"}, {"model", "Blocks/M.blockymodel"}, {"hitbox", "0"}, {"item", "null"}});
    expect(block, "block",
           {{"states.Open", std::to_string(*ids_->blocks.find("*My_Block_State_Definitions_Open"))},
            {"states.default", std::to_string(*ids_->blocks.find("My_Block"))}});
    expect(entry("UpdateBlockTypes", "blockTypes", "My_Child"), "child of the item",
           {{"opacity", "Cutout"}, {"material", "Empty"}, {"modelScale", "1.5"}});
    expect(entry("UpdateBlockTypes", "blockTypes", "Rock_Stone"), "not in the pack",
           {{"drawType", "Cube"}, {"hitbox", "0"}, {"tagIndexes", "[]"}});
}

TEST_F(PackRegistriesTest, ItemsHaveAllMembersOfTheirFiles) {
    begin(k_whole);
    expect(entry("UpdateItems", "items", "My_Tool"), "item",
           {{"icon", "Icons/T.png"},
            {"iconProperties.scale", "0.5"},
            {"iconProperties.rotation.y", "45"},
            {"iconProperties.translation.x", "-2"},
            {"translationProperties.name", "server.items.T.name"},
            {"translationProperties.description", "server.items.T.text"},
            {"model", "Items/T.blockymodel"},
            {"texture", "Items/T.png"},
            {"scale", "2"},
            {"animation", "Items/T.blockyanim"},
            {"playerAnimationsId", "Pickaxe"},
            {"usePlayerAnimations", "true"},
            {"maxStack", "1"},
            {"itemLevel", "7"},
            {"qualityIndex", number("UpdateItemQualities", "itemQualities", "Rare")},
            {"reticleIndex", "1"},
            {"categories.0", "Tools.Picks"},
            {"set", "Iron"},
            {"consumable", "true"},
            {"variant", "true"},
            {"durability", "250.5"},
            {"soundEventIndex", number("UpdateSoundEvents", "soundEvents", "Step")},
            {"itemSoundSetIndex", number("UpdateItemSoundSets", "itemSoundSets", "ISS_My")},
            {"light.red", "1"},
            {"light.radius", "9"},
            {"resourceTypes.0.id", "Iron"},
            {"resourceTypes.0.quantity", "3"},
            {"resourceTypes.1.quantity", "1"},
            {"gliderConfig.speed", "4"},
            {"utility.usable", "true"},
            {"utility.compatible", "false"},
            {"blockSelectorTool.durabilityLossOnUse", "0.5"},
            {"interactionConfig.displayOutlines", "false"},
            {"interactionConfig.useDistance.Adventure", "5"},
            {"interactionConfig.useDistance.Creative", "6"},
            {"itemEntity.showItemParticles", "false"},
            {"droppedItemAnimation", "Items/D.blockyanim"},
            {"displayEntityStatsHUD.0", number("UpdateEntityStatTypes", "types", "Health")},
            {"pullbackConfig.leftOffsetOverride.z", "3"},
            {"clipsGeometry", "true"},
            {"renderDeployablePreview", "true"},
            {"blockId", "0"},
            {"tool", "null"},
            {"interactions.SwapFrom", "0"},
            {"interactionVars", "{}"}});
    expect(entry("UpdateItems", "items", "My_Block"), "block item",
           {{"blockId", std::to_string(*ids_->blocks.find("My_Block"))},
            {"playerAnimationsId", "Block"},
            {"maxStack", "25"},
            {"interactions.Secondary", "2"}});
    expect(entry("UpdateItems", "items", "My_Child"), "child",
           {{"maxStack", "25"}, {"qualityIndex", "0"}, {"categories.0", "Blocks.Made"}});
    expect(&told_["UpdateItemCategories"], "categories",
           {{"itemCategories.1.id", "Tools"}, {"itemCategories.1.children.0.id", "Picks"}});
    EXPECT_NE(entry("UpdateResourceTypes", "resourceTypes", "Iron"), nullptr);
}

TEST_F(PackRegistriesTest, FluidsWeathersAndStatsHaveAllMembersOfTheirFiles) {
    begin(k_whole);
    const auto look = number("UpdateFluidFX", "fluidFX", "Milky");
    expect(entry("UpdateFluids", "fluids", "My_Milk"), "fluid",
           {{"maxFluidLevel", "5"},
            {"cubeTextures.0.top", "milk.png"},
            {"shaderEffect.0", "Water"},
            {"drawType", "Liquid"},
            {"opacity", "Solid"},
            {"requiresAlphaBlending", "false"},
            {"fluidFXIndex", look},
            {"light.blue", "3"},
            {"particleColor.red", "1"},
            {"blockSoundSetIndex", number("UpdateBlockSoundSets", "blockSoundSets", "Stony")}});
    expect(entry("UpdateFluidFX", "fluidFX", "Milky"), "fluid look",
           {{"fogMode", "EnvironmentTint"},
            {"fogColor.blue", "3"},
            {"fogDistance.near", "-437"},
            {"fogDistance.far", "190"},
            {"fogDepthStart", "95"},
            {"fogDepthFalloff", "1.3"},
            {"colorFilter.red", "-1"},
            {"colorFilter.green", "-128"},
            {"colorFilter.blue", "0"},
            {"colorSaturation", "1.6"},
            {"distortionAmplitude", "5"},
            {"distortionFrequency", "6"},
            {"shader", "None"},
            {"movementSettings.swimUpSpeed", "2.5"},
            {"movementSettings.swimDownSpeed", "-2.5"},
            {"movementSettings.sinkSpeed", "-1.35"},
            {"movementSettings.horizontalSpeedMultiplier", "0.6"},
            {"movementSettings.entryVelocityMultiplier", "1"},
            {"particle", "null"}});
    expect(entry("UpdateEnvironments", "environments", "Env_Whole"), "environment",
           {{"waterTint.red", "16"}});
    EXPECT_EQ(entry("UpdateEnvironments", "environments", "Env_Whole")
                  ->find("tagIndexes")
                  ->as<protocol::Value::List>()
                  ->size(),
              3U);
    expect(entry("UpdateWeathers", "weathers", "My_Storm"), "weather",
           {{"fog.near", "-5"},
            {"fog.far", "300"},
            {"stars", "Sky/Stars.png"},
            {"moons.2", "Sky/M2.png"},
            {"clouds.0.texture", "Sky/C.png"},
            {"clouds.0.colors.6.alpha", "-1"},
            {"clouds.0.speeds.12", "0.5"},
            {"screenEffect", "Rain"},
            {"fogOptions.ignoreFogLimits", "true"},
            {"sunlightDampingMultiplier.12", "0.25"},
            {"skyTopColors.6.red", "17"},
            {"skyTopColors.18.alpha", "-128"},
            {"fogDensities.0", "2"},
            {"particle", "null"}});
    const auto* stat = entry("UpdateEntityStatTypes", "types", "My_Stat");
    expect(stat, "stat",
           {{"value", "5"},
            {"min", "-1"},
            {"max", "20"},
            {"resetBehavior", "MaxValue"},
            {"hideFromTooltip", "true"},
            {"minValueEffects.triggerAtZero", "true"},
            {"minValueEffects.soundEventIndex", number("UpdateSoundEvents", "soundEvents", "Step")},
            {"maxValueEffects.triggerAtZero", "false"}});
    expect(
        entry("UpdateEntityStatTypes", "types", "Health"), "a stat of the game",
        {{"value", "250"}, {"max", "250"}, {"resetBehavior", "InitialValue"}, {"minValueEffects", "null"}});
    EXPECT_EQ(number("UpdateEntityStatTypes", "types", "Health"), "1") << "it keeps its number";
    const auto& stats = registries_->from_pack()->stats();
    ASSERT_EQ(stats.size(), 14U);
    EXPECT_EQ(stats[1], std::pair(1, 250.0F)) << "what players begin with";
    EXPECT_EQ(stats[13].second, 5.0F);
}

TEST_F(PackRegistriesTest, InteractionsAreEntriesAlsoWhereTheyAreWithinOthers) {
    begin(k_whole);
    const auto* root = entry("UpdateRootInteractions", "interactions", "My_Root");
    ASSERT_NE(root, nullptr);
    const auto of = [&](std::size_t i) {
        const auto& number = (*root->find("interactions")->as<protocol::Value::List>())[i];
        for (const auto& [key, step] :
             *told_["UpdateInteractions"].find("interactions")->as<protocol::Value::Entries>())
            if (key == number) return &step;
        return static_cast<const protocol::Value*>(nullptr);
    };
    ASSERT_EQ(root->find("interactions")->as<protocol::Value::List>()->size(), 2U)
        << "one by its name, one within, and none of a kind that is not known";
    expect(root, "root",
           {{"cooldown.cooldownId", "My"},
            {"cooldown.cooldown", "0.5"},
            {"cooldown.chargeTimes.1", "2"},
            {"cooldown.skipCooldownReset", "true"},
            {"cooldown.interruptRecharge", "true"},
            {"cooldown.clickBypass", "true"},
            {"settings.Creative.allowSkipChainOnClick", "true"},
            {"settings.Creative.cooldown.cooldown", "0.1"},
            {"rules.blockedBy.0", "Primary"},
            {"rules.blockedByBypassIndex", "-2147483648"},
            {"requireNewClick", "true"},
            {"clickQueuingTimeout", "0.2"}});
    expect(of(0), "interaction by its name",
           {{"waitForDataFrom", "Client"},
            {"runTime", "0.125"},
            {"effects.itemAnimationId", "Build"},
            {"effects.waitForAnimationToFinish", "true"},
            {"cancelOnItemChange", "false"},
            {"horizontalSpeedMultiplier", "0.5"},
            {"blockId", "-1"},
            {"next", "-2147483648"}});
    expect(of(1), "interaction within",
           {{"requiredGameMode", "Creative"},
            {"cancelOnItemChange", "true"},
            {"failed", "-2147483648"},
            {"rules.blockingBypassIndex", "-2147483648"}});
    EXPECT_NE(expected::to_text(*of(1)->find("next")), "-2147483648") << "one within it";
    expect(entry("UpdateRootInteractions", "interactions", "Block_Primary"), "ours",
           {{"interactions.0", "1"}});
    expect(&told_["UpdateUnarmedInteractions"], "hands", {{"interactions.SwapFrom", "0"}});
}

TEST_F(PackRegistriesTest, PlayersLookAndMoveAsTheFilesSay) {
    begin(k_whole);
    const auto bytes = registries_->from_pack()->model_component("Player");
    ASSERT_TRUE(bytes);
    EXPECT_FALSE(registries_->from_pack()->model_component("Nobody"));
    // The component is a union: its type, then the record.
    const auto& schema = **protocol::find_schema(protocol::k_default_build);
    const auto update =
        protocol::decode(*schema.layout("ModelUpdate"), Bytes(*bytes).subspan(1), schema.read_rules());
    ASSERT_TRUE(update);
    expect(&*update, "player",
           {{"entityScale", "0"},
            {"model.assetId", "Player"},
            {"model.path", "Characters/P.blockymodel"},
            {"model.texture", "Characters/P.png"},
            {"model.gradientSet", "Skin"},
            {"model.gradientId", "02"},
            {"model.scale", "1"},
            {"model.eyeHeight", "1.5"},
            {"model.crouchOffset", "-0.5"},
            {"model.hitbox.minX", "-0.25"},
            {"model.hitbox.maxY", "1.75"},
            {"model.camera.positionOffset.z", "2"},
            {"model.camera.pitch.angleRange.max", "45"},
            {"model.camera.yaw", "null"},
            {"model.attachments.0.model", "Characters/Hat.blockymodel"},
            {"model.attachments.0.gradientId", "Red"},
            {"model.animationSets.Idle.id", "Idle"},
            {"model.animationSets.Idle.animations.0.name", "Characters/Own.blockyanim"},
            {"model.animationSets.Idle.animations.0.speed", "0.5"},
            {"model.animationSets.Idle.animations.0.blendingDuration", "0.2"},
            {"model.animationSets.Idle.animations.0.footstepIntervals.1", "75"},
            {"model.animationSets.Idle.nextAnimationDelay.min", "2"},
            {"model.animationSets.Walk.animations.0.name", "Characters/Walk.blockyanim"},
            {"model.animationSets.Walk.nextAnimationDelay.max", "1"},
            {"model.detailBoxes.Head.0.offset.y", "1.5"},
            {"model.detailBoxes.Head.0.box.maxX", "0.25"},
            {"model.light.red", "15"},
            {"model.phobia", "None"}});
    packets::MovementSettings settings;
    settings.jump_force = 11.8F;
    settings.drag_coefficient = 0.5F;
    settings.auto_jump_disable_jumping = true;
    settings.can_fly = true;
    registries_->from_pack()->put_movement(settings);
    EXPECT_EQ(settings.base_speed, 7);
    EXPECT_EQ(settings.air_speed_multiplier, 1.5F);
    EXPECT_EQ(settings.combo_air_speed_multiplier, 1.5F) << "always the same as the other";
    EXPECT_EQ(settings.mass, 80);
    EXPECT_EQ(settings.drag_coefficient, 0.5F);
    EXPECT_FALSE(settings.auto_jump_disable_jumping);
    EXPECT_EQ(settings.jump_force, 11.8F) << "the file does not say it";
    EXPECT_TRUE(settings.can_fly) << "not for a file to say";
}

TEST_F(PackRegistriesTest, TextsFallBackToOtherLanguages) {
    begin(k_whole);
    const auto& facts = pack_->facts();
    EXPECT_EQ(facts.languages(), (std::vector<std::string>{"de-AT", "de-DE", "en-US", "xx"}));
    EXPECT_EQ(facts.translations("en-US").at("server.rock"), "Rock");
    EXPECT_EQ(facts.translations("en-US").at("ui.menu.quit"), "Quit") << "with the folders of its file";
    EXPECT_EQ(facts.translations("de-AT").at("server.rock"), "Fels");
    EXPECT_EQ(facts.translations("de-AT").at("ui.menu.quit"), "Quit");
    EXPECT_EQ(facts.translations("xx").at("server.rock"), "Rock") << "two that fall back to each other";
    ASSERT_NE(registries_->texts("de-AT"), nullptr);
    EXPECT_EQ(registries_->texts("en-US"), nullptr) << "those in the registries";
    EXPECT_EQ(registries_->texts("fr-FR"), nullptr);
    const auto german = read(*registries_->texts("de-AT"));
    std::map<std::string, std::string> texts;
    for (const auto& [key, text] : *german.find("translations")->as<protocol::Value::Entries>())
        texts[expected::to_text(key)] = expected::to_text(text);
    EXPECT_EQ(texts["server.rock"], "Fels");
    EXPECT_EQ(texts["server.items.Rock_Stone.name"], "Rock Stone");
}

TEST_F(PackRegistriesTest, WhatIsWrongIsNamedAndTheRestIsUsed) {
    Files files{{"Common/a", "a"}};
    const auto deep = std::string(70, '[') + std::string(70, ']');
    files["Server/Audio/SoundEvents/Deep.json"] = R"({"Volume": )" + deep + "}";
    files["Server/Audio/SoundEvents/List.json"] = "[]";
    files["Server/Audio/SoundEvents/Wrong.json"] =
        R"({"Volume": "loud", "Pitch": 1e300, "MaxInstance": 3000000000, "MaxDistance": 7, "Layers": [5]})";
    files["Server/Audio/SoundEvents/Huge.json"] = R"({"Volume": 1e999})";
    files["Server/Item/Block/Sounds/A.json"] = R"({"Parent": "B"})";
    files["Server/Item/Block/Sounds/B.json"] = R"({"Parent": "A"})";
    files["Server/Item/Block/Sounds/Orphan.json"] = R"({"Parent": "Nobody", "MoveInRepeatRange": [1, 2]})";
    files["Server/Item/Items/Loop_A.json"] = R"({"Parent": "Loop_B", "BlockType": {}})";
    files["Server/Item/Items/Loop_B.json"] = R"({"Parent": "Loop_A", "BlockType": {}})";
    files["Server/Item/Items/Odd.json"] =
        R"({"MaxStack": [], "Tags": [], "$Comment": 5, "Light": {"Color": "nonsense"}, "ItemLevel": 3})";
    files["Server/Item/Block/Hitboxes/Odd.json"] = R"({"Boxes": [{"Min": {"X": 0}}]})";
    files["Server/Environments/Env_Twice.json"] = files["Server/Environments/env_twice.json"] = "{}";
    files["Server/Item/Block/Fluids/Full.json"] = R"({"MaxFluidLevel": 99})"; // no table can have it
    files["Server/Languages/en-US/bad.lang"] = "a = \xff\xfe\n";
    begin(files);
    std::map<std::string, int> named;
    for (const auto& problem : problems_)
        for (const auto* name :
             {"Deep", "List", "Wrong", "Huge", "/A.", "/B.", "Orphan", "Loop_A", "Loop_B", "Odd", "bad"})
            if (problem.text().find(name) != std::string::npos) ++named[name];
    EXPECT_EQ(expected::to_text(*told_["UpdateEnvironments"].find("maxId")),
              std::to_string(ids_->environments.end()));
    EXPECT_EQ(expected::to_text(*told_["UpdateFluids"].find("maxId")), std::to_string(ids_->fluids.end()));
    EXPECT_EQ(named["Deep"], 1);
    EXPECT_EQ(named["List"], 1);
    EXPECT_EQ(named["Huge"], 1);
    EXPECT_EQ(named["Wrong"], 4);
    EXPECT_EQ(named["/A."], 1);
    EXPECT_EQ(named["/B."], 1);
    EXPECT_EQ(named["Orphan"], 1);
    EXPECT_GE(named["Loop_A"], 1);
    EXPECT_EQ(named["Odd"], 4);
    EXPECT_EQ(named["bad"], 1);
    expect(entry("UpdateSoundEvents", "soundEvents", "Wrong"), "what is right in it",
           {{"maxDistance", "7"}, {"volume", "1"}, {"pitch", "1"}, {"maxInstance", "50"}});
    EXPECT_EQ(entry("UpdateBlockSoundSets", "blockSoundSets", "A"), nullptr);
    expect(entry("UpdateBlockSoundSets", "blockSoundSets", "Orphan"), "without its parent",
           {{"moveInRepeatRange.inclusiveMin", "1"}});
    expect(entry("UpdateItems", "items", "Odd"), "item", {{"itemLevel", "3"}, {"maxStack", "100"}});
}

/// One file that is the parent of many does not become as many copies without end.
TEST_F(PackRegistriesTest, AssetsThatGrowBeyondAllMeasureAreCut) {
    Files files{{"Common/a", "a"}};
    // A long text counts as many values, and is made far sooner.
    const std::string layers = R"({"Files": ["x"]},{"Files": [")" + std::string(3'900'000, 'x') + R"("]},)";
    files["Server/Audio/SoundEvents/Big.json"] = R"({"Layers": [)" + layers + R"({}]})";
    for (int i = 0; i < 20; ++i)
        files[fmt::format("Server/Audio/SoundEvents/S{}.json", i)] = R"({"Parent": "Big"})";
    write(folder_.path(), files);
    const auto pack = test_pack::open(folder_.path(), problems_);
    ASSERT_TRUE(pack);
    EXPECT_TRUE(
        std::ranges::any_of(problems_, [](const Error& problem) { return problem.code == Errc::too_large; }));
    WireIds ids(world::Assets::built_in());
    Registries registries(world::Assets::built_in(), ids, &*pack);
    (void)registries.prepare(tools_); // whatever comes of it, it ends
}

} // namespace
} // namespace orbis::game
