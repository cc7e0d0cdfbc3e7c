#pragma once

#include "bytes/recent_map.hpp"
#include "bytes/worker_pool.hpp"
#include "map/painter.hpp"
#include "net/outgoing_frame.hpp"
#include "storage/store.hpp"

#include <deque>
#include <functional>
#include <mutex>
#include <unordered_set>

namespace orbis::game {

/// Pixels along a side of a chunk on the game's map: three for each block.
inline constexpr int k_map_scale = 3;
inline constexpr int k_map_side = k_side * k_map_scale;

/// Pixels as `MapImage` has them: `R<<24 | G<<16 | B<<8 | A`, rows from the north.
using MapPixels = std::array<std::int32_t, std::size_t{k_map_side} * k_map_side>;

/// Makes nine pixels of each: `from` are 32 rows of 32.
void enlarge(std::span<const map::Rgba, k_columns> from, MapPixels& out);

/// A chunk on the game's map.
struct MapTile {
    /// `UpdateWorldMap` with this tile alone, for all who need it; nothing if there is no chunk.
    std::optional<net::OutgoingFrame> frame;
};

/// The tiles of the game's map of one world, with the pixels of the surface layer of `orbis map`. They are
/// drawn by threads of its own on request, and kept up to a number of bytes. All functions may be
/// called by any thread, and none of them waits for a tile.
class MapImages {
public:
    /// Reads a chunk as `storage::Store::read` does. Called by the drawing threads, several at once.
    using Read = std::function<Result<std::optional<Bytes>>(ChunkPos, storage::ReadContext&)>;

    struct Options {
        std::size_t threads = 1;
        std::size_t most_bytes = 64 << 20; ///< of finished tiles
        std::size_t most_unshaded =
            1024; ///< chunks that are kept drawn for the shade of their neighbours, 13 KiB each
    };

    /// `colours` must outlive this.
    MapImages(const map::Colours& colours, Read read, Options options);
    MapImages(const map::Colours& colours, Read read) : MapImages(colours, std::move(read), Options{}) {}
    ~MapImages();
    MapImages(const MapImages&) = delete;
    MapImages& operator=(const MapImages&) = delete;

    /// Null when it is not drawn yet: it soon will be.
    std::shared_ptr<const MapTile> get(ChunkPos pos);

    /// A chunk was changed, added or removed: its tile and those around it, which its heights shade, are
    /// drawn again.
    void invalidate(ChunkPos pos);

    /// What `invalidate` was told since a moment that an earlier call returned as `now`.
    struct Changes {
        std::uint64_t now = 0;
        bool everything = false; ///< too many to tell
        std::vector<ChunkPos> chunks;
    };
    Changes changes_since(std::uint64_t moment) const;

    /// Chunks that could not be read and have no tile, and tiles that were drawn, since the start.
    [[nodiscard]] std::size_t unreadable() const;
    [[nodiscard]] std::size_t drawn() const;
    /// Whether nothing waits to be drawn.
    [[nodiscard]] bool is_idle() const;

private:
    using UnshadedRef = std::shared_ptr<const map::UnshadedChunk>; ///< null if there is no chunk
    struct Worker;

    void work(ChunkPos pos, Worker& worker);
    MapTile draw(ChunkPos pos, Worker& worker);
    UnshadedRef unshaded(ChunkPos pos, Worker& worker);
    UnshadedRef read_unshaded(ChunkPos pos, Worker& worker);
    /// Whether a chunk at most `reach` chunks from here was changed since then. Wants the lock.
    [[nodiscard]] bool changed_near(ChunkPos pos, int reach, std::uint64_t moment) const;

    Read read_;

    mutable std::mutex mutex_;
    std::unordered_set<ChunkPos> pending_; ///< waiting or being drawn
    RecentMap<ChunkPos, std::shared_ptr<const MapTile>> tiles_;
    RecentMap<ChunkPos, UnshadedRef> unshaded_;
    std::deque<ChunkPos> changes_; ///< the latest
    std::uint64_t now_ = 0;        ///< how many there have been
    std::size_t unreadable_ = 0;
    std::size_t drawn_ = 0;
    WorkerPool<Worker> workers_; ///< the last member: they use all others
};

} // namespace orbis::game
