#pragma once

#include "game/chunks/chunk_stream.hpp"
#include "game/content/asset_transfer.hpp"
#include "game/entities/entity_view.hpp"
#include "game/mapview/map_stream.hpp"
#include "game/player/chat.hpp"
#include "game/player/hands.hpp"
#include "game/player/movement.hpp"
#include "net/session_handler.hpp"
#include "packets/shared.hpp"

namespace orbis::game {

class PlayerServer;
class PlayerWorld;

/// One player of the server, from setup to its end: what it is sent, and what becomes of what it sends. It
/// belongs to its session. All of it happens in the thread of the game.
class Player final : public net::SessionHandler, private ChunkSink, private Hands::Owner {
public:
    enum class Stage : std::uint8_t {
        setup,   ///< gets what a client needs before it can enter a world
        joining, ///< was told its world; the client is not ready for it yet
        waiting, ///< is in the world; the client does not show it yet
        playing,
    };

    /// The server must outlive it.
    Player(PlayerServer& server, net::ServerSession& session);
    ~Player() override;
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    [[nodiscard]] const protocol::Uuid& uuid() const;
    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] net::ServerSession& session() { return session_; }
    [[nodiscard]] net::Link& link();
    [[nodiscard]] Stage stage() const { return stage_; }
    /// Whether it has an entity and gets chunks.
    [[nodiscard]] bool is_in_world() const { return stream_ != nullptr; }
    /// Null during setup.
    [[nodiscard]] PlayerWorld* world() const { return world_; }
    [[nodiscard]] const Movement& movement() const { return movement_; }
    [[nodiscard]] NetworkId network_id() const { return network_id_; }
    /// Null unless it is in a world.
    [[nodiscard]] ChunkStream* chunk_stream() { return stream_.get(); }
    /// Whether its client has this chunk.
    [[nodiscard]] bool has_chunk(ChunkPos pos) const { return stream_ && stream_->has(pos); }
    [[nodiscard]] net::Duration ping() const;
    /// Whether its client knows the registries, and has to be told what comes to them.
    [[nodiscard]] bool has_registries() const { return has_registries_; }
    /// Whether it is on its way out, or gone.
    [[nodiscard]] bool is_leaving();
    /// Whether the connection is over; why.
    [[nodiscard]] const std::optional<net::Close>& close() const { return close_; }

    /// A frame for this player; nothing happens when it cannot be sent any more.
    void send(const net::OutgoingFrame& frame);
    /// Names that have come to the registries.
    void send_names(std::span<const net::OutgoingFrame> frames);
    /// Goes to a world, from the one where it is or as the first.
    void enter(PlayerWorld& world);
    /// Leaves the world; its client is not told.
    void leave_world();
    /// The rules of the server have changed.
    void follow_rules();
    /// Puts it elsewhere in its world.
    void teleport(const packets::Position& to);
    /// Says why, and ends the connection.
    void kick(std::string_view reason);
    /// Sends it to another server.
    void refer(const net::HostPort& to, Bytes data);
    /// Where it was sent.
    [[nodiscard]] const std::optional<net::HostPort>& referral() const { return referral_; }

    /// What became of an edit that it waits for.
    void on_edit(std::uint32_t ticket, const std::optional<WireBlock>& now_there);
    /// Publishes what the client has said since the last tick.
    void publish();
    /// Sends what is new: chunks, entities, weather, map.
    void tick(net::Time now, EntityUpdater& updater, net::FrameTools<net::Side::server>& tools);

private:
    bool on_packet(const protocol::Frame& frame) override;
    void on_delivered(net::Channel channel) override;
    void on_closed(const net::Close& close) override;

    [[nodiscard]] bool is_creative() const override;
    [[nodiscard]] net::Time now() const override;
    bool may_act() override;
    bool edit(BlockPos pos, std::int32_t block, chunk::Rotation rotation, bool allowed,
              std::uint32_t ticket) override;

    [[nodiscard]] bool takes_chunks() const override;
    [[nodiscard]] bool knows_names() const override;
    void send_chunk(const EncodedChunk& encoded) override;
    void send_changes(const EncodedChunk& encoded, std::span<const ChunkPart* const> parts) override;
    void send_unload(ChunkPos pos) override;
    void send_absent(ChunkPos pos) override { send_unload(pos); }

    bool on_setup_packet(const protocol::Frame& frame);
    bool on_request(const protocol::Frame& frame);
    void pump_assets();
    /// All registries, or one; texts in the language of the client.
    void send_registries(std::optional<std::int32_t> only = std::nullopt);
    bool on_ready(const packets::ClientReady& ready);
    void on_movement(const packets::ClientMovement& movement);
    void on_chat(const packets::ChatMessage& message);
    Result<void> begin_world();
    void send_weather(net::Time now);
    void send_map(net::Time now, net::FrameTools<net::Side::server>& tools);
    [[nodiscard]] EntityState own_entity() const;
    [[nodiscard]] Eye eye(int radius) const;

    PlayerServer& server_;
    net::ServerSession& session_;
    Stage stage_ = Stage::setup;
    PlayerWorld* world_ = nullptr;
    std::int32_t wanted_radius_ = 6 * k_side; ///< blocks; that of a client that never says
    Movement movement_{packets::Position{}};
    NetworkId network_id_ = NetworkId::none;
    std::vector<const net::OutgoingFrame*> together_; ///< frames of one chunk, while they are sent
    std::unique_ptr<ChunkStream> stream_;
    EntityView view_;
    std::optional<MapStream> map_;
    AssetTransfer assets_;
    bool has_registries_ = false;
    std::optional<net::HostPort> referral_;
    std::uint64_t names_end_ = 0; ///< of the last names that it was told, in the bytes of Default
    std::string language_;
    Component skin_;
    Hands hands_;
    std::int32_t weather_ = 0; ///< as the client knows it
    float transition_ = 0;     ///< seconds that the next change of it takes
    net::Time next_weather_{};
    net::TokenBucket chat_bucket_;
    net::TokenBucket act_bucket_;
    net::Time playing_at_ = net::k_never; ///< when it counts as playing without a word
    bool is_welcomed_ = false;
    int unanswered_joins_ = 0; ///< `JoinWorld`s for which the client has not said that it is ready
    std::optional<net::Close> close_;
};

} // namespace orbis::game
