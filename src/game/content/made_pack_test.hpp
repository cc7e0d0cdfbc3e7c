#pragma once

#include "game/content/content_pack.hpp"
#include "support/pack_files.hpp"
#include "support/shared.hpp"

/// A small pack of assets for tests.
namespace orbis::game::test_pack {

namespace fs = std::filesystem;
using test::Files;
using test::write;
using test::write_zip;

/// Text that does not repeat, of any length.
inline std::string long_text(std::size_t length) {
    std::string text;
    for (std::uint32_t i = 0; text.size() < length; ++i) text += std::to_string(i * 2'654'435'761U) + ",";
    text.resize(length);
    return text;
}

inline const Files k_mod{
    {"Common/BlockTextures/My_Rock.png", "rock"},
    {"Common/BlockTextures/My_Rock_Top.png", "top"},
    {"Common/Icons/ItemsGenerated/My_Rock.png", "icon"},
    {"Common/Sounds/Same.ogg", "rock"},
    {"Common/Empty.txt", ""},
    {"Common/Music/Long.ogg", long_text(3 * ContentPack::k_part + 5)},
    {"Server/Item/Items/My_Rock.json",
     R"({"BlockType": {"Textures": [{"All": "BlockTextures/My_Rock.png", "Up": "BlockTextures/My_Rock_Top.png"}]}})"},
    {"Server/Item/Items/My_Mossy_Rock.json", R"({"Parent": "My_Rock", "BlockType": {"Group": "Stone"}})"},
    {"Server/Item/Block/Blocks/My_Lamp.json",
     R"({"DrawType": "Model", "CustomModel": "Blocks/L.blockymodel", "CustomModelTexture": [{"Texture": "Blocks/L.png"}]})"},
    {"Server/Environments/Env_My.json",
     R"({"WeatherForecasts": {"6": [{"WeatherId": "My_Sun", "Weight": 3}, {"WeatherId": "My_Rain", "Weight": 1}],
         "18": [{"WeatherId": "My_Night"}], "99": [{"WeatherId": "Never"}], "7": "wrong"}})"},
    {"Server/Environments/Env_Below.json", R"({"Parent": "Env_My"})"},
    {"Server/Weathers/My_Sun.json",
     R"json({"Parent": "My_Sky", "Stars": "Sky/Stars.png", "FogDistance": [10, 200],
         "SkyTopColors": [{"Hour": 0, "Color": "#123"}, {"Hour": 0, "Color": "rgba(#010203, 0.5)"},
                          {"Hour": 12, "Color": "#0a0b0c80"}, {"Hour": 13, "Color": "nonsense"},
                          {"Hour": 77, "Color": "#fff"}, 5]})json"},
    {"Server/Weathers/My_Sky.json", R"({"SunScales": [{"Hour": 6, "Value": 2.5}]})"},
    {"Server/Weathers/Broken.json", "{"},
    {"Server/Languages/en-US/server.lang", "# words\nitems.My_Rock.name = The Rock\r\nbroken line\n"},
};

/// A pack with every member that is known of each kind of file (docs/formats/registries.md).
inline const Files k_whole{
    {"Common/a", "a"},
    {"Server/Audio/AudioCategories/Loud.json", "{}"},
    {"Server/Audio/SoundEvents/Deep/Step.json",
     R"({"$Comment": 1, "Volume": -6, "Pitch": 12, "MusicDuckingVolume": 20, "StartAttenuationDistance": 3,
         "MaxDistance": 40, "PreventSoundInterruption": true, "AudioCategory": "Loud",
         "Layers": [{"Files": ["Sounds/a.ogg", "Sounds/b.ogg"], "Volume": -20, "StartDelay": 0.25, "Looping": true,
                     "Probability": 30, "RoundRobinHistorySize": 2,
                     "RandomSettings": {"MinVolume": -6, "MaxVolume": 0, "MinPitch": -12, "MaxStartOffset": 0.5}},
                    {}]})"},
    {"Server/Audio/SoundEvents/Quiet.json", R"({"Parent": "Step", "Layers": []})"},
    {"Server/Item/Block/Sounds/Stony.json",
     R"({"SoundEvents": {"Walk": "Step", "Break": "Unheard_Of"}, "MoveInRepeatRange": {"Min": 0.25, "Max": 2}})"},
    {"Server/Audio/ItemSounds/ISS_My.json", R"({"SoundEvents": {"Drag": "Step"}})"},
    {"Server/Audio/SoundSets/My_Set.json", R"({"SoundEvents": {"Any": "Step"}, "Category": "UI"})"},
    {"Server/Item/Block/Hitboxes/Low.json",
     R"({"Boxes": [{"Min": {"X": 0, "Y": -0.25, "Z": 0}, "Max": {"X": 1, "Y": 1, "Z": 1.5}},
                   {"Min": {"X": 0, "Y": 0, "Z": 0}, "Max": {"X": 1, "Y": 0.5, "Z": 1}}]})"},
    {"Server/Item/Qualities/Rare.json", "{}"},
    {"Server/Item/Reticles/Cross.json", "{}"},
    {"Server/Item/Animations/Pickaxe.json", "{}"},
    {"Server/Item/ResourceTypes/Iron.json", "{}"},
    {"Server/Item/Items/My_Block.json",
     R"({"MaxStack": 25, "Categories": ["Blocks.Made"], "Tags": {"Made": ["By"]}, "BlockType": {
         "DrawType": "CubeWithModel", "Material": "Solid", "Opacity": "Cutout", "RequiresAlphaBlending": true,
         "CustomModel": "Blocks/M.blockymodel", "CustomModelScale": 1.5,
         "CustomModelTexture": [{"Texture": "Blocks/M.png", "Weight": 3}, {"Texture": "Blocks/N.png"}],
         "CustomModelAnimation": "Blocks/M.blockyanim",
         "Textures": [{"All": "all.png", "Up": "u.png", "Down": "d.png", "North": "n.png", "South": "s.png",
                       "West": "w.png", "East": "e.png", "Weight": 2},
                      {"UpDown": "ud.png", "Sides": "sides.png"}, {"All": "all.png"}],
         "TextureSideMask": "mask.png", "CubeShadingMode": "Flat", "HitboxType": "Low",
         "InteractionHitboxType": "Full", "TransitionTexture": "t.png", "TransitionToGroups": ["Stone"],
         "TransitionToTag": "Type=Soil", "Tint": ["#102030", "#fff"], "TintUp": ["#010203"], "TintNorth": "#abc",
         "BiomeTint": 30, "BiomeTintWest": 70, "Effect": ["Wind", "Ice"], "ParticleColor": "#010203",
         "Light": {"Color": "#f80"}, "BlockSoundSetId": "Stony", "AmbientSoundEventId": "Step", "Looping": true,
         "VariantRotation": "NESW", "RandomRotation": "YawStep90", "RotationYawPlacementOffset": "OneEighty",
         "MovementSettings": {"IsClimbable": true, "Drag": 0.5}, "Flags": {"IsUsable": true},
         "InteractionHint": "server.hint", "Particles": [{"SystemId": "Dust"}], "BlockParticleSetId": "Dust",
         "Gathering": {"Breaking": {"GatherType": "Rocks"}, "Soft": {"IsWeaponBreakable": true}},
         "PlacementSettings": {"AllowRotationKey": true}, "Support": {"Down": [{"FaceType": "Full"}]},
         "Supporting": {"Up": [{"FaceType": "Half"}]}, "MaxSupportDistance": 4, "SupportsRequiredFor": "Any",
         "IgnoreSupportWhenPlaced": true, "Tags": {"Type": ["Soil"]},
         "State": {"Definitions": {"Open": {"DrawType": "Model", "HitboxType": "Full"}}}}})"},
    {"Server/Item/Items/My_Child.json", R"({"Parent": "My_Block", "BlockType": {"Material": "Empty"}})"},
    {"Server/Item/Items/My_Tool.json",
     R"({"Icon": "Icons/T.png", "IconProperties": {"Scale": 0.5, "Rotation": [0, 45, 0], "Translation": [-2, 1]},
         "TranslationProperties": {"Name": "server.items.T.name", "Description": "server.items.T.text"},
         "Model": "Items/T.blockymodel", "Texture": "Items/T.png", "Scale": 2, "Animation": "Items/T.blockyanim",
         "PlayerAnimationsId": "Pickaxe", "UsePlayerAnimations": true, "ItemLevel": 7, "Quality": "Rare",
         "Reticle": "Cross", "Categories": ["Tools.Picks"], "Set": "Iron", "Consumable": true, "Variant": true,
         "MaxDurability": 250.5, "SoundEventId": "Step", "ItemSoundSetId": "ISS_My",
         "Light": {"Color": "#111111", "Radius": 9}, "Particles": [{"SystemId": "Dust"}],
         "ResourceTypes": [{"Id": "Iron", "Quantity": 3}, {"Id": "Wood"}], "Tool": {"Speed": 1},
         "Glider": {"Speed": 4}, "Utility": {"Usable": true}, "BlockSelectorTool": {"DurabilityLossOnUse": 0.5},
         "InteractionConfig": {"DisplayOutlines": false}, "ItemEntity": {"ShowItemParticles": false},
         "DroppedItemAnimation": "Items/D.blockyanim", "DisplayEntityStatsHUD": ["Health"],
         "PullbackConfig": {"LeftOffsetOverride": {"X": 1, "Y": 2, "Z": 3}}, "ClipsGeometry": true,
         "RenderDeployablePreview": true, "Interactions": {"Primary": "My_Root"}})"},
    {"Server/Item/Block/Fluids/My_Milk.json",
     R"({"MaxFluidLevel": 5, "Textures": [{"All": "milk.png"}], "Effect": "Water", "RequiresAlphaBlending": false,
         "FluidFXId": "Milky", "Light": {"Color": "#003"}, "ParticleColor": "#010203", "BlockSoundSetId": "Stony",
         "Ticker": {}, "DamageToEntities": 3})"},
    {"Server/Item/Block/FluidFX/Milky.json",
     R"({"Fog": "EnvironmentTint", "FogColor": "#010203", "FogDistance": [-437, 190], "FogDepthStart": 95,
         "FogDepthFalloff": 1.3, "ColorsFilter": [1, 0.5, 0], "ColorsSaturation": 1.6, "DistortionAmplitude": 5,
         "DistortionFrequency": 6, "Particle": {"SystemId": "Dust"},
         "MovementSettings": {"SwimUpSpeed": 2.5, "SwimDownSpeed": -2.5, "SinkSpeed": -1.35,
                              "HorizontalSpeedMultiplier": 0.6, "FieldOfViewMultiplier": 1}})"},
    {"Server/Environments/Env_Whole.json",
     R"({"WaterTint": "#102030", "Tags": {"Zone": ["One"]}, "SpawnDensity": 1})"},
    {"Server/Weathers/My_Storm.json",
     R"json({"FogDistance": [-5, 300], "Stars": "Sky/Stars.png", "Moons": [{"Day": 2, "Texture": "Sky/M2.png"}],
         "Clouds": [{"Texture": "Sky/C.png", "Colors": [{"Hour": 6, "Color": "#ffffff"}],
                     "Speeds": [{"Hour": 12, "Value": 0.5}]}],
         "ScreenEffect": "Rain", "FogOptions": {"IgnoreFogLimits": true}, "Particle": {"SystemId": "Dust"},
         "SunlightDampingMultipliers": [{"Hour": 12, "Value": 0.25}], "FogDensities": [{"Hour": 0, "Value": 2}],
         "SkyTopColors": [{"Hour": 6, "Color": "#123"}, {"Hour": 18, "Color": "rgba(#010203, 0.5)"}]})json"},
    {"Server/Entity/Stats/My_Stat.json",
     R"({"InitialValue": 5, "Min": -1, "Max": 20, "ResetType": "MaxValue", "HideFromTooltip": true, "Shared": true,
         "MinValueEffects": {"TriggerAtZero": true, "SoundEventId": "Step"}, "MaxValueEffects": {}})"},
    {"Server/Entity/Stats/Health.json", R"({"InitialValue": 250, "Max": 250})"},
    {"Server/Item/RootInteractions/My_Root.json",
     R"({"Interactions": ["My_Place", {"Type": "Condition", "RequiredGameMode": "Creative",
                                       "Next": {"Type": "Simple"}, "Failed": "Unheard_Of"}, "My_Charging"],
         "Cooldown": {"Id": "My", "Cooldown": 0.5, "Charges": [1, 2], "SkipCooldownReset": true,
                      "InterruptRecharge": true, "ClickBypass": true},
         "Settings": {"Creative": {"Cooldown": {"Cooldown": 0.1}, "AllowSkipChainOnClick": true}},
         "Rules": {"BlockedBy": ["Primary"]}, "RequireNewClick": true, "ClickQueuingTimeout": 0.2})"},
    {"Server/Item/RootInteractions/Block_Primary.json", R"({"Interactions": ["My_Place"]})"},
    {"Server/Item/Interactions/My_Place.json",
     R"({"Type": "PlaceBlock", "RunTime": 0.125, "CancelOnItemChange": false, "HorizontalSpeedMultiplier": 0.5,
         "Effects": {"ItemAnimationId": "Build", "WaitForAnimationToFinish": true}})"},
    {"Server/Item/Interactions/My_Charging.json", R"({"Type": "Charging"})"},
    {"Server/Models/Human/Player.json",
     R"({"Parent": "Body", "EyeHeight": 1.5, "GradientSet": "Skin", "GradientId": "02",
         "AnimationSets": {"Idle": {"Animations": [{"Animation": "Characters/Own.blockyanim", "Speed": 0.5,
                                                    "FootstepIntervals": [25, 75]}]}}})"},
    {"Server/Models/Body.json",
     R"({"Model": "Characters/P.blockymodel", "EyeHeight": 9, "CrouchOffset": -0.5,
         "HitBox": {"Min": {"X": -0.25, "Y": 0, "Z": -0.25}, "Max": {"X": 0.25, "Y": 1.75, "Z": 0.25}},
         "Camera": {"PositionOffset": {"X": 0, "Y": 1, "Z": 2}, "Pitch": {"AngleRange": {"Min": -45, "Max": 45}}},
         "DefaultAttachments": [{"Model": "Characters/Hat.blockymodel", "Texture": "Characters/Hat.png",
                                 "GradientSet": "Hat", "GradientId": "Red"}],
         "AnimationSets": {"Idle": {"Animations": []},
                           "Walk": {"Animations": [{"Animation": "Characters/Walk.blockyanim"}],
                                    "NextAnimationDelay": {"Min": 0, "Max": 1}}},
         "DetailBoxes": {"Head": [{"Offset": {"X": 0, "Y": 1.5, "Z": 0},
                                   "Box": {"Min": {"X": -0.25, "Y": 0, "Z": 0}, "Max": {"X": 0.25, "Y": 1, "Z": 1}}}]},
         "Light": {"Color": "#f00", "Radius": 3}, "PhysicsValues": {"Mass": 80}})"},
    {"Server/Models/Beast/Cow.json",
     R"({"Parent": "Body", "Model": "NPC/Cow.blockymodel", "Texture": "NPC/Cow.png", "DefaultAttachments": [],
         "RandomAttachmentSets": {"Horns": {"Long": {"Model": "NPC/Long.blockymodel", "Texture": "NPC/L.png",
                                                     "Weight": 2}, "null": {"Weight": 1}}}})"},
    {"Server/Entity/MovementConfig/Fast.json",
     R"({"BaseSpeed": 7, "AirSpeedMultiplier": 1.5, "ComboAirSpeedMultiplier": 3, "AutoJumpDisableJumping": false,
         "CanFly": false, "FallDamagePartialMitigationPercent": 33})"},
    {"Server/GameplayConfigs/Default.json", R"({"Player": {"MovementConfig": "Fast"}})"},
    {"Server/Languages/fallback.lang", "de-AT = de-DE\nxx = xx\n"},
    {"Server/Languages/en-US/server.lang", "rock = Rock\n"},
    {"Server/Languages/en-US/ui/menu.lang", "quit = Quit\n"},
    {"Server/Languages/de-DE/server.lang", "rock = Fels\n"},
};

inline Result<ContentPack> open(const fs::path& path, std::vector<Error>& problems, std::size_t threads = 3) {
    NoProgress silent;
    return ContentPack::open(path, silent, problems, threads);
}

inline ContentPack open(const fs::path& path) {
    std::vector<Error> problems;
    auto pack = open(path, problems);
    EXPECT_TRUE(pack) << pack.error().text();
    return *std::move(pack);
}

} // namespace orbis::game::test_pack
