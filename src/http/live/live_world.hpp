#pragma once

#include "http/event_queue.hpp"
#include "http/live/findings.hpp"
#include "http/live/live_clock.hpp"
#include "http/live/live_meshes.hpp"
#include "http/live/live_tiles.hpp"
#include "http/live/search.hpp"
#include "http/live/world_status.hpp"
#include "map/update_map.hpp"

#include <memory>

namespace orbis::http {

/// What all worlds of a live map share. All must live as long as the worlds.
struct LiveShared {
    TileWorkers& workers;
    EventHub& events;
    const world::Assets& assets;
    const map::Colours& colours;
    const std::atomic<bool>& stopping;
    LiveClock& clock;
    std::chrono::milliseconds fill_in; ///< see LiveOptions
    std::size_t tiles_per_event;       ///< see LiveOptions; of chunks too
};

/// One world of a live map: its tiles, its questions and answers, and what goes on in the background.
class LiveWorld : public std::enable_shared_from_this<LiveWorld> {
public:
    /// `cache` is a folder that belongs to this program alone. An error if nothing of the world can be
    /// read.
    static Result<std::shared_ptr<LiveWorld>> open(const world::Location& location, const world::World& world,
                                                   const std::filesystem::path& cache, LiveShared shared);

    [[nodiscard]] const std::string& name() const { return world_.name; }
    /// Its name in addresses.
    [[nodiscard]] const std::string& folder() const { return folder_; }
    LiveTiles& tiles() { return *tiles_; }
    LiveMeshes& meshes() { return *meshes_; }
    [[nodiscard]] WorldStatus status() const;

    /// The world has gone: an update that runs ends, and clients get no more events about it. Jobs keep this
    /// until they are done.
    void retire() { retired_ = true; }

    // Questions. Each answers, now or later.
    /// `world.js` with the bounds of now.
    void answer_index(Responder responder);
    /// Whether the index in the map folder is there and has the bounds of now.
    [[nodiscard]] bool has_current_index() const;
    void answer_block(BlockPos pos, Responder responder);
    /// `layer` is that in which the column is looked at: a slice shows another block than the surface.
    void answer_column(std::int32_t x, std::int32_t z, map::Layer layer, Responder responder);
    void answer_search(const SearchQuestion& question, Responder responder);
    void answer_findings(Responder responder);

    /// Looks for chunks that have changed and tells the clients. For one thread.
    void poll();
    /// Whether the map in the cache is behind the world and should be updated now.
    [[nodiscard]] bool wants_update() const;
    /// Brings the map up to date; takes as long as it takes. For one thread.
    void update();
    /// An update has failed: another one follows after a while.
    void retry_later();
    /// The last event about how far the update is, for clients that come later; empty for none.
    [[nodiscard]] std::string progress() const;

private:
    class Progress;

    /// What an index says of where chunks are.
    struct Extent {
        std::optional<watch::Presence::Bounds> bounds;
        int levels = 0;
        friend bool operator==(const Extent&, const Extent&) = default;
    };

    LiveWorld(const world::Location& location, const world::World& world, LiveShared shared);
    void publish(std::string_view event, std::string_view json);
    void publish_tiles(std::span<const map::Layer> layers, std::span<const LevelTile> tiles);
    void publish_chunks(std::span<const ChunkPos> chunks);
    void publish_index();
    void set_index(std::shared_ptr<MapIndex> index);
    [[nodiscard]] Extent extent() const;
    [[nodiscard]] std::string extent_json() const;
    [[nodiscard]] std::string provisional_index() const;

    world::Location location_; ///< with this world alone
    world::World world_;
    std::string folder_;
    LiveShared shared_;
    std::atomic<bool> retired_ = false;
    std::filesystem::path map_folder_;
    std::unique_ptr<watch::WorldWatch> watch_;
    std::unique_ptr<TileCache> cache_;
    std::unique_ptr<LiveTiles> tiles_;
    std::unique_ptr<LiveMeshes> meshes_;
    std::unique_ptr<Findings> findings_;

    mutable std::mutex mutex_; ///< guards what follows
    bool stale_ = true;
    LiveClock::Time due_; ///< not before
    std::string progress_;
    std::optional<Extent> in_index_; ///< nothing if there is no index
    Extent told_;                    ///< to the clients
};

/// The layers that are rendered for the whole world; others when they are asked for.
std::vector<map::Layer> live_layers();

} // namespace orbis::http
