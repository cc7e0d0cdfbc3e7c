#pragma once

#include "game/serve/column_cache.hpp"
#include "game/serve/column_entities.hpp"
#include "game/serve/entity_view.hpp"
#include "game/serve/map_stream.hpp"
#include "game/serve/spawn.hpp"
#include "game/serve/world_clock.hpp"
#include "game/serve/world_editor.hpp"
#include "packets/shared.hpp"
#include "world/place.hpp"

namespace orbis::game {

class Player;
class Registries;

/// A world that players are in: its columns, its entities, and who is there.
class ServedWorld final : private EditorUser {
public:
    /// What a world needs of the server that it belongs to.
    struct Surroundings {
        ColumnWorkers& workers;
        WireIds& ids;
        Registries& registries;
        const map::Colours& colours;
        const net::Clock& clock;
        ColumnCache::Post post;
        bool has_map = true;
        ServerTools& tools;
        const world::Assets& assets;
        ColumnCacheRules cache{};
        EditorSettings editing{};
        /// Hears of every save.
        std::function<void(const ServedWorld&, const SaveReport&)> saved{};
        /// Hears of every edit that has changed something.
        std::function<void(const ServedWorld&, const protocol::Uuid&, const EditOutcome&)> edited{};
    };

    /// Opens the chunks, for writing only where they can be edited, and looks where players appear.
    static Result<std::unique_ptr<ServedWorld>> open(const world::World& world,
                                                     const Surroundings& surroundings);

    /// Saves what was edited.
    ~ServedWorld();
    ServedWorld(const ServedWorld&) = delete;
    ServedWorld& operator=(const ServedWorld&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const protocol::Uuid& uuid() const { return uuid_; }
    [[nodiscard]] packets::GameMode game_mode() const { return mode_; }
    [[nodiscard]] ColumnCache& columns() { return *columns_; }
    [[nodiscard]] EntityTable& entities() { return entities_; }
    [[nodiscard]] WorldEditor& editor() { return *editor_; }
    /// What is to be sent behind the frames of a column: the changes since they were made.
    std::span<const net::OutgoingFrame> frames_behind(const Column& column);

    [[nodiscard]] WorldClock& time() { return *time_; }
    /// Null where the world has no map.
    [[nodiscard]] MapImages* map() const { return map_.get(); }
    /// The number of the weather at a place; that of a clear sky where nothing is known about it.
    [[nodiscard]] std::int32_t weather_at(BlockPos pos, net::Time now) const;

    /// The chunk has changed on the disk: who sees it gets what is new.
    void on_chunk_changed(ChunkPos pos);

    /// Where a player appears: where it was last, else where all do.
    [[nodiscard]] packets::Position spawn_of(const std::string& player) const;
    [[nodiscard]] const SpawnPlaces& spawn() const { return spawn_; }

    /// Those who are in it, or on their way in.
    [[nodiscard]] const std::vector<Player*>& players() const { return players_; }
    void add(Player& player) { players_.push_back(&player); }
    void remove(Player& player) { std::erase(players_, &player); }
    void broadcast(const net::OutgoingFrame& frame);

    void tick(net::Time now, EntityUpdater& updater, net::FrameTools<net::Side::server>& tools);
    /// All who play in it, for the map. Made anew by each tick.
    [[nodiscard]] std::span<const PlayerMarker> markers() const { return markers_; }

private:
    explicit ServedWorld(const Surroundings& surroundings)
        : tools_(surroundings.tools), saved_(surroundings.saved), edited_(surroundings.edited) {}
    void on_disk_changed(std::span<const ChunkPos> chunks) override;
    void on_saved(const SaveReport& report) override;
    void on_edit(const protocol::Uuid& player, const EditOutcome& outcome) override;
    void tell_changes();
    void on_seen(ChunkPos pos, bool is_seen);
    void on_changed(ChunkPos pos, const ColumnPtr& before, const ColumnAnswer& now);

    ServerTools& tools_;
    std::function<void(const ServedWorld&, const SaveReport&)> saved_;
    std::function<void(const ServedWorld&, const protocol::Uuid&, const EditOutcome&)> edited_;
    std::string name_;
    protocol::Uuid uuid_{};
    packets::GameMode mode_ = packets::GameMode::creative;
    SpawnPlaces spawn_;
    std::optional<WorldClock> time_;
    WireIds* ids_ = nullptr;
    Registries* registries_ = nullptr;
    std::uint64_t weather_seed_ = 0;
    std::int32_t forced_weather_ = -1; ///< -1: none
    EntityTable entities_;
    ColumnEntities stored_{entities_};
    std::unique_ptr<WorldEditor> editor_;
    std::unique_ptr<ColumnCache> columns_;
    std::unique_ptr<MapImages> map_;
    std::vector<PlayerMarker> markers_;
    std::vector<Player*> players_;
};

} // namespace orbis::game
