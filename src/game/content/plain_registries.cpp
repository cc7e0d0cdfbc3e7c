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

/// A look of which nothing is said.
packets::FluidFX plain_look(Text id) {
    packets::FluidFX look;
    look.id = id;
    look.fog_mode = packets::FluidFog::color;
    look.fog_color = packets::Color{-1, -1, -1};
    look.fog_distance = packets::NearFar{.near = 0, .far = 32};
    look.fog_depth_start = 40;
    look.fog_depth_falloff = 10;
    look.color_filter = packets::Color{-1, -1, -1};
    look.color_saturation = 1;
    look.distortion_amplitude = 8;
    look.distortion_frequency = 4;
    return look;
}

packets::FluidFX fluid_look(Text id, packets::Color fog, float sight) {
    auto look = plain_look(id);
    look.fog_color = fog;
    look.fog_distance = packets::NearFar{.near = 0, .far = sight};
    look.movement_settings = packets::FluidFXMovementSettings{.swim_up_speed = 2.5F,
                                                              .swim_down_speed = -2.5F,
                                                              .sink_speed = -1.35F,
                                                              .horizontal_speed_multiplier = 0.6F,
                                                              .field_of_view_multiplier = 1,
                                                              .entry_velocity_multiplier = 1};
    return look;
}

/// The game's own water.
packets::FluidFX water_look() {
    auto look = fluid_look("Water", {25, -125, -39}, 190);
    look.fog_mode = packets::FluidFog::environment_tint;
    look.fog_distance->near = -437;
    look.fog_depth_start = 95;
    look.fog_depth_falloff = 1.3F;
    look.color_saturation = 1.6F;
    look.distortion_amplitude = 5;
    look.distortion_frequency = 6;
    return look;
}

} // namespace

void add_block_basics(RegistryFrames& out) {
    const std::array cube{packets::Hitbox{0, 0, 0, 1, 1, 1}};
    static_assert(k_full_hitbox == 0);
    out.add_one(&packets::UpdateBlockHitboxes::block_base_hitboxes, List<packets::Hitbox>(cube));
    packets::BlockSoundSet silent;
    silent.id = "EMPTY"sv;
    silent.sound_event_indices = Map<packets::BlockSoundEvent, std::int32_t>();
    silent.move_in_repeat_range = packets::FloatRange{0.5F, 1.5F};
    out.add_one(&packets::UpdateBlockSoundSets::block_sound_sets, silent);
    out.add_none(&packets::UpdateBlockParticleSets::block_particle_sets);
    out.add_none(&packets::UpdateBlockBreakingDecals::block_breaking_decals);

    const std::array looks{
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::none), plain_look("Empty")},
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::water), water_look()},
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::lava),
                                              fluid_look("Lava", {-7, 78, 17}, 3)},
        Entry<std::int32_t, packets::FluidFX>{std::to_underlying(FluidLook::slime),
                                              fluid_look("Slime", {87, -102, 31}, 8)}};
    out.add_all(&packets::UpdateFluidFX::fluid_fx, looks);
}

void add_entity_basics(RegistryFrames& out) {
    std::array<Entry<std::int32_t, packets::EntityStatType>, k_stats.size()> stats;
    for (std::size_t i = 0; i < k_stats.size(); ++i) {
        const auto& stat = k_stats[i];
        auto& type = stats[i].value;
        stats[i].key = static_cast<std::int32_t>(i);
        type.id = stat.id;
        type.value = stat.value;
        type.min = stat.least;
        type.max = stat.most;
        type.reset_behavior = stat.resets_to_most ? packets::EntityStatResetBehavior::max_value
                                                  : packets::EntityStatResetBehavior::initial_value;
    }
    out.add_all(&packets::UpdateEntityStatTypes::types, stats);

    std::array<Entry<std::int32_t, packets::EntityUIComponent>, k_ui_components> above;
    above[0].key = 0;
    above[0].value.type = packets::EntityUIType::entity_stat;
    above[0].value.entity_stat_index = k_health;
    above[0].value.hitbox_offset = packets::Vector2f{0, 0};
    above[1].key = 1;
    above[1].value.type = packets::EntityUIType::combat_text;
    above[1].value.entity_stat_index = k_health;
    above[1].value.hitbox_offset = packets::Vector2f{0, 0};
    above[1].value.combat_text_random_position_offset_range = packets::RangeVector2f{};
    above[1].value.combat_text_duration = 0.4F;
    above[1].value.combat_text_hit_angle_modifier_strength = 1;
    above[1].value.combat_text_animation_events = List<packets::CombatTextEntityUIComponentAnimationEvent>();
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

void add_sounds(RegistryFrames& out) {
    static_assert(k_all_sounds == 0 && k_silence == 0);
    packets::AudioCategory category;
    category.id = "EMPTY"sv;
    category.volume = 1;
    out.add_one(&packets::UpdateAudioCategories::categories, category);

    packets::SoundEvent event;
    event.id = "EMPTY"sv;
    event.volume = 1;
    event.pitch = 1;
    event.music_ducking_volume = 1;
    event.ambient_ducking_volume = 1;
    event.start_attenuation_distance = 2;
    event.max_distance = 16;
    event.max_instance = 50;
    event.audio_category = k_all_sounds;
    out.add_one(&packets::UpdateSoundEvents::sound_events, event);

    packets::SoundSet set;
    set.category = packets::SoundCategory::sfx;
    set.id = "EMPTY"sv;
    set.sounds = Map<Text, std::int32_t>();
    out.add_one(&packets::UpdateSoundSets::sound_sets, set);

    packets::ItemSoundSet of_items;
    of_items.id = "ISS_Default"sv;
    of_items.sound_event_indices = Map<packets::ItemSoundEvent, std::int32_t>();
    out.add_one(&packets::UpdateItemSoundSets::item_sound_sets, of_items);

    packets::ReverbEffect room;
    room.id = "EMPTY"sv;
    room.dry_gain = 1;
    room.modal_density = 1;
    room.diffusion = 1;
    room.gain = 0.316F;
    room.high_frequency_gain = 0.891F;
    room.decay_time = 1.49F;
    room.high_frequency_decay_ratio = 0.83F;
    room.reflection_gain = 0.05F;
    room.reflection_delay = 0.007F;
    room.late_reverb_gain = 1.259F;
    room.late_reverb_delay = 0.011F;
    room.air_absorption_high_frequency_gain = 0.994F;
    room.limit_decay_high_frequency = true;
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
                                                            .id = "EMPTY"sv});
    packets::AmbienceFX calm;
    calm.id = "Empty"sv;
    out.add_one(&packets::UpdateAmbienceFX::ambience_fx, calm);
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
