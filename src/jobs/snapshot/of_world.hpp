#pragma once

#include "jobs/snapshot/store.hpp"
#include "jobs/snapshot/world_identity.hpp"

#include <span>

namespace orbis::jobs::snapshot {

/// A snapshot that was opened as a location.
struct OpenedSnapshot {
    std::string id;
    std::string source; ///< the path that it was taken of
    std::int64_t time = 0;
    world::Location location;
};

/// The snapshots of any of these worlds, newest first; `not_found` if there is none.
///
/// A UUID stays when a world is moved and when it is copied. So snapshots of the same UUID that were taken
/// of another path count where this path has none yet, and where they all are older and nothing is at
/// that path any more: then the world was moved. The others are of a copy that went its own way.
Result<std::vector<OpenedSnapshot>> snapshots_of(const SnapshotStore& store,
                                                 std::span<const WorldIdentity> worlds);

} // namespace orbis::jobs::snapshot
