#pragma once

#include "map/map_files.hpp"
#include "map/map_state.hpp"
#include "map/stale_tiles.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace orbis::map {

struct TileCounts {
    std::uint64_t written = 0; ///< new files
    std::uint64_t kept = 0;    ///< rendered, and the same as before
    std::uint64_t bytes = 0;   ///< of the new files
};

/// Takes finished tiles of level 0, writes those that are new, and makes the levels above as soon as their
/// children are there. What it holds at a time depends on the number of levels and threads. Shared by
/// threads.
class Pyramid {
public:
    /// `old` is the state that the tiles that are not stale belong to; null if there is none. All must
    /// live as long.
    Pyramid(MapFiles& files, std::filesystem::path folder, std::vector<Layer> layers, const StaleTiles& stale,
            const MapState* old);

    /// Makes stale tiles that have no stale child. To be called once, before the others come.
    Result<void> start(TileEncoder& encoder);
    /// A tile of level 0; each stale one must come once for each layer, also without any pixel.
    Result<void> add(std::size_t layer, TilePos pos, const TilePixels& pixels, TileEncoder& encoder) {
        return deliver(layer, 0, pos, pixels, encoder);
    }

    /// All tiles, with those that are not stale. For the end.
    [[nodiscard]] std::vector<LayerTiles> take_tiles();
    [[nodiscard]] TileCounts counts() const;

private:
    /// A tile that waits for its children.
    struct Pending {
        int missing = 0;
        std::unique_ptr<TilePixels> pixels = std::make_unique<TilePixels>();
    };

    using LevelTile = std::tuple<std::size_t, int, TilePos>;

    Result<void> deliver(std::size_t layer, int level, TilePos pos, const TilePixels& pixels,
                         TileEncoder& encoder);
    Result<void> keep(std::size_t layer, int level, TilePos pos, const TilePixels& pixels,
                      TileEncoder& encoder);
    Result<void> finish(std::size_t layer, int level, TilePos pos, TilePixels& pixels, TileEncoder& encoder);
    [[nodiscard]] std::uint64_t old_hash(std::size_t layer, int level, TilePos pos) const;

    MapFiles& files_;
    std::filesystem::path folder_;
    std::vector<Layer> layers_;
    const StaleTiles& stale_;
    const MapState* old_;

    mutable std::mutex mutex_;
    std::map<LevelTile, std::shared_ptr<Pending>> pending_;
    std::vector<LayerTiles> tiles_;
    TileCounts counts_;
};

} // namespace orbis::map
