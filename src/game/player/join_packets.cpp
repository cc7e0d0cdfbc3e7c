#include "game/player/join_packets.hpp"

#include "net/server_session.hpp"
#include "packets/buildertools.hpp"
#include "packets/entities.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"

#include <array>
#include <numbers>

namespace orbis::game {
namespace {

/// All but the list of requests, the list of players and the slots of builder tools.
constexpr auto k_visible_hud = [] {
    using enum packets::HudComponent;
    return std::array{hotbar,
                      status_icons,
                      reticle,
                      chat,
                      notifications,
                      kill_feed,
                      event_title,
                      input_bindings,
                      compass,
                      speedometer,
                      objective_panel,
                      portal_panel,
                      stamina,
                      builder_tools_legend,
                      utility_slot_selector,
                      mana,
                      block_variant_selector,
                      ammo_indicator,
                      health,
                      oxygen,
                      sleep};
}();

/// A number of a sound set: the silent one.
constexpr std::int32_t k_no_sounds = 0;

packets::UpdateMovementSettings movement_settings(const EntryFacts& facts) {
    packets::UpdateMovementSettings movement;
    movement.movement_settings = facts.movement;
    movement.movement_settings->can_fly = facts.mode == packets::GameMode::creative;
    return movement;
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
    settings.required_assets = required_assets.value_or({});
    TRY_DO(session.send(settings));
    return session.send(server_info(facts));
}

Result<void> send_loaded(net::ServerSession& session) {
    packets::FormattedMessage status;
    status.message_id = protocol::Text("client.general.worldLoad.loadingWorld");
    packets::WorldLoadProgress progress;
    progress.status = status;
    TRY_DO(session.send(progress));
    return session.send(packets::WorldLoadFinished{});
}

Result<void> send_tags(net::ServerSession& session) {
    constexpr std::array<protocol::Entry<protocol::Text, std::int32_t>, 1> tags{{{"Allows=Movement", 1}}};
    packets::ServerTags packet;
    packet.tags = protocol::Map<protocol::Text, std::int32_t>(tags);
    return session.send(packet);
}

Result<void> send_entry(net::ServerSession& session, const EntryFacts& facts) {
    packets::ViewRadius radius;
    radius.value = facts.view_radius * k_side;
    TRY_DO(session.send(radius));
    TRY_DO(session.send(packets::SetEntitySeed{}));
    packets::SetClientId id;
    id.client_id = facts.network_id;
    TRY_DO(session.send(id));
    packets::SetTimeDilation dilation;
    dilation.time_dilation = 1;
    TRY_DO(session.send(dilation));

    std::array<protocol::Entry<packets::ClientFeature, bool>, value_count(packets::ClientFeature{})> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {static_cast<packets::ClientFeature>(i), true};
    packets::UpdateFeatures features;
    features.features = protocol::Map<packets::ClientFeature, bool>(all);
    TRY_DO(session.send(features));
    packets::UpdateSunSettings sun;
    sun.height_percentage = facts.effects.sun_height_percent;
    sun.angle_radians = facts.effects.sun_angle_degrees * std::numbers::pi_v<float> / 180;
    TRY_DO(session.send(sun));
    packets::UpdatePostFxSettings effects;
    effects.global_intensity = facts.effects.bloom_intensity;
    effects.power = facts.effects.bloom_power;
    effects.sunshaft_scale = facts.effects.sunshaft_scale;
    effects.sun_intensity = facts.effects.sun_intensity;
    effects.sunshaft_intensity = facts.effects.sunshaft_intensity;
    TRY_DO(session.send(effects));
    packets::SetUpdateRate rate;
    rate.updates_per_second = k_ticks_per_second;
    return session.send(rate);
}

Result<void> send_body(net::ServerSession& session, const EntryFacts& facts) {
    packets::SetGameMode mode;
    mode.game_mode = facts.mode;
    TRY_DO(session.send(mode));
    TRY_DO(session.send(movement_settings(facts)));
    packets::BuilderToolsSetSoundSet sounds;
    sounds.sound_set_index = k_no_sounds;
    return session.send(sounds);
}

Result<void> send_interface(net::ServerSession& session, const EntryFacts& facts) {
    TRY_DO(session.send(packets::SetBlockPlacementOverride{}));
    TRY_DO(session.send(packets::UpdateMemoriesFeatureStatus{}));
    packets::SetMovementStates states;
    states.movement_states = packets::SavedMovementStates{};
    TRY_DO(session.send(states));
    TRY_DO(session.send(movement_settings(facts))); // once more, as the game does
    packets::UpdateVisibleHudComponents hud;
    hud.visible_components = protocol::List<packets::HudComponent>(k_visible_hud);
    TRY_DO(session.send(hud));
    packets::UpdateKnownRecipes recipes;
    recipes.known = protocol::Map<protocol::Text, packets::CraftingRecipe>();
    return session.send(recipes);
}

Result<net::OutgoingFrame> joined_frame(net::FrameTools<net::Side::server>& tools, std::string_view player,
                                        std::string_view world) {
    packets::StringParamValue username;
    username.value = protocol::Text(player);
    packets::StringParamValue world_name;
    world_name.value = protocol::Text(world);
    const std::array<protocol::Entry<protocol::Text, packets::ParamValue>, 2> params{
        {{"username", username}, {"world", world_name}}};
    packets::FormattedMessage message;
    message.message_id = protocol::Text("server.general.playerJoinedWorld");
    message.params = protocol::Map<protocol::Text, packets::ParamValue>(params);
    packets::ServerMessage packet;
    packet.message = message;
    return net::OutgoingFrame::make(tools.writer, packet);
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
