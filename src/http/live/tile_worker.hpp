#pragma once

#include "bytes/worker_pool.hpp"
#include "http/live/mesh_worker.hpp"
#include "map/colours.hpp"
#include "map/tile.hpp"
#include "map/tile_renderer.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace orbis::http {

/// What a thread that makes tiles keeps between them.
struct TileWorker {
    std::shared_ptr<const storage::Store> store; ///< of the renderer
    std::unique_ptr<map::TileRenderer> renderer;
    map::TileEncoder encoder;
    std::vector<std::unique_ptr<map::TilePixels>> pixels; ///< by level
    std::shared_ptr<const Buffer> png;                    ///< what was encoded last
    std::unique_ptr<MeshWorker> meshes;                   ///< from the first mesh on

    map::TilePixels& of_level(int level) {
        const auto at = static_cast<std::size_t>(level);
        if (pixels.size() <= at) pixels.resize(at + 1);
        if (!pixels[at]) pixels[at] = std::make_unique<map::TilePixels>();
        return *pixels[at];
    }

    map::TileRenderer& renderer_for(std::shared_ptr<const storage::Store> wanted,
                                    const map::Colours& colours) {
        if (!renderer || store != wanted) {
            renderer = std::make_unique<map::TileRenderer>(*wanted, colours);
            store = std::move(wanted);
        }
        return *renderer;
    }
};

/// Threads that do what requests wait for: the newest first, because that is what a page shows now. Tiles
/// that no request waits for yet come after that.
class TileWorkers : public WorkerPool<TileWorker> {
public:
    /// More tiles that no request waits for push out the oldest of them.
    static constexpr std::size_t k_most_later = 4096;

    explicit TileWorkers(std::size_t threads);
};

} // namespace orbis::http
