#pragma once

#include "jobs/compare/diff_worlds.hpp"
#include "jobs/edit/merge_chunks.hpp"
#include "jobs/select/selection.hpp"
#include "jobs/undo/change.hpp"

#include <functional>

namespace orbis::jobs {

/// What a merge does with one chunk.
struct MergedChunk {
    enum class What : std::uint8_t {
        added,    ///< taken whole: the world had no such chunk
        replaced, ///< taken whole
        removed,  ///< the other world does not have it
        edited,   ///< parts of it were taken over
        blocked,  ///< it differs, but cannot be merged: `problem` says why
    };

    ChunkPos pos;
    What what = What::edited;
    ChunkMerge merge; ///< of `What::edited`
    std::optional<Error> problem;
};
/// `added`, `replaced` …
std::string_view name(MergedChunk::What what);

struct MergeOptions {
    std::optional<Selection> selection;
    MergeParts parts;
    std::optional<BlockBox> box;
    // Which kinds of difference are applied.
    bool added = true;
    bool changed = true;
    bool removed = false;
    bool dry_run = false;
    bool force = false;
    std::size_t threads = 1;
    std::string command; ///< for the list of changes
    /// Called for every chunk that is changed or should have been.
    std::function<void(const MergedChunk& chunk)> on_chunk;

    /// Whether chunks move as frames: all parts, and no box.
    [[nodiscard]] bool whole() const { return parts.all() && !box; }
};

struct MergeReport {
    std::uint64_t added = 0;
    std::uint64_t replaced = 0;
    std::uint64_t removed = 0;
    std::uint64_t edited = 0;
    std::uint64_t blocked = 0;
    ChunkMerge total;
    std::vector<Error> problems;
    ChangeReport change;
};

/// Applies a chosen part of the difference between a world and another one: afterwards the world is like the
/// other in that part. Whole chunks move as frames, which are checked before; parts go through the chunk
/// model. Everything can be undone.
Result<MergeReport> merge(const world::World& world, const world::World& other, const world::Assets& assets,
                          const MergeOptions& options, Progress& progress);

} // namespace orbis::jobs
