#include "game/content/plain_registries.hpp"

#include "game/content/registry_frames.hpp"
#include "game/content/registry_numbers.hpp"
#include "packets/assets.hpp"

#include <array>
#include <utility>

namespace orbis::game {
namespace {

using namespace std::string_view_literals;
using protocol::Entry;
using protocol::List;
using protocol::Map;
using protocol::Text;

constexpr std::int32_t number(DoneWith what) { return std::to_underlying(what); }

packets::FluidFX fluid_look(Text id, packets::ShaderType shader, packets::Color fog, float sight) {
    packets::FluidFX look;
    look.id = id;
    look.shader = shader;
    look.fog_mode =
        shader == packets::ShaderType::water ? packets::FluidFog::environment_tint : packets::FluidFog::color;
    look.fog_color = fog;
    look.fog_distance = packets::NearFar{.near = 0, .far = sight};
    look.fog_depth_start = 40;
    look.fog_depth_falloff = 10;
    look.color_saturation = 1;
    look.movement_settings = packets::FluidFXMovementSettings{.swim_up_speed = 3,
                                                              .swim_down_speed = -3,
                                                              .sink_speed = -0.5F,
                                                              .horizontal_speed_multiplier = 0.6F,
                                                              .field_of_view_multiplier = 1,
                                                              .entry_velocity_multiplier = 0.5F};
    return look;
}

} // namespace

void add_block_basics(RegistryFrames& out) {
    const std::array cube{packets::Hitbox{0, 0, 0, 1, 1, 1}};
    static_assert(k_full_hitbox == 0);
    out.add_one(&packets::UpdateBlockHitboxes::block_base_hitboxes, List<packets::Hitbox>(cube));
    packets::BlockSoundSet silent;
    silent.id = "Empty"sv;
    out.add_one(&packets::UpdateBlockSoundSets::block_sound_sets, silent);
    out.add_none(&packets::UpdateBlockParticleSets::block_particle_sets);
    out.add_none(&packets::UpdateBlockBreakingDecals::block_breaking_decals);

    using Shader = packets::ShaderType;
    packets::FluidFX dry;
    dry.id = "Empty"sv;
    dry.color_saturation = 1;
    auto unknown = dry;
    unknown.id = "Unknown"sv;
    const std::array looks{
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::none), dry},
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::unknown), unknown},
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::water),
                                              fluid_look("Water", Shader::water, {25, -125, -39}, 48)},
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::lava),
                                              fluid_look("Lava", Shader::lava, {-7, 78, 17}, 3)},
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::slime),
                                              fluid_look("Slime", Shader::slime, {87, -102, 31}, 8)}};
    out.add_all(&packets::UpdateFluidFX::fluid_fx, looks);
}

void add_entity_basics(RegistryFrames& out) {
    const auto stat = [](Stat which, Text id, float value, float most) {
        packets::EntityStatType type;
        type.id = id;
        type.value = value;
        type.max = most;
        return Entry<std::int32_t, packets::EntityStatType>{std::to_underlying(which), type};
    };
    const std::array stats{stat(Stat::health, "Health", 100, 100),
                           stat(Stat::oxygen, "Oxygen", 100, 100),
                           stat(Stat::stamina, "Stamina", 10, 10),
                           stat(Stat::mana, "Mana", 0, 0),
                           stat(Stat::signature_energy, "SignatureEnergy", 0, 100),
                           stat(Stat::ammo, "Ammo", 0, 0)};
    out.add_all(&packets::UpdateEntityStatTypes::types, stats);

    std::array<Entry<std::int32_t, packets::EntityUIComponent>, 2> above;
    above[0].key = 0;
    above[0].value.type = packets::EntityUIType::entity_stat;
    above[0].value.entity_stat_index = std::to_underlying(Stat::health);
    above[0].value.hitbox_offset = packets::Vector2f{0, 1};
    above[1].key = 1;
    above[1].value.type = packets::EntityUIType::combat_text;
    above[1].value.entity_stat_index = std::to_underlying(Stat::health);
    above[1].value.combat_text_duration = 0.4F;
    above[1].value.combat_text_font_size = 68;
    above[1].value.combat_text_color = packets::Color{-1, -1, -1};
    out.add_all(&packets::UpdateEntityUIComponents::components, above);

    out.add_one(&packets::UpdateHitboxCollisionConfig::hitbox_collision_configs,
                {.collision_type = packets::CollisionType::soft, .soft_collision_offset_ratio = 1});
    out.add_one(&packets::UpdateRepulsionConfig::repulsion_configs,
                {.radius = 1, .min_force = 0, .max_force = 1});
    out.add_none(&packets::UpdateEntityEffects::entity_effects);
    out.add_none(&packets::UpdateModelvfxs::model_vf_xs);
    out.add_none(&packets::UpdateProjectileConfigs::configs);
}

void add_interactions(RegistryFrames& out) {
    packets::SimpleInteraction idle;
    idle.wait_for_data_from = packets::WaitForDataFrom::none;
    idle.horizontal_speed_multiplier = 1;
    packets::BreakBlockInteraction breaks;
    breaks.horizontal_speed_multiplier = 1;
    packets::PlaceBlockInteraction places;
    places.horizontal_speed_multiplier = 1;
    places.block_id = k_no_entry; // that of the item in the hand
    places.allow_drag_placement = true;
    packets::PickBlockInteraction picks;
    picks.horizontal_speed_multiplier = 1;
    packets::UseBlockInteraction uses;
    uses.horizontal_speed_multiplier = 1;
    const std::array interactions{
        Entry<std::int32_t, packets::Interaction>{number(DoneWith::nothing), idle},
        Entry<std::int32_t, packets::Interaction>{number(DoneWith::breaking), breaks},
        Entry<std::int32_t, packets::Interaction>{number(DoneWith::placing), places},
        Entry<std::int32_t, packets::Interaction>{number(DoneWith::picking), picks},
        Entry<std::int32_t, packets::Interaction>{number(DoneWith::using_it), uses}};
    static_assert(interactions.size() == k_interactions);
    out.add_all(&packets::UpdateInteractions::interactions, interactions);

    constexpr std::array<Text, k_interactions> names{"Empty", "Block_Break", "Block_Place", "Block_Pick",
                                                     "Block_Use"};
    constexpr std::array<std::int32_t, k_interactions> numbers{0, 1, 2, 3, 4};
    std::array<Entry<std::int32_t, packets::RootInteraction>, k_interactions> roots;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        roots[i].key = numbers[i];
        roots[i].value.id = names[i];
        roots[i].value.interactions = List<std::int32_t>(&numbers[i], 1);
    }
    out.add_all(&packets::UpdateRootInteractions::interactions, roots);

    using Type = packets::InteractionType;
    constexpr std::array unarmed{Entry<Type, std::int32_t>{Type::primary, number(DoneWith::breaking)},
                                 Entry<Type, std::int32_t>{Type::secondary, number(DoneWith::nothing)},
                                 Entry<Type, std::int32_t>{Type::use, number(DoneWith::using_it)},
                                 Entry<Type, std::int32_t>{Type::pick, number(DoneWith::picking)}};
    packets::UpdateUnarmedInteractions hands;
    hands.interactions = Map<Type, std::int32_t>(unarmed);
    out.add(hands);
}

void add_sounds(RegistryFrames& out) {
    static_assert(k_all_sounds == 0 && k_silence == 0);
    packets::AudioCategory category;
    category.id = "Default"sv;
    category.volume = 1;
    out.add_one(&packets::UpdateAudioCategories::categories, category);

    packets::SoundEvent event;
    event.id = "Empty"sv;
    event.pitch = 1;
    event.audio_category = k_all_sounds;
    event.layers = List<packets::SoundEventLayer>();
    out.add_one(&packets::UpdateSoundEvents::sound_events, event);

    packets::SoundSet set;
    set.category = packets::SoundCategory::sfx;
    set.id = "Empty"sv;
    set.sounds = Map<Text, std::int32_t>();
    out.add_one(&packets::UpdateSoundSets::sound_sets, set);

    packets::ItemSoundSet of_items;
    of_items.id = "Empty"sv;
    out.add_one(&packets::UpdateItemSoundSets::item_sound_sets, of_items);

    packets::ReverbEffect room;
    room.id = "Empty"sv;
    room.dry_gain = 1;
    out.add_one(&packets::UpdateReverbEffects::effects, room);

    out.add_one(&packets::UpdateEqualizerEffects::effects, {.low_gain = 1,
                                                            .low_cut_off = 200,
                                                            .low_mid_gain = 1,
                                                            .low_mid_center = 500,
                                                            .low_mid_width = 1,
                                                            .high_mid_gain = 1,
                                                            .high_mid_center = 3000,
                                                            .high_mid_width = 1,
                                                            .high_gain = 1,
                                                            .high_cut_off = 6000,
                                                            .id = "Empty"sv});
    out.add_none(&packets::UpdateAmbienceFX::ambience_fx);
}

void add_effects(RegistryFrames& out) {
    out.add_none(&packets::UpdateTrails::trails);
    out.add_none(&packets::UpdateParticleSystems::particle_systems);
    out.add_none(&packets::UpdateParticleSpawners::particle_spawners);
    out.add_none(&packets::UpdateTagPatterns::patterns);
    out.add_none(&packets::UpdateCameraShake::profiles);

    std::array<Entry<packets::MovementType, packets::ViewBobbing>, value_count(packets::MovementType{})>
        steady;
    for (std::size_t i = 0; i < steady.size(); ++i) steady[i].key = static_cast<packets::MovementType>(i);
    out.add_all(&packets::UpdateViewBobbing::profiles, steady);
}

} // namespace orbis::game
