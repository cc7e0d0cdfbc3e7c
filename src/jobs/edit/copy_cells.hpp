#pragma once

#include "jobs/clip/put_clip.hpp"
#include "jobs/clip/take_clip.hpp"

namespace orbis::jobs {

struct CopyOptions {
    BlockBox box; ///< what is copied
    BlockPos to;  ///< where the least corner of the copy is put
    Turn turn{};
    bool moves = false;      ///< the box is empty afterwards, and entities keep their ids
    bool leaves_cut = false; ///< blocks that reach out of the box are not copied; else that is an error
    bool skip_empty = false; ///< air is not copied
    bool entities = true;    ///< entities are copied too
    std::function<bool(std::string_view key)> mask{}; ///< only where the target has such a block; none: all
    /// A box of more cells is not held in memory, where source and target do not meet.
    std::uint64_t held_cells = std::uint64_t{1} << 22;
    EditOptions edit{};
};

struct CopyReport : PutReport {
    std::uint64_t left_out = 0;              ///< blocks that reach out of the box
    std::uint64_t source_chunks_missing = 0; ///< chunks of the box that the world does not have
    std::optional<EditReport> cleared;       ///< of a move between worlds: what happened in the other one
};

/// Copies or moves a box inside of a world, or from `other` if that is given, with everything that is in it.
/// A large box is not held in memory: each chunk of the target takes its part. An error if a block of several
/// cells reaches out of the box.
Result<CopyReport> copy_cells(const world::World& world, const world::World* other,
                              const world::Assets& assets, const CopyOptions& options, Progress& progress);

} // namespace orbis::jobs
