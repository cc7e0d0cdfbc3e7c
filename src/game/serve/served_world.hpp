#pragma once

#include "game/chunks/encoded_chunk_cache.hpp"
#include "game/content/world_clock.hpp"
#include "game/edits/world_editor.hpp"
#include "game/entities/chunk_entities.hpp"
#include "game/entities/entity_view.hpp"
#include "game/mapview/map_stream.hpp"
#include "game/player/player_world.hpp"
#include "game/serve/game_rules.hpp"
#include "game/serve/spawn.hpp"
#include "packets/shared.hpp"
#include "world/location.hpp"

namespace orbis::game {

class Registries;

/// A world that players are in: its chunks, its entities, and who is there.
class ServedWorld final : public PlayerWorld, private EditHandler {
public:
    /// What a world needs of the server that it belongs to.
    struct WorldServices {
        EncodeWorkers& workers;
        WireIds& ids;
        Registries& registries;
        EntityModels& models;
        const map::Colours& colours;
        const net::Clock& clock;
        EncodedChunkCache::Post post;
        ServerTools& tools;
        const world::Assets& assets;
        const GameRules& rules; ///< needed by `open` only
        /// Names may have got numbers: tells clients of them.
        std::function<void()> announce_names;
        /// Called for every save.
        std::function<void(const ServedWorld&, const SaveReport&)> saved{};
        /// Called for every edit that has changed something.
        std::function<void(const ServedWorld&, const protocol::Uuid&, const EditOutcome&)> edited{};
    };

    /// Opens the chunks, for writing only where they can be edited, and looks where players appear.
    static Result<std::unique_ptr<ServedWorld>> open(const world::World& world,
                                                     const WorldServices& services);

    /// Saves what was edited.
    ~ServedWorld();
    ServedWorld(const ServedWorld&) = delete;
    ServedWorld& operator=(const ServedWorld&) = delete;

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const protocol::Uuid& uuid() const override { return uuid_; }
    [[nodiscard]] packets::GameMode game_mode() const override { return mode_; }
    [[nodiscard]] const world::ClientEffects& effects() const override { return effects_; }
    [[nodiscard]] packets::Position spawn_of(const std::string& player) const override;
    [[nodiscard]] const WorldClock& time() const override { return *time_; }
    [[nodiscard]] std::int32_t weather_at(BlockPos pos, net::Time now) const override;
    [[nodiscard]] EncodedChunkCache& chunks() override { return *chunks_; }
    std::span<const net::OutgoingFrame> frames_behind(const EncodedChunk& encoded) override {
        return access_->frames_behind(encoded, tools_);
    }
    [[nodiscard]] EntityTable& entities() override { return entities_; }
    [[nodiscard]] MapImages* map() const override { return map_.get(); }
    [[nodiscard]] std::span<const PlayerMarker> markers() const override { return markers_; }
    void submit(const EditRequest& request) override;
    void broadcast(const net::OutgoingFrame& frame) override;
    void add(Player& player) override { players_.push_back(&player); }
    void remove(Player& player) override { std::erase(players_, &player); }

    [[nodiscard]] const SpawnPoints& spawn() const { return spawn_; }
    /// Those who are in it, or on their way in.
    [[nodiscard]] const std::vector<Player*>& players() const { return players_; }

    [[nodiscard]] bool can_edit() const { return access_->can_edit(); }
    [[nodiscard]] EditCounts edits() const { return access_->counts(); }
    void save_soon() { access_->save_soon(); }
    /// Saves what was edited and closes the world: nothing can be changed any more.
    void stop_editing() { access_->stop(); }

    /// The chunk has changed on the disk: players who see it get what is new.
    void on_chunk_changed(ChunkPos pos);

    void tick(net::Time now, EntityUpdater& updater, net::FrameTools<net::Side::server>& tools);

private:
    explicit ServedWorld(const WorldServices& services)
        : tools_(services.tools), saved_(services.saved), edited_(services.edited) {}
    Result<void> open_access(const world::World& world, const WorldServices& services);
    void on_disk_changed(std::span<const ChunkPos> chunks) override;
    void on_saved(const SaveReport& report, std::span<const ChunkPos> tailed) override;
    void on_edit(const protocol::Uuid& player, const EditOutcome& outcome) override;
    void tell_changes();
    void on_seen(ChunkPos pos, bool is_seen);
    void on_changed(ChunkPos pos, const EncodedChunkPtr& before, const ChunkAnswer& now);

    ServerTools& tools_;
    std::function<void(const ServedWorld&, const SaveReport&)> saved_;
    std::function<void(const ServedWorld&, const protocol::Uuid&, const EditOutcome&)> edited_;
    std::string name_;
    protocol::Uuid uuid_{};
    packets::GameMode mode_ = packets::GameMode::creative;
    world::ClientEffects effects_;
    SpawnPoints spawn_;
    std::optional<WorldClock> time_;
    const world::Assets* assets_ = nullptr;
    WireIds* ids_ = nullptr;
    Registries* registries_ = nullptr;
    std::uint64_t weather_seed_ = 0;
    std::int32_t forced_weather_ = -1; ///< -1: none
    EntityTable entities_;
    ChunkEntities stored_{entities_};
    std::unique_ptr<WorldAccess> access_;
    std::unique_ptr<EncodedChunkCache> chunks_;
    std::unique_ptr<MapImages> map_;
    std::vector<PlayerMarker> markers_;
    std::vector<Player*> players_;
};

} // namespace orbis::game
