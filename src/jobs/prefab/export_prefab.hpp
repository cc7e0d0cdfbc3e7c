#pragma once

#include "jobs/prefab/prefab.hpp"
#include "jobs/select/block_box.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

namespace orbis::jobs::prefab {

struct ExportOptions {
    std::optional<BlockPos> anchor; ///< in the world; the box's least corner without
    bool skips_empty = false;       ///< cells without block and fluid are not listed
    bool entities = true;
};

struct ExportedPrefab {
    Prefab prefab;                 ///< coordinates count from the box's least corner
    std::vector<BlockPos> cut;     ///< bases of blocks that reach out of the box, in the world
    std::optional<BlockBox> whole; ///< the box that has them whole
    std::vector<ChunkPos> missing; ///< chunks of the box that the world does not have
};

/// A box of a world as a prefab. Put at the place of its anchor it is what it was.
Result<ExportedPrefab> export_prefab(const storage::Store& store, const BlockBox& box,
                                     const world::Assets& assets, const ExportOptions& options);

} // namespace orbis::jobs::prefab
