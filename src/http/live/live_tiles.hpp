#pragma once

#include "http/live/map_index.hpp"
#include "http/live/tile_cache.hpp"
#include "http/live/tile_worker.hpp"
#include "http/server.hpp"
#include "map/colours.hpp"
#include "watch/world_watch.hpp"

#include <atomic>
#include <set>

namespace orbis::http {

/// The tiles of one world as they are now: out of the map folder where they are known there, else out of the
/// cache, else rendered.
///
/// A tile of level 0 is always answered as it is. One of a higher level takes what is there: the tiles below
/// it that are missing are rendered for a short time, the rest afterwards, and `take_filled` tells that it
/// can be asked for again.
class LiveTiles {
public:
    /// All of these must outlive this; `map_folder` has the world's `tiles/`. `fill_in` is the time for the
    /// missing tiles below one that was asked for: a page shall show something at once.
    LiveTiles(const watch::WorldWatch& watch, TileCache& cache, TileWorkers& workers,
              const map::Colours& colours, std::filesystem::path map_folder,
              std::chrono::milliseconds fill_in);

    /// What this belongs to: jobs keep it until they are done.
    void keep_while_working(std::weak_ptr<const void> owner) { owner_ = std::move(owner); }

    /// Answers, now or later.
    void answer(const TileKey& key, Responder responder);

    /// Chunks have changed. Gives the tiles of all levels that show them.
    std::vector<LevelTile> change(std::span<const ChunkPos> chunks);
    /// Tiles that show more than before, because tiles below them were rendered; by layer.
    std::map<map::Layer, std::vector<LevelTile>> take_filled();

    [[nodiscard]] std::uint64_t now() const { return changes_.now(); }
    [[nodiscard]] std::shared_ptr<const MapIndex> index() const;
    /// From now on tiles come from this map; what it knows better is dropped from the cache.
    void set_index(std::shared_ptr<const MapIndex> index);
    [[nodiscard]] int levels() const { return levels_; }

private:
    struct Piece {
        bool has_pixels = false;
        bool whole = true; ///< nothing is missing
    };
    /// How one request is served.
    struct Call {
        map::Layer layer;
        TileWorker& worker;
        std::shared_ptr<const MapIndex> index;
        std::chrono::steady_clock::time_point deadline; ///< for rendering what is below
        bool rendered = false;                          ///< something, for a tile above it
        std::vector<TilePos> missing;
    };

    std::optional<Response> ready(const TileKey& key);
    void work(const TileKey& key, TileWorker& worker);
    Result<Response> make(const TileKey& key, TileWorker& worker);
    Result<Piece> fill(Call& call, const LevelTile& tile, map::TilePixels& out, bool asked);
    Result<Piece> fill_from_below(Call& call, const LevelTile& tile, map::TilePixels& out);
    Result<Piece> render(Call& call, TilePos pos, map::TilePixels& out);
    bool load_kept(Call& call, const LevelTile& tile, map::TilePixels& out, bool any_age, Piece& piece);
    void put(const TileKey& key, TileCache::Entry entry, const map::TilePixels* pixels, TileWorker& worker);
    void tell_parents(const TileKey& key);
    void schedule(map::Layer layer, std::span<const TilePos> missing);
    [[nodiscard]] std::filesystem::path tile_path(const TileKey& key, std::uint64_t hash) const;
    [[nodiscard]] bool is_valid(const TileKey& key) const;
    void measure();

    const watch::WorldWatch& watch_;
    TileCache& cache_;
    TileWorkers& workers_;
    const map::Colours& colours_;
    std::filesystem::path map_folder_;
    std::chrono::milliseconds fill_in_;
    std::atomic<int> levels_ = 1;
    std::weak_ptr<const void> owner_;

    Changes changes_; ///< of what chunks show
    Changes filled_;  ///< of what there is below tiles

    mutable std::mutex mutex_;
    std::shared_ptr<const MapIndex> index_;
    std::map<TileKey, std::vector<Responder>> waiting_;
    std::set<TileKey> scheduled_;
    std::set<TileKey> news_; ///< for `take_filled`
};

} // namespace orbis::http
