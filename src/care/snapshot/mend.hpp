#pragma once

#include "care/snapshot/collect.hpp"
#include "care/snapshot/verify.hpp"

namespace orbis::care::snapshot {

/// Forgets contents that are damaged. A snapshot of a world that still has them brings them back, also for
/// the older snapshots that need them.
Result<CollectReport> mend(const std::filesystem::path& store, const std::unordered_set<Key>& damaged,
                           Progress& progress, Disk& disk = real_disk());

} // namespace orbis::care::snapshot
