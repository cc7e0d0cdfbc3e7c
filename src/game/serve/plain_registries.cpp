#include "game/serve/plain_registries.hpp"

#include "game/serve/registry_frames.hpp"
#include "game/serve/registry_numbers.hpp"

#include <array>
#include <utility>

namespace orbis::game {
namespace {

using namespace std::string_view_literals;
using protocol::Entry;
using protocol::List;
using protocol::Map;
using protocol::Text;

template <typename K, typename V>
Map<K, V> nothing() {
    return {};
}

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
    const std::array hitboxes{
        Entry<std::int32_t, List<packets::Hitbox>>{k_full_hitbox, List<packets::Hitbox>(cube)}};
    packets::UpdateBlockHitboxes boxes;
    boxes.max_id = 1;
    boxes.block_base_hitboxes = Map<std::int32_t, List<packets::Hitbox>>(hitboxes);
    out.add(boxes);

    std::array<Entry<std::int32_t, packets::BlockSoundSet>, 1> block_sounds;
    block_sounds[0].key = k_silence;
    block_sounds[0].value.id = "Empty"sv;
    packets::UpdateBlockSoundSets sound_sets;
    sound_sets.max_id = 1;
    sound_sets.block_sound_sets = Map<std::int32_t, packets::BlockSoundSet>(block_sounds);
    out.add(sound_sets);

    packets::UpdateBlockParticleSets particles;
    particles.block_particle_sets = nothing<Text, packets::BlockParticleSet>();
    out.add(particles);
    packets::UpdateBlockBreakingDecals decals;
    decals.block_breaking_decals = nothing<Text, packets::BlockBreakingDecal>();
    out.add(decals);

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
    packets::UpdateFluidFX fluids;
    fluids.max_id = static_cast<std::int32_t>(looks.size());
    fluids.fluid_fx = Map<std::int32_t, packets::FluidFX>(looks);
    out.add(fluids);
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
    packets::UpdateEntityStatTypes types;
    types.max_id = static_cast<std::int32_t>(stats.size());
    types.types = Map<std::int32_t, packets::EntityStatType>(stats);
    out.add(types);

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
    packets::UpdateEntityUIComponents components;
    components.max_id = static_cast<std::int32_t>(above.size());
    components.components = Map<std::int32_t, packets::EntityUIComponent>(above);
    out.add(components);

    const std::array collisions{Entry<std::int32_t, packets::HitboxCollisionConfig>{
        0, {.collision_type = packets::CollisionType::soft, .soft_collision_offset_ratio = 1}}};
    packets::UpdateHitboxCollisionConfig collision;
    collision.max_id = 1;
    collision.hitbox_collision_configs = Map<std::int32_t, packets::HitboxCollisionConfig>(collisions);
    out.add(collision);

    const std::array pushes{
        Entry<std::int32_t, packets::RepulsionConfig>{0, {.radius = 1, .min_force = 0, .max_force = 1}}};
    packets::UpdateRepulsionConfig repulsion;
    repulsion.max_id = 1;
    repulsion.repulsion_configs = Map<std::int32_t, packets::RepulsionConfig>(pushes);
    out.add(repulsion);

    packets::UpdateEntityEffects effects;
    effects.entity_effects = nothing<std::int32_t, packets::EntityEffect>();
    out.add(effects);
    packets::UpdateModelvfxs models;
    models.model_vf_xs = nothing<std::int32_t, packets::ModelVFX>();
    out.add(models);
    packets::UpdateProjectileConfigs projectiles;
    projectiles.configs = nothing<Text, packets::ProjectileConfig>();
    out.add(projectiles);
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
    packets::UpdateInteractions update;
    update.max_id = k_interactions;
    update.interactions = Map<std::int32_t, packets::Interaction>(interactions);
    out.add(update);

    constexpr std::array<Text, k_interactions> names{"Empty", "Block_Break", "Block_Place", "Block_Pick",
                                                     "Block_Use"};
    constexpr std::array<std::int32_t, k_interactions> numbers{0, 1, 2, 3, 4};
    std::array<Entry<std::int32_t, packets::RootInteraction>, k_interactions> roots;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        roots[i].key = numbers[i];
        roots[i].value.id = names[i];
        roots[i].value.interactions = List<std::int32_t>(&numbers[i], 1);
    }
    packets::UpdateRootInteractions root_update;
    root_update.max_id = k_interactions;
    root_update.interactions = Map<std::int32_t, packets::RootInteraction>(roots);
    out.add(root_update);

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
    std::array<Entry<std::int32_t, packets::AudioCategory>, 1> categories;
    categories[0].key = k_all_sounds;
    categories[0].value.id = "Default"sv;
    categories[0].value.volume = 1;
    packets::UpdateAudioCategories audio;
    audio.max_id = 1;
    audio.categories = Map<std::int32_t, packets::AudioCategory>(categories);
    out.add(audio);

    std::array<Entry<std::int32_t, packets::SoundEvent>, 1> events;
    events[0].key = k_silence;
    events[0].value.id = "Empty"sv;
    events[0].value.pitch = 1;
    events[0].value.audio_category = k_all_sounds;
    events[0].value.layers = List<packets::SoundEventLayer>();
    packets::UpdateSoundEvents sounds;
    sounds.max_id = 1;
    sounds.sound_events = Map<std::int32_t, packets::SoundEvent>(events);
    out.add(sounds);

    std::array<Entry<std::int32_t, packets::SoundSet>, 1> sets;
    sets[0].key = k_silence;
    sets[0].value.category = packets::SoundCategory::sfx;
    sets[0].value.id = "Empty"sv;
    sets[0].value.sounds = nothing<Text, std::int32_t>();
    packets::UpdateSoundSets sound_sets;
    sound_sets.max_id = 1;
    sound_sets.sound_sets = Map<std::int32_t, packets::SoundSet>(sets);
    out.add(sound_sets);

    std::array<Entry<std::int32_t, packets::ItemSoundSet>, 1> of_items;
    of_items[0].key = k_silence;
    of_items[0].value.id = "Empty"sv;
    packets::UpdateItemSoundSets item_sets;
    item_sets.max_id = 1;
    item_sets.item_sound_sets = Map<std::int32_t, packets::ItemSoundSet>(of_items);
    out.add(item_sets);

    std::array<Entry<std::int32_t, packets::ReverbEffect>, 1> rooms;
    rooms[0].key = 0;
    rooms[0].value.id = "Empty"sv;
    rooms[0].value.dry_gain = 1;
    packets::UpdateReverbEffects reverb;
    reverb.max_id = 1;
    reverb.effects = Map<std::int32_t, packets::ReverbEffect>(rooms);
    out.add(reverb);

    std::array<Entry<std::int32_t, packets::EqualizerEffect>, 1> flat;
    flat[0].key = 0;
    flat[0].value = {.low_gain = 1,
                     .low_cut_off = 200,
                     .low_mid_gain = 1,
                     .low_mid_center = 500,
                     .low_mid_width = 1,
                     .high_mid_gain = 1,
                     .high_mid_center = 3000,
                     .high_mid_width = 1,
                     .high_gain = 1,
                     .high_cut_off = 6000,
                     .id = "Empty"sv};
    packets::UpdateEqualizerEffects equalizer;
    equalizer.max_id = 1;
    equalizer.effects = Map<std::int32_t, packets::EqualizerEffect>(flat);
    out.add(equalizer);

    packets::UpdateAmbienceFX ambience;
    ambience.ambience_fx = nothing<std::int32_t, packets::AmbienceFX>();
    out.add(ambience);
}

void add_effects(RegistryFrames& out) {
    packets::UpdateTrails trails;
    trails.trails = nothing<Text, packets::Trail>();
    out.add(trails);
    packets::UpdateParticleSystems systems;
    systems.particle_systems = nothing<Text, packets::ParticleSystem>();
    out.add(systems);
    packets::UpdateParticleSpawners spawners;
    spawners.particle_spawners = nothing<Text, packets::ParticleSpawner>();
    out.add(spawners);
    packets::UpdateTagPatterns patterns;
    patterns.patterns = nothing<std::int32_t, packets::TagPattern>();
    out.add(patterns);
    packets::UpdateCameraShake shakes;
    shakes.profiles = nothing<std::int32_t, packets::CameraShake>();
    out.add(shakes);

    std::array<Entry<packets::MovementType, packets::ViewBobbing>, value_count(packets::MovementType{})>
        steady;
    for (std::size_t i = 0; i < steady.size(); ++i) steady[i].key = static_cast<packets::MovementType>(i);
    packets::UpdateViewBobbing bobbing;
    bobbing.profiles = Map<packets::MovementType, packets::ViewBobbing>(steady);
    out.add(bobbing);
}

} // namespace orbis::game
