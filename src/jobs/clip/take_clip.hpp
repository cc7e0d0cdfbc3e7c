#pragma once

#include "jobs/clip/clip.hpp"
#include "jobs/select/block_box.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

#include <set>
#include <vector>

namespace orbis::jobs {

/// A clip takes up to 28 bytes per cell, so that this is about half a gigabyte.
inline constexpr std::uint64_t k_most_clip_cells = std::uint64_t{1} << 24;

struct TakeOptions {
    bool empty_blocks = true;  ///< cells without a block are listed too
    bool empty_fluids = false; ///< cells without a fluid are listed too
    bool entities = true;
    bool only_whole_blocks = false; ///< blocks that reach out of the box are left out
    /// The bases of blocks to be left out, where that is known already.
    const std::set<BlockPos>* left_out = nullptr;
    std::uint64_t most_cells = k_most_clip_cells;
};

struct TakenClip {
    Clip clip;                     ///< positions from the box's least corner
    std::vector<BlockPos> cut;     ///< bases of blocks that reach out of the box, in the world
    std::vector<ChunkPos> missing; ///< chunks of the box that the world does not have
};

/// Takes the content of a box out of a world: blocks with everything that belongs to them, fluids, entities.
/// Keys of different ages are brought to one count of migrations. An error if a chunk of the box is damaged.
Result<TakenClip> take_clip(const storage::Store& store, const BlockBox& box, const world::Assets& assets,
                            const TakeOptions& options = {});

/// The bases of the blocks of several cells that are partly inside a box and partly outside.
Result<std::set<BlockPos>> blocks_cut_by(const storage::Store& store, const BlockBox& box);

/// The smallest box around another in which all of these blocks are whole.
Result<BlockBox> box_with_whole(const storage::Store& store, const BlockBox& box,
                                const std::set<BlockPos>& bases);

} // namespace orbis::jobs
