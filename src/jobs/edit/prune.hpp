#pragma once

#include "bytes/progress.hpp"
#include "jobs/select/selection.hpp"
#include "jobs/undo/change.hpp"

#include <functional>

namespace orbis::jobs {

struct PruneOptions {
    std::optional<Selection> keep;   ///< everything else goes
    std::optional<Selection> remove; ///< only these go, and of these not what `keep` has
    bool all = false;                ///< also when nothing would be left
    bool force = false;
    std::size_t threads = 1;
    std::string command; ///< for the list of changes
};

/// What a prune is going to do, without having done anything.
struct PrunePlan {
    std::vector<ChunkPos> removed; ///< region by region
    ChunkSet cut;                  ///< kept chunks with a neighbour that goes
    ChunkSet unreadable;           ///< kept because their content is unknown
    std::uint64_t kept = 0;
    std::uint64_t frame_bytes = 0; ///< compressed, of the chunks that go; only of region files
    std::uint64_t segment_bytes =
        0; ///< of the segments that become unused; only of region files; the last of a file may be cut short
    std::vector<Error> problems;

    [[nodiscard]] bool removes(ChunkPos pos) const;
};

struct PruneReport {
    std::vector<Error> problems; ///< chunks that could not be removed
    ChangeReport change;
};

/// Decides about every chunk. No chunk is read where the selections are by geometry; nothing is decoded
/// besides what they need. An error if a selection names players or spawn points whose files cannot be
/// read, because then too much could go, and if nothing would be left.
Result<PrunePlan> plan_prune(const world::World& world, const storage::Store& store,
                             const PruneOptions& options, Progress& progress);

/// Removes the chunks of a plan, so that the game generates them again. All of it can be undone.
Result<PruneReport> prune(const world::World& world, const PrunePlan& plan, const PruneOptions& options,
                          Progress& progress);

} // namespace orbis::jobs
