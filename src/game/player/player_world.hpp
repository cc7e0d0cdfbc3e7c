#pragma once

#include "bytes/position.hpp"
#include "net/outgoing_frame.hpp"
#include "net/time.hpp"
#include "packets/shared.hpp"
#include "protocol/types.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace orbis::world {
struct ClientEffects;
}

namespace orbis::game {

class ContentPack;
class EncodedChunkCache;
class EntityTable;
class EntityUpdater;
class ItemTable;
struct Person;
class MapImages;
class Player;
class WorldClock;
struct EditRequest;
struct EncodedChunk;
struct PlayerMarker;
struct ServerFacts;

/// What a player may ask of the world that it is in, and do to it.
class PlayerWorld {
public:
    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual const protocol::Uuid& uuid() const = 0;
    [[nodiscard]] virtual packets::GameMode game_mode() const = 0;
    [[nodiscard]] virtual const world::ClientEffects& effects() const = 0;
    /// Where a player appears: where it was last, else where all do.
    [[nodiscard]] virtual packets::Position spawn_of(const std::string& player) const = 0;
    [[nodiscard]] virtual const WorldClock& time() const = 0;
    /// The number of the weather at a place; that of a clear sky if nothing is known about it.
    [[nodiscard]] virtual std::int32_t weather_at(BlockPos pos, net::Time now) const = 0;

    [[nodiscard]] virtual EncodedChunkCache& chunks() = 0;
    /// What is to be sent after the frames of a chunk: the changes since they were made.
    virtual std::span<const net::OutgoingFrame> frames_behind(const EncodedChunk& encoded) = 0;
    [[nodiscard]] virtual EntityTable& entities() = 0;
    /// Null if the world has no map.
    [[nodiscard]] virtual MapImages* map() const = 0;
    /// All who play in it, for the map. Made again by each tick.
    [[nodiscard]] virtual std::span<const PlayerMarker> markers() const = 0;

    /// Asks for a block at a place; the answer comes with a tick.
    virtual void submit(const EditRequest& request) = 0;

    /// A frame for all who are in it.
    virtual void broadcast(const net::OutgoingFrame& frame) = 0;
    /// The player is in it, or on its way in; and is no more.
    virtual void add(Player& player) = 0;
    virtual void remove(Player& player) = 0;

protected:
    ~PlayerWorld() = default;
};

/// What a player may ask of its server, and tell it.
class PlayerServer {
public:
    [[nodiscard]] virtual net::Time now() const = 0;
    [[nodiscard]] virtual const ServerFacts& facts() const = 0;
    /// Whether chunks go as fast as the network takes them.
    [[nodiscard]] virtual bool is_unlimited() const = 0;
    /// What is offered for download; null: nothing.
    [[nodiscard]] virtual const ContentPack* pack() const = 0;
    /// For a player in setup, in the order in which they are to be sent.
    [[nodiscard]] virtual std::span<const net::OutgoingFrame> registry_frames() const = 0;
    /// The texts of a language in place of those in the registries; null if it has none of its own.
    [[nodiscard]] virtual const net::OutgoingFrame* texts(std::string_view language) const = 0;
    [[nodiscard]] virtual const Person& person() const = 0;
    [[nodiscard]] virtual const ItemTable& items() const = 0;
    [[nodiscard]] virtual EntityUpdater& updater() = 0;

    /// The player is connected; and is gone.
    virtual void add(Player& player) = 0;
    virtual void remove(Player& player) = 0;
    /// A player's connection is over: it is removed soon.
    virtual void note_gone() = 0;
    /// The player has all that it needs: it goes into a world.
    virtual void admit(Player& player) = 0;
    /// The player has another world.
    virtual void tell_world_of(Player& player) = 0;
    /// The player has come into its world.
    virtual void announce(Player& player) = 0;
    /// The player sees its first world.
    virtual void greet(Player& player) = 0;
    /// A line for the others in its world.
    virtual void chat(Player& from, const std::string& text) = 0;
    /// A line for the player alone.
    virtual void tell(Player& player, std::string_view text) = 0;
    virtual void count_sent_chunk() = 0;
    virtual void count_entity_update() = 0;

protected:
    ~PlayerServer() = default;
};

} // namespace orbis::game
