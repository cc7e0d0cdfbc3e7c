#include "game/content/pack_tables.hpp"

#include "game/content/registry_numbers.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace orbis::game {
namespace {

using Rule = PackRule;

constexpr std::array k_block_rows{
    PackRow{"DrawType", "drawType"},
    PackRow{"Material", "material"},
    PackRow{"Opacity", "opacity"},
    PackRow{"RequiresAlphaBlending", "requiresAlphaBlending"},
    PackRow{"CustomModel", "model"},
    PackRow{"CustomModelTexture", "modelTexture", Rule::weights},
    PackRow{"CustomModelScale", "modelScale"},
    PackRow{"CustomModelAnimation", "modelAnimation"},
    PackRow{"Textures", "cubeTextures", Rule::textures},
    PackRow{"TextureSideMask", "cubeSideMaskTexture"},
    PackRow{"CubeShadingMode", "cubeShadingMode"},
    PackRow{"HitboxType", "hitbox", Rule::number, PackKind::hitbox},
    PackRow{"InteractionHitboxType", "interactionHitbox", Rule::number, PackKind::hitbox},
    PackRow{"TransitionTexture", "transitionTexture"},
    PackRow{"TransitionToGroups", "transitionToGroups", Rule::group},
    PackRow{"TransitionToTag", "transitionToTag", Rule::tag},
    // The side in the name of a key, and that of the field: north is the back.
    PackRow{"Tint", "tint", Rule::tint_all},
    PackRow{"TintUp", "tint.top", Rule::tint},
    PackRow{"TintDown", "tint.bottom", Rule::tint},
    PackRow{"TintNorth", "tint.back", Rule::tint},
    PackRow{"TintSouth", "tint.front", Rule::tint},
    PackRow{"TintWest", "tint.left", Rule::tint},
    PackRow{"TintEast", "tint.right", Rule::tint},
    PackRow{"BiomeTint", "biomeTint", Rule::percent_all},
    PackRow{"BiomeTintUp", "biomeTint.top"},
    PackRow{"BiomeTintDown", "biomeTint.bottom"},
    PackRow{"BiomeTintNorth", "biomeTint.back"},
    PackRow{"BiomeTintSouth", "biomeTint.front"},
    PackRow{"BiomeTintWest", "biomeTint.left"},
    PackRow{"BiomeTintEast", "biomeTint.right"},
    PackRow{"Effect", "shaderEffect"},
    PackRow{"ParticleColor", "particleColor"},
    PackRow{"Light", "light"},
    PackRow{"BlockSoundSetId", "blockSoundSetIndex", Rule::number, PackKind::block_sounds},
    PackRow{"AmbientSoundEventId", "ambientSoundEventIndex", Rule::number, PackKind::sound_event},
    PackRow{"Looping", "looping"},
    PackRow{"VariantRotation", "variantRotation"},
    PackRow{"RandomRotation", "randomRotation"},
    PackRow{"RotationYawPlacementOffset", "rotationYawPlacementOffset"},
    PackRow{"MovementSettings", "movementSettings"},
    PackRow{"Flags", "flags"},
    PackRow{"IsUsable", "flags.isUsable"},
    PackRow{"IsStackable", "flags.isStackable"},
    PackRow{"InteractionHint", "interactionHint"},
    PackRow{"Gathering", "gathering"},
    PackRow{"PlacementSettings", "placementSettings"},
    PackRow{"Support", "support"},
    PackRow{"Supporting", "supporting"},
    PackRow{"MaxSupportDistance", "maxSupportDistance"},
    PackRow{"SupportsRequiredFor", "blockSupportsRequiredFor"},
    PackRow{"IgnoreSupportWhenPlaced", "ignoreSupportWhenPlaced"},
};

constexpr std::array k_placement_rows{
    PackRow{"AllowRotationKey", "allowRotationKey"},
    PackRow{"PlaceInEmptyBlocks", "placeInEmptyBlocks"},
    PackRow{"PreviewVisibility", "previewVisibility"},
    PackRow{"RotationMode", "rotationMode"},
    PackRow{"WallPlacementOverrideBlockId", "wallPlacementOverrideBlockId", Rule::number, PackKind::block},
    PackRow{"FloorPlacementOverrideBlockId", "floorPlacementOverrideBlockId", Rule::number, PackKind::block},
    PackRow{"CeilingPlacementOverrideBlockId", "ceilingPlacementOverrideBlockId", Rule::number,
            PackKind::block},
    PackRow{"AllowBreakReplace", "allowBreakReplace"},
};

constexpr std::array k_support_rows{
    PackRow{"FaceType", "faceType"},
    PackRow{"SelfFaceType", "selfFaceType"},
    PackRow{"BlockSetId", "blockSetId"},
    PackRow{"BlockTypeId", "blockTypeId", Rule::number, PackKind::block},
    PackRow{"FluidId", "fluidId", Rule::number, PackKind::fluid},
    PackRow{"TagId", "tagIndex", Rule::tag},
    PackRow{"Support", "support"},
    PackRow{"MatchSelf", "matchSelf"},
    PackRow{"AllowSupportPropagation", "allowSupportPropagation"},
    PackRow{"Rotate", "rotate"},
    PackRow{"Filler", "filler"},
};

constexpr std::array k_item_rows{
    PackRow{"Icon", "icon"},
    PackRow{"IconProperties", "iconProperties"},
    PackRow{"TranslationProperties", "translationProperties"},
    PackRow{"Model", "model"},
    PackRow{"Texture", "texture"},
    PackRow{"Scale", "scale"},
    PackRow{"Animation", "animation"},
    PackRow{"PlayerAnimationsId", "playerAnimationsId"},
    PackRow{"UsePlayerAnimations", "usePlayerAnimations"},
    PackRow{"MaxStack", "maxStack"},
    PackRow{"ItemLevel", "itemLevel"},
    PackRow{"Quality", "qualityIndex", Rule::number, PackKind::quality},
    PackRow{"Reticle", "reticleIndex", Rule::number, PackKind::reticle},
    PackRow{"Categories", "categories"},
    PackRow{"Set", "set"},
    PackRow{"Consumable", "consumable"},
    PackRow{"Variant", "variant"},
    PackRow{"MaxDurability", "durability"},
    PackRow{"SoundEventId", "soundEventIndex", Rule::number, PackKind::sound_event},
    PackRow{"ItemSoundSetId", "itemSoundSetIndex", Rule::number, PackKind::item_sounds},
    PackRow{"Light", "light"},
    PackRow{"ResourceTypes", "resourceTypes"},
    PackRow{"Glider", "gliderConfig"},
    PackRow{"Utility", "utility"},
    PackRow{"BlockSelectorTool", "blockSelectorTool"},
    PackRow{"InteractionConfig", "interactionConfig"},
    PackRow{"ItemEntity", "itemEntity"},
    PackRow{"DroppedItemAnimation", "droppedItemAnimation"},
    PackRow{"ItemAppearanceConditions", "itemAppearanceConditions", Rule::number, PackKind::stat},
    PackRow{"DisplayEntityStatsHUD", "displayEntityStatsHUD", Rule::number, PackKind::stat},
    PackRow{"PullbackConfig", "pullbackConfig"},
    PackRow{"ClipsGeometry", "clipsGeometry"},
    PackRow{"RenderDeployablePreview", "renderDeployablePreview"},
};

constexpr std::array k_appearance_rows{
    PackRow{"Condition", "condition"},
    PackRow{"ConditionValueType", "conditionValueType"},
    PackRow{"LocalSoundEventId", "localSoundEventId", Rule::number, PackKind::sound_event},
    PackRow{"WorldSoundEventId", "worldSoundEventId", Rule::number, PackKind::sound_event},
    PackRow{"Model", "model"},
    PackRow{"Texture", "texture"},
};

constexpr std::array k_utility_rows{
    PackRow{"Usable", "usable"},
    PackRow{"Compatible", "compatible"},
    PackRow{"EntityStatsToClear", "entityStatsToClear", Rule::number, PackKind::stat},
};

constexpr std::array k_fluid_rows{
    PackRow{"MaxFluidLevel", "maxFluidLevel"},
    PackRow{"Textures", "cubeTextures", Rule::textures},
    PackRow{"Effect", "shaderEffect"},
    PackRow{"DrawType", "drawType"},
    PackRow{"Opacity", "opacity"},
    PackRow{"RequiresAlphaBlending", "requiresAlphaBlending"},
    PackRow{"FluidFXId", "fluidFXIndex", Rule::number, PackKind::fluid_look},
    PackRow{"Light", "light"},
    PackRow{"ParticleColor", "particleColor"},
    PackRow{"BlockSoundSetId", "blockSoundSetIndex", Rule::number, PackKind::block_sounds},
};

constexpr std::array k_fluid_look_rows{
    PackRow{"Fog", "fogMode"},
    PackRow{"FogColor", "fogColor"},
    PackRow{"FogDistance", "fogDistance"},
    PackRow{"FogDepthStart", "fogDepthStart"},
    PackRow{"FogDepthFalloff", "fogDepthFalloff"},
    PackRow{"ColorsFilter", "colorFilter", Rule::per_255},
    PackRow{"ColorsSaturation", "colorSaturation"},
    PackRow{"DistortionAmplitude", "distortionAmplitude"},
    PackRow{"DistortionFrequency", "distortionFrequency"},
    PackRow{"MovementSettings", "movementSettings"},
};

constexpr std::array k_environment_rows{PackRow{"WaterTint", "waterTint"}};

constexpr std::array k_weather_rows{
    PackRow{"Stars", "stars"},
    PackRow{"Moons", "moons", Rule::moons},
    PackRow{"Clouds", "clouds"},
    PackRow{"ScreenEffect", "screenEffect"},
    PackRow{"FogDistance", "fog"},
    PackRow{"FogOptions", "fogOptions"},
    PackRow{"SkyTopColors", "skyTopColors", Rule::hours},
    PackRow{"SkyBottomColors", "skyBottomColors", Rule::hours},
    PackRow{"SkySunsetColors", "skySunsetColors", Rule::hours},
    PackRow{"SunlightColors", "sunlightColors", Rule::hours},
    PackRow{"SunColors", "sunColors", Rule::hours},
    PackRow{"SunGlowColors", "sunGlowColors", Rule::hours},
    PackRow{"MoonColors", "moonColors", Rule::hours},
    PackRow{"MoonGlowColors", "moonGlowColors", Rule::hours},
    PackRow{"FogColors", "fogColors", Rule::hours},
    PackRow{"ScreenEffectColors", "screenEffectColors", Rule::hours},
    PackRow{"ColorFilters", "colorFilters", Rule::hours},
    PackRow{"WaterTints", "waterTints", Rule::hours},
    PackRow{"SunlightDampingMultipliers", "sunlightDampingMultiplier", Rule::hours},
    PackRow{"SunScales", "sunScales", Rule::hours},
    PackRow{"MoonScales", "moonScales", Rule::hours},
    PackRow{"FogHeightFalloffs", "fogHeightFalloffs", Rule::hours},
    PackRow{"FogDensities", "fogDensities", Rule::hours},
};

constexpr std::array k_cloud_rows{
    PackRow{"Texture", "texture"},
    PackRow{"Colors", "colors", Rule::hours},
    PackRow{"Speeds", "speeds", Rule::hours},
};

constexpr std::array k_sound_event_rows{
    PackRow{"Volume", "volume", Rule::decibels},
    PackRow{"MusicDuckingVolume", "musicDuckingVolume", Rule::decibels},
    PackRow{"AmbientDuckingVolume", "ambientDuckingVolume", Rule::decibels},
    PackRow{"Pitch", "pitch", Rule::semitones},
    PackRow{"StartAttenuationDistance", "startAttenuationDistance"},
    PackRow{"MaxDistance", "maxDistance"},
    PackRow{"MaxInstance", "maxInstance"},
    PackRow{"PreventSoundInterruption", "preventSoundInterruption"},
    PackRow{"AudioCategory", "audioCategory", Rule::number, PackKind::audio_category},
    PackRow{"Layers", "layers"},
};

constexpr std::array k_sound_layer_rows{
    PackRow{"Files", "files"},
    PackRow{"Volume", "volume", Rule::decibels},
    PackRow{"StartDelay", "startDelay"},
    PackRow{"Looping", "looping"},
    PackRow{"Probability", "probability"},
    PackRow{"ProbabilityRerollDelay", "probabilityRerollDelay"},
    PackRow{"RoundRobinHistorySize", "roundRobinHistorySize"},
    PackRow{"RandomSettings", "randomSettings"},
};

constexpr std::array k_sound_random_rows{
    PackRow{"MinVolume", "minVolume", Rule::decibels}, PackRow{"MaxVolume", "maxVolume", Rule::decibels},
    PackRow{"MinPitch", "minPitch", Rule::semitones},  PackRow{"MaxPitch", "maxPitch", Rule::semitones},
    PackRow{"MaxStartOffset", "maxStartOffset"},
};

constexpr std::array k_block_sounds_rows{
    PackRow{"SoundEvents", "soundEventIndices", Rule::number, PackKind::sound_event},
    PackRow{"MoveInRepeatRange", "moveInRepeatRange"},
};
constexpr std::array k_item_sounds_rows{
    PackRow{"SoundEvents", "soundEventIndices", Rule::number, PackKind::sound_event}};
constexpr std::array k_sound_set_rows{
    PackRow{"SoundEvents", "sounds", Rule::number, PackKind::sound_event},
    PackRow{"Category", "category"},
};
constexpr std::array k_range_rows{
    PackRow{"Min", "inclusiveMin"},
    PackRow{"Max", "inclusiveMax"},
};

constexpr std::array k_stat_rows{
    PackRow{"InitialValue", "value"},
    PackRow{"Min", "min"},
    PackRow{"Max", "max"},
    PackRow{"ResetType", "resetBehavior"},
    PackRow{"HideFromTooltip", "hideFromTooltip"},
    PackRow{"MinValueEffects", "minValueEffects"},
    PackRow{"MaxValueEffects", "maxValueEffects"},
};
constexpr std::array k_stat_effect_rows{
    PackRow{"TriggerAtZero", "triggerAtZero"},
    PackRow{"SoundEventId", "soundEventIndex", Rule::number, PackKind::sound_event},
};

constexpr std::array k_model_rows{
    PackRow{"Model", "path"},
    PackRow{"Texture", "texture"},
    PackRow{"EyeHeight", "eyeHeight"},
    PackRow{"CrouchOffset", "crouchOffset"},
    PackRow{"SittingOffset", "sittingOffset"},
    PackRow{"SleepingOffset", "sleepingOffset"},
    PackRow{"HitBox", "hitbox"},
    PackRow{"Camera", "camera"},
    PackRow{"DefaultAttachments", "attachments"},
    PackRow{"DetailBoxes", "detailBoxes"},
    PackRow{"Light", "light"},
};
constexpr std::array k_animation_rows{
    PackRow{"Animation", "name"},
    PackRow{"Speed", "speed"},
    PackRow{"BlendingDuration", "blendingDuration"},
    PackRow{"Looping", "looping"},
    PackRow{"Weight", "weight"},
    PackRow{"FootstepIntervals", "footstepIntervals"},
    PackRow{"PassiveLoopCount", "passiveLoopCount"},
    PackRow{"SoundEventId", "soundEventIndex", Rule::number, PackKind::sound_event},
};

constexpr std::array k_root_rows{
    PackRow{"Interactions", "interactions", Rule::number, PackKind::interaction},
    PackRow{"Cooldown", "cooldown"},
    PackRow{"Settings", "settings"},
    PackRow{"Rules", "rules"},
    PackRow{"RequireNewClick", "requireNewClick"},
    PackRow{"ClickQueuingTimeout", "clickQueuingTimeout"},
};
constexpr std::array k_cooldown_rows{
    PackRow{"Id", "cooldownId"},
    PackRow{"Cooldown", "cooldown"},
    PackRow{"Charges", "chargeTimes"},
    PackRow{"SkipCooldownReset", "skipCooldownReset"},
    PackRow{"InterruptRecharge", "interruptRecharge"},
    PackRow{"ClickBypass", "clickBypass"},
};
constexpr std::array k_rules_rows{
    PackRow{"BlockedBy", "blockedBy"},
    PackRow{"Blocking", "blocking"},
    PackRow{"InterruptedBy", "interruptedBy"},
    PackRow{"Interrupting", "interrupting"},
};
constexpr std::array k_interaction_rows{
    PackRow{"Next", "next", Rule::number, PackKind::interaction},
    PackRow{"Failed", "failed", Rule::number, PackKind::interaction},
    PackRow{"RunTime", "runTime"},
    PackRow{"Effects", "effects"},
    PackRow{"Settings", "settings"},
    PackRow{"Rules", "rules"},
    PackRow{"CancelOnItemChange", "cancelOnItemChange"},
    PackRow{"HorizontalSpeedMultiplier", "horizontalSpeedMultiplier"},
    // Of some kinds only.
    PackRow{"Interactions", "serialInteractions", Rule::number, PackKind::interaction},
    PackRow{"UseLatestTarget", "useLatestTarget"},
    PackRow{"Harvest", "harvest"},
    PackRow{"BlockId", "blockId", Rule::number, PackKind::block},
    PackRow{"RemoveItemInHand", "removeItemInHand"},
    PackRow{"AllowDragPlacement", "allowDragPlacement"},
    PackRow{"RequiredGameMode", "requiredGameMode"},
    PackRow{"Jumping", "jumping"},
    PackRow{"Swimming", "swimming"},
    PackRow{"Crouching", "crouching"},
    PackRow{"Running", "running"},
    PackRow{"Flying", "flying"},
};
constexpr std::array k_effects_rows{
    PackRow{"WorldSoundEventId", "worldSoundEventIndex", Rule::number, PackKind::sound_event},
    PackRow{"LocalSoundEventId", "localSoundEventIndex", Rule::number, PackKind::sound_event},
    PackRow{"WaitForAnimationToFinish", "waitForAnimationToFinish"},
    PackRow{"ClearAnimationOnFinish", "clearAnimationOnFinish"},
    PackRow{"ClearSoundEventOnFinish", "clearSoundEventOnFinish"},
    PackRow{"StartDelay", "startDelay"},
    PackRow{"ItemPlayerAnimationsId", "itemPlayerAnimationsId"},
    PackRow{"ItemAnimationId", "itemAnimationId"},
};

constexpr std::array<std::pair<std::string_view, std::span<const PackRow>>, 38> k_layouts{{
    {"BlockType", k_block_rows},
    {"BlockPlacementSettings", k_placement_rows},
    {"RequiredBlockFaceSupport", k_support_rows},
    {"ItemBase", k_item_rows},
    {"ItemAppearanceCondition", k_appearance_rows},
    {"ItemUtility", k_utility_rows},
    {"Fluid", k_fluid_rows},
    {"FluidFX", k_fluid_look_rows},
    {"WorldEnvironment", k_environment_rows},
    {"Weather", k_weather_rows},
    {"Cloud", k_cloud_rows},
    {"SoundEvent", k_sound_event_rows},
    {"SoundEventLayer", k_sound_layer_rows},
    {"SoundEventLayerRandomSettings", k_sound_random_rows},
    {"BlockSoundSet", k_block_sounds_rows},
    {"ItemSoundSet", k_item_sounds_rows},
    {"SoundSet", k_sound_set_rows},
    {"FloatRange", k_range_rows},
    {"EntityStatType", k_stat_rows},
    {"EntityStatEffects", k_stat_effect_rows},
    {"Model", k_model_rows},
    {"Animation", k_animation_rows},
    {"RootInteraction", k_root_rows},
    {"InteractionCooldown", k_cooldown_rows},
    {"InteractionRules", k_rules_rows},
    {"InteractionEffects", k_effects_rows},
    {"SimpleInteraction", k_interaction_rows},
    {"PlaceBlockInteraction", k_interaction_rows},
    {"BreakBlockInteraction", k_interaction_rows},
    {"PickBlockInteraction", k_interaction_rows},
    {"UseBlockInteraction", k_interaction_rows},
    {"ConditionInteraction", k_interaction_rows},
    {"SerialInteraction", k_interaction_rows},
    // Whose members no page describes: their entries have a name alone.
    {"AudioCategory", {}},
    {"ItemQuality", {}},
    {"ItemReticleConfig", {}},
    {"ItemPlayerAnimations", {}},
    {"ResourceType", {}},
}};

constexpr double k_none = k_no_entry;
constexpr std::array k_defaults{
    PackDefault{"ModelTexture", "weight", 1},
    PackDefault{"RequiredBlockFaceSupport", "blockTypeId", -1},
    PackDefault{"RequiredBlockFaceSupport", "fluidId", -1},
    PackDefault{"RequiredBlockFaceSupport", "tagIndex", k_none},
    PackDefault{"RequiredBlockFaceSupport", "support", 0, "Required"},
    PackDefault{"RequiredBlockFaceSupport", "allowSupportPropagation", 1},
    PackDefault{"RequiredBlockFaceSupport", "rotate", 1},
    PackDefault{"BlockPlacementSettings", "wallPlacementOverrideBlockId", -1},
    PackDefault{"BlockPlacementSettings", "floorPlacementOverrideBlockId", -1},
    PackDefault{"BlockPlacementSettings", "ceilingPlacementOverrideBlockId", -1},
    PackDefault{"BlockFlags", "isStackable", 1},
    PackDefault{"AssetIconProperties", "scale", 1},
    PackDefault{"ItemResourceType", "quantity", 1},
    PackDefault{"SoundEventLayer", "volume", 1},
    PackDefault{"SoundEventLayer", "probability", 100},
    PackDefault{"SoundEventLayer", "probabilityRerollDelay", 1},
    PackDefault{"SoundEventLayer", "randomSettings", 0, "", true},
    PackDefault{"SoundEventLayer", "files", 0, "", true},
    PackDefault{"SoundEventLayerRandomSettings", "minVolume", 1},
    PackDefault{"SoundEventLayerRandomSettings", "maxVolume", 1},
    PackDefault{"SoundEventLayerRandomSettings", "minPitch", 1},
    PackDefault{"SoundEventLayerRandomSettings", "maxPitch", 1},
    PackDefault{"FluidFXMovementSettings", "horizontalSpeedMultiplier", 1},
    PackDefault{"FluidFXMovementSettings", "fieldOfViewMultiplier", 1},
    PackDefault{"FluidFXMovementSettings", "entryVelocityMultiplier", 1},
    PackDefault{"Model", "scale", 1},
    PackDefault{"Model", "animationSets", 0, "", true},
    PackDefault{"Model", "detailBoxes", 0, "", true},
    PackDefault{"Animation", "speed", 1},
    PackDefault{"Animation", "blendingDuration", 0.2},
    PackDefault{"Animation", "looping", 1},
    PackDefault{"Animation", "weight", 1},
    PackDefault{"Animation", "passiveLoopCount", 1},
    PackDefault{"Animation", "footstepIntervals", 0, "", true},
    PackDefault{"AnimationSet", "animations", 0, "", true},
    PackDefault{"AnimationSet", "nextAnimationDelay", 0, "", true},
    PackDefault{"RootInteraction", "interactions", 0, "", true},
    PackDefault{"RootInteraction", "rules", 0, "", true},
    PackDefault{"RootInteraction", "settings", 0, "", true},
    PackDefault{"InteractionRules", "blockedByBypassIndex", k_none},
    PackDefault{"InteractionRules", "blockingBypassIndex", k_none},
    PackDefault{"InteractionRules", "interruptedByBypassIndex", k_none},
    PackDefault{"InteractionRules", "interruptingBypassIndex", k_none},
    PackDefault{"PlaceBlockInteraction", "blockId", -1},
    PackDefault{"PlaceBlockInteraction", "removeItemInHand", 1},
    PackDefault{"PlaceBlockInteraction", "allowDragPlacement", 1},
    PackDefault{"SerialInteraction", "serialInteractions", 0, "", true},
};

constexpr std::array k_registries{
    PackRegistry{"UpdateAudioCategories", "categories", PackKind::audio_category, "id"},
    PackRegistry{"UpdateSoundEvents", "soundEvents", PackKind::sound_event, "id"},
    PackRegistry{"UpdateSoundSets", "soundSets", PackKind::sound_set, "id"},
    PackRegistry{"UpdateBlockSoundSets", "blockSoundSets", PackKind::block_sounds, "id"},
    PackRegistry{"UpdateItemSoundSets", "itemSoundSets", PackKind::item_sounds, "id"},
    PackRegistry{"UpdateBlockHitboxes", "blockBaseHitboxes", PackKind::hitbox, ""},
    PackRegistry{"UpdateFluidFX", "fluidFX", PackKind::fluid_look, "id"},
    PackRegistry{"UpdateFluids", "fluids", PackKind::fluid, "id"},
    PackRegistry{"UpdateEnvironments", "environments", PackKind::environment, "id", true},
    PackRegistry{"UpdateWeathers", "weathers", PackKind::weather, "id", true},
    PackRegistry{"UpdateEntityStatTypes", "types", PackKind::stat, "id"},
    PackRegistry{"UpdateItemQualities", "itemQualities", PackKind::quality, "id"},
    PackRegistry{"UpdateItemReticles", "itemReticleConfigs", PackKind::reticle, ""},
    PackRegistry{"UpdateItemPlayerAnimations", "itemPlayerAnimations", PackKind::item_animations, "id"},
    PackRegistry{"UpdateResourceTypes", "resourceTypes", PackKind::resource, "id"},
    PackRegistry{"UpdateBlockTypes", "blockTypes", PackKind::block, "name", true},
    PackRegistry{"UpdateItems", "items", PackKind::item, "id", true},
};

} // namespace

std::span<const PackRow> pack_rows(std::string_view layout) {
    const auto found = std::ranges::find(k_layouts, layout, [](const auto& entry) { return entry.first; });
    return found == k_layouts.end() ? std::span<const PackRow>{} : found->second;
}

bool has_pack_rows(std::string_view layout) {
    return std::ranges::find(k_layouts, layout, [](const auto& entry) { return entry.first; })
           != k_layouts.end();
}

std::span<const PackDefault> pack_defaults() { return k_defaults; }

bool is_left_out(std::string_view layout) {
    constexpr std::array<std::string_view, 6> names{"ModelParticle", "ModelTrail",        "WeatherParticle",
                                                    "FluidParticle", "CameraShakeEffect", "MovementEffects"};
    return std::ranges::find(names, layout) != names.end();
}

std::span<const PackRegistry> pack_registries() { return k_registries; }

} // namespace orbis::game
