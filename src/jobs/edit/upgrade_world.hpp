#pragma once

#include "bytes/progress.hpp"
#include "chunk/upgrade.hpp"
#include "world/assets.hpp"
#include "world/location.hpp"

#include <vector>

namespace orbis::jobs {

struct UpgradeOptions {
    bool dry_run = false; ///< only say what would change
    bool force = false;   ///< also when another process has the files open
    std::size_t threads = 1;
    std::string command{};  ///< what was asked for, for the undo archive
    std::string run{};      ///< the same for all worlds of one run
    bool keeps_undo = true; ///< false for a copy that was just made
};

struct WorldUpgrade {
    std::uint64_t chunks = 0;
    std::uint64_t changed = 0;        ///< chunks that were (or would be) rewritten
    std::uint64_t old_containers = 0; ///< region files of container version 0 that became version 1
    chunk::UpgradeReport report;      ///< what changed in them, added up
    std::uint64_t sections_moved = 0; ///< chunks whose sections moved out of `BlockChunk`
    std::uint64_t health_rewritten = 0;
    std::vector<Error> problems; ///< chunks that were left as they are, in whole or in part
};

/// Brings every chunk of a world to the formats and block keys of today, in place. Only chunks that change
/// are written. Each is written as the store writes it, so a crash leaves it old or new; the same call goes
/// on after it. The old chunks are kept in an undo archive. A chunk that cannot be read or written is left
/// alone and reported; a region file that cannot be brought to container version 1 keeps all of its chunks as
/// they are. Only what concerns the target as a whole, such as a full disk, ends the walk.
Result<WorldUpgrade> upgrade_world(const world::World& world, const world::Assets& assets,
                                   const UpgradeOptions& options, Progress& progress);

} // namespace orbis::jobs
