#pragma once

#include "bytes/recent_map.hpp"
#include "http/live/tile_worker.hpp"
#include "http/server.hpp"
#include "watch/world_watch.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace orbis::http {

/// The meshes of the chunks of one world as they are now, made when they are asked for. The last ones are
/// kept in memory. For any thread.
class LiveMeshes {
public:
    static constexpr std::size_t k_most_bytes = 32 << 20;
    static constexpr std::size_t k_most_meshes = 8192;

    /// All of these must outlive this.
    LiveMeshes(const watch::WorldWatch& watch, TileWorkers& workers, const world::Assets& assets)
        : watch_(watch), workers_(workers), assets_(assets) {}

    /// What this belongs to: jobs keep it until they are done.
    void keep_while_working(std::weak_ptr<const void> owner) { owner_ = std::move(owner); }

    /// Answers, now or later: with a mesh (docs/formats/mesh.md); with status 204 where there is no chunk;
    /// with JSON that says why the chunk cannot be read.
    void answer(const MeshKey& key, Responder responder);

    /// Chunks have changed: their meshes and those beside them are made again.
    void change(std::span<const ChunkPos> chunks);

    /// How many are kept.
    [[nodiscard]] std::size_t kept() const;

private:
    using Mesh = std::shared_ptr<const Buffer>;

    [[nodiscard]] Mesh find(const MeshKey& key);
    void work(const MeshKey& key, TileWorker& worker, Responder& responder);

    const watch::WorldWatch& watch_;
    TileWorkers& workers_;
    const world::Assets& assets_;
    std::weak_ptr<const void> owner_;

    mutable std::mutex mutex_;  ///< guards what follows
    std::uint64_t changes_ = 0; ///< counts them
    RecentMap<MeshKey, Mesh, std::map> meshes_{k_most_bytes, k_most_meshes};
};

} // namespace orbis::http
