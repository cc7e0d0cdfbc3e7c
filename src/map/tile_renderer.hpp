#pragma once

#include "map/area.hpp"

#include <memory>
#include <vector>

namespace orbis::map {

/// Renders single tiles of level 0 on request: reads the chunks of the tile and the ring
/// around it, a tenth of a second for a full tile of natural terrain. Keeps memory of some megabytes; one per
/// thread. Encode with `TileEncoder`; a tile of a higher level is made of its four children with
/// `shrink_into` (map/tile.hpp).
class TileRenderer {
public:
    /// `store` and `colours` must outlive this.
    TileRenderer(const storage::Store& store, const Colours& colours) : store_(store), colours_(colours) {}

    /// Whether there is anything to see on the tile; `out` has its pixels then.
    Result<bool> render(Layer layer, TilePos pos, TilePixels& out);

    /// Chunks of the last tile that could not be read and have no pixels.
    [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }

private:
    const storage::Store& store_;
    const Colours& colours_;
    std::vector<Error> problems_;
    std::unique_ptr<AreaRenderer> renderer_; ///< of the layer asked for last
    Layer layer_;
};

/// The tiles of level 0 whose pixels may differ when these chunks do: their own, and those of the chunks
/// beside them, which are shaded by their heights. Sorted.
std::vector<TilePos> tiles_around(std::span<const ChunkPos> chunks);

} // namespace orbis::map
