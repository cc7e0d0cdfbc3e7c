#pragma once

#include "jobs/snapshot/store.hpp"
#include "world/location.hpp"

#include <functional>

namespace orbis::jobs::snapshot {

/// A snapshot as a location: its files can be listed and read, its worlds open as read-only stores, so that
/// everything that reads worlds reads snapshots too. Packs that cannot be opened go to the notes of the
/// worlds.
Result<world::Location> open_snapshot(const SnapshotStore& store, const Snapshot& snapshot);

/// The same with packs that are open already, so that many snapshots share them.
world::Location open_snapshot(const SnapshotStore& store, const Snapshot& snapshot,
                              const std::shared_ptr<const Contents>& contents);

/// The location with only those chunks of its worlds that `wanted` says.
world::Location with_chunks(world::Location location, std::function<bool(ChunkPos)> wanted);

/// The files of a snapshot.
std::shared_ptr<const storage::Tree> make_snapshot_tree(std::shared_ptr<const Contents> contents,
                                                        std::vector<FileRecord> files, std::string name);

/// The chunks of one world of a snapshot.
Result<std::shared_ptr<storage::Store>> make_snapshot_chunks(std::shared_ptr<const Contents> contents,
                                                             const WorldRecord& world, std::string name);

} // namespace orbis::jobs::snapshot
