#pragma once

#include "bytes/position.hpp"
#include "game/player/server_facts.hpp"
#include "net/outgoing_frame.hpp"
#include "packets/player.hpp"
#include "packets/shared.hpp"
#include "world/config.hpp"

namespace orbis::net {
class ServerSession;
}

namespace orbis::game {

/// What a player is told when it enters a world.
struct EntryFacts {
    std::int32_t network_id = 0;
    int view_radius = 32; ///< chunks, that the server allows
    packets::GameMode mode = packets::GameMode::creative;
    world::ClientEffects effects{};
    packets::MovementSettings movement{};
};

inline constexpr int k_ticks_per_second = 30;

/// `WorldSettings` and `ServerInfo`, the first packets of setup.
Result<void> send_greeting(net::ServerSession& session, const ServerFacts& facts,
                           protocol::Opt<protocol::List<packets::Asset>> required_assets);
/// How a server calls itself; those who are there may be told again.
packets::ServerInfo server_info(const ServerFacts& facts);
/// What follows the registries: the client may enter.
Result<void> send_loaded(net::ServerSession& session);
/// The tags that assets are asked for by number.
Result<void> send_tags(net::ServerSession& session);
/// What comes between `ClientReady` and the own entity.
Result<void> send_entry(net::ServerSession& session, const EntryFacts& facts);
/// What comes after the own entity, up to the inventory.
Result<void> send_body(net::ServerSession& session, const EntryFacts& facts);
/// What comes after the inventory, up to the time and the world map.
Result<void> send_interface(net::ServerSession& session, const EntryFacts& facts);

/// A line of text from the server, for many or one.
Result<net::OutgoingFrame> text_frame(net::FrameTools<protocol::Side::server>& tools, std::string_view text,
                                      std::string_view colour = {});

/// Says to everybody in a world who has come.
Result<net::OutgoingFrame> joined_frame(net::FrameTools<protocol::Side::server>& tools,
                                        std::string_view player, std::string_view world);

} // namespace orbis::game
