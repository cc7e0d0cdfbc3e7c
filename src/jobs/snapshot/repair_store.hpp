#pragma once

#include "jobs/snapshot/collect.hpp"
#include "jobs/snapshot/verify.hpp"

namespace orbis::jobs::snapshot {

struct StoreRepairReport {
    bool mark = false;                  ///< the mark of the store was rewritten
    std::uint64_t forgotten = 0;        ///< contents
    std::uint64_t packs_repaired = 0;   ///< rewritten, or removed because nothing in them was left
    std::vector<std::string> set_aside; ///< packs that cannot be opened, under their new names
    std::vector<Error> problems;
};

/// Forgets contents that are damaged, rewrites packs with damaged tables, and sets packs aside that cannot
/// be opened. A snapshot of a world that still has what is lost brings it back, also for the older snapshots
/// that need it.
Result<StoreRepairReport> repair_store(const std::filesystem::path& store, const VerifyReport& found,
                                       Progress& progress, Disk& disk = real_disk());

} // namespace orbis::jobs::snapshot
