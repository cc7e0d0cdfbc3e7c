#include "game/player/join_packets.hpp"

#include "net/server_session.hpp"
#include "packets/entities.hpp"
#include "packets/interface.hpp"
#include "packets/inventory.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"

#include <array>

namespace orbis::game {
namespace {

/// The sections of an inventory as the game numbers them: hotbar, utility, tools.
constexpr std::array<std::int32_t, 3> k_sections_with_slots = {-1, -5, -8};

/// How a body moves: a person on foot, and free to fly in creative mode. The game takes these from its
/// assets; the values here are our own.
packets::MovementSettings movement_settings(bool can_fly) {
    packets::MovementSettings settings;
    settings.mass = 1;
    settings.drag_coefficient = 0.5F;
    settings.velocity_resistance = 0.242F;
    settings.jump_force = 11.8F;
    settings.swim_jump_force = 10;
    settings.jump_buffer_duration = 0.3F;
    settings.jump_buffer_max_y_velocity = 3;
    settings.acceleration = 0.1F;
    settings.air_drag_min = 0.96F;
    settings.air_drag_max = 0.995F;
    settings.air_drag_min_speed = 6;
    settings.air_drag_max_speed = 10;
    settings.air_friction_min = 0.02F;
    settings.air_friction_max = 0.045F;
    settings.air_friction_min_speed = 6;
    settings.air_friction_max_speed = 10;
    settings.air_speed_multiplier = 1;
    settings.air_control_max_speed = 3;
    settings.air_control_max_multiplier = 3.13F;
    settings.combo_air_speed_multiplier = 1.05F;
    settings.base_speed = 5.5F;
    settings.climb_speed = 0.035F;
    settings.climb_speed_lateral = 0.035F;
    settings.climb_up_sprint_speed = 0.045F;
    settings.climb_down_sprint_speed = 0.055F;
    settings.horizontal_fly_speed = 10.32F;
    settings.vertical_fly_speed = 10.32F;
    settings.max_speed_multiplier = 1000;
    settings.min_speed_multiplier = 0.01F;
    settings.wish_direction_gravity_x = 0.5F;
    settings.wish_direction_gravity_y = 0.5F;
    settings.wish_direction_weight_x = 0.5F;
    settings.wish_direction_weight_y = 0.5F;
    settings.can_fly = can_fly;
    settings.collision_expulsion_force = 0.04F;
    settings.forward_walk_speed_multiplier = 0.3F;
    settings.backward_walk_speed_multiplier = 0.3F;
    settings.strafe_walk_speed_multiplier = 0.3F;
    settings.forward_run_speed_multiplier = 1;
    settings.backward_run_speed_multiplier = 0.65F;
    settings.strafe_run_speed_multiplier = 0.8F;
    settings.forward_crouch_speed_multiplier = 0.55F;
    settings.backward_crouch_speed_multiplier = 0.4F;
    settings.strafe_crouch_speed_multiplier = 0.45F;
    settings.forward_sprint_speed_multiplier = 1.65F;
    settings.variable_jump_fall_force = 35;
    settings.fall_effect_duration = 0.6F;
    settings.fall_jump_force = 7;
    settings.fall_momentum_loss = 0.1F;
    settings.auto_jump_obstacle_max_angle = 45;
    settings.min_slide_entry_speed = 8.5F;
    settings.slide_exit_speed = 2.5F;
    settings.min_fall_speed_to_engage_roll = 21;
    settings.max_fall_speed_to_engage_roll = 31;
    settings.roll_start_speed_modifier = 2.5F;
    settings.roll_exit_speed_modifier = 1.5F;
    settings.roll_time_to_complete = 0.9F;
    return settings;
}

packets::InventorySection empty_section(std::int16_t capacity) {
    packets::InventorySection section;
    section.capacity = capacity;
    return section;
}

} // namespace

packets::ServerInfo server_info(const ServerFacts& facts) {
    packets::ServerInfo info;
    info.server_name = protocol::Text(facts.name);
    info.motd = protocol::Text(facts.motd);
    info.max_players = facts.max_players;
    return info;
}

Result<void> send_greeting(net::ServerSession& session, const ServerFacts& facts,
                           protocol::Opt<protocol::List<packets::Asset>> required_assets) {
    packets::WorldSettings settings;
    settings.world_height = k_world_height;
    settings.required_assets = required_assets;
    TRY_DO(session.send(settings));
    return session.send(server_info(facts));
}

Result<void> send_loaded(net::ServerSession& session) {
    packets::WorldLoadProgress progress;
    progress.percent_complete = 100;
    progress.percent_complete_subitem = 100;
    TRY_DO(session.send(progress));
    return session.send(packets::WorldLoadFinished{});
}

Result<void> send_entry(net::ServerSession& session, const EntryFacts& facts) {
    packets::ViewRadius radius;
    radius.value = facts.view_radius * k_side;
    TRY_DO(session.send(radius));
    packets::SetEntitySeed seed;
    seed.entity_seed = facts.network_id;
    TRY_DO(session.send(seed));
    packets::SetClientId id;
    id.client_id = facts.network_id;
    TRY_DO(session.send(id));
    packets::SetTimeDilation dilation;
    dilation.time_dilation = 1;
    TRY_DO(session.send(dilation));

    using enum packets::ClientFeature;
    static constexpr std::array<protocol::Entry<packets::ClientFeature, bool>, 7> k_features = {
        {{split_velocity, false},
         {mantling, true},
         {sprint_force, true},
         {crouch_slide, true},
         {safety_roll, true},
         {display_health_bars, true},
         {display_combat_text, true}}};
    packets::UpdateFeatures features;
    features.features = protocol::Map<packets::ClientFeature, bool>(k_features);
    TRY_DO(session.send(features));
    packets::UpdateSunSettings sun;
    sun.height_percentage = 100;
    TRY_DO(session.send(sun));
    packets::UpdatePostFxSettings effects;
    effects.global_intensity = 0.3F;
    effects.power = 8;
    effects.sunshaft_scale = 4;
    effects.sun_intensity = 0.25F;
    effects.sunshaft_intensity = 0.3F;
    TRY_DO(session.send(effects));
    packets::SetUpdateRate rate;
    rate.updates_per_second = k_ticks_per_second;
    return session.send(rate);
}

Result<void> send_body(net::ServerSession& session, const EntryFacts& facts) {
    packets::SetGameMode mode;
    mode.game_mode = facts.mode;
    TRY_DO(session.send(mode));
    packets::UpdateMovementSettings movement;
    movement.movement_settings = movement_settings(facts.mode == packets::GameMode::creative);
    TRY_DO(session.send(movement));
    packets::UpdatePlayerInventory inventory;
    inventory.storage = empty_section(36);
    inventory.armor = empty_section(4);
    inventory.hotbar = empty_section(9);
    inventory.utility = empty_section(4);
    inventory.tools = empty_section(23);
    inventory.backpack = empty_section(0);
    TRY_DO(session.send(inventory));
    for (const auto section : k_sections_with_slots) {
        packets::SetActiveSlot slot;
        slot.inventory_section_id = section;
        slot.active_slot = section == k_sections_with_slots.front() ? 0 : -1;
        TRY_DO(session.send(slot));
    }
    return {};
}

Result<net::OutgoingFrame> text_frame(net::FrameTools<net::Side::server>& tools, std::string_view text,
                                      std::string_view colour) {
    packets::FormattedMessage message;
    message.raw_text = protocol::Text(text);
    if (!colour.empty()) message.color = protocol::Text(colour);
    packets::ServerMessage packet;
    packet.message = message;
    return net::OutgoingFrame::make(tools.writer, packet);
}

} // namespace orbis::game
