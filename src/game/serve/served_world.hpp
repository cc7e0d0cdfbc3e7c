#pragma once

#include "game/serve/column_cache.hpp"
#include "game/serve/entity_view.hpp"
#include "game/serve/spawn.hpp"
#include "world/place.hpp"

namespace orbis::game {

class Player;
class WorldEdits;

/// A world that players are in: its columns, its entities, and who is there.
class ServedWorld {
public:
    /// What a world needs of the server that it belongs to.
    struct Surroundings {
        ColumnWorkers& workers;
        WireIds& ids;
        const net::Clock& clock;
        ColumnCache::Post post;
        ColumnCacheRules cache{};
    };

    /// Opens the chunks for reading and looks where players appear.
    static Result<std::unique_ptr<ServedWorld>> open(const world::World& world,
                                                     const Surroundings& surroundings);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const protocol::Uuid& uuid() const { return uuid_; }
    [[nodiscard]] packets::GameMode game_mode() const { return mode_; }
    [[nodiscard]] ColumnCache& columns() { return *columns_; }
    [[nodiscard]] EntityTable& entities() { return entities_; }
    /// Null where nothing can be changed.
    [[nodiscard]] WorldEdits* edits() const { return edits_; }
    void set_edits(WorldEdits* edits) { edits_ = edits; }

    /// Where a player appears: where it was last, else where all do.
    [[nodiscard]] packets::Position spawn_of(const std::string& player) const;

    /// Those who are in it, or on their way in.
    [[nodiscard]] const std::vector<Player*>& players() const { return players_; }
    void add(Player& player) { players_.push_back(&player); }
    void remove(Player& player) { std::erase(players_, &player); }
    void broadcast(const net::OutgoingFrame& frame);

    void tick(net::Time now, EntityUpdater& updater);

private:
    ServedWorld() = default;
    void on_changed(ChunkPos pos, const ColumnPtr& before, const ColumnAnswer& now);

    std::string name_;
    protocol::Uuid uuid_{};
    packets::GameMode mode_ = packets::GameMode::creative;
    SpawnPlaces spawn_;
    std::unique_ptr<ColumnCache> columns_;
    EntityTable entities_;
    WorldEdits* edits_ = nullptr;
    std::vector<Player*> players_;
};

} // namespace orbis::game
