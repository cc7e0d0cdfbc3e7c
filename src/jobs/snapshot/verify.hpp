#pragma once

#include "bytes/progress.hpp"
#include "jobs/snapshot/store.hpp"

#include <unordered_set>

namespace orbis::jobs::snapshot {

/// What damage means for one snapshot.
struct Affected {
    std::string id;
    std::vector<std::string> lost; ///< `chunk -3,4 of overworld`, `region 0.1 of overworld`, `file players/…`
};

struct VerifyReport {
    std::uint64_t snapshots = 0;
    std::uint64_t packs = 0;
    std::uint64_t contents = 0;
    std::uint64_t bytes = 0; ///< read
    std::vector<Error> problems;
    std::vector<Affected> affected;
    std::unordered_set<Key> damaged;               ///< contents that no pack has whole
    std::vector<std::filesystem::path> unreadable; ///< packs that cannot be opened at all
    bool has_bad_tables = false;                   ///< a pack can be opened, but its tables are damaged

    /// Whether there is something to repair.
    [[nodiscard]] bool is_repairable() const {
        return !damaged.empty() || !unreadable.empty() || has_bad_tables;
    }
};

/// Reads every pack, computes every key again, and looks whether every snapshot has everything it needs.
/// Takes no lock.
Result<VerifyReport> verify(const SnapshotStore& store, std::size_t threads, Progress& progress);

} // namespace orbis::jobs::snapshot
