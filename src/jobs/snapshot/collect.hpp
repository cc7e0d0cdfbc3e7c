#pragma once

#include "bytes/progress.hpp"
#include "jobs/snapshot/store.hpp"
#include "jobs/snapshot/take.hpp"

#include <unordered_set>

namespace orbis::jobs::snapshot {

struct CollectOptions {
    bool merge = true;    ///< put small packs together
    bool dry_run = false; ///< say what would be freed and change nothing
    int level = k_default_level;
    bool keep_unneeded =
        false; ///< forget only what is in `drop` or has no sound entry, even if the rest needs it
    std::unordered_set<Key> drop; ///< damaged contents: forgotten, so that the next snapshot adds them again
};

struct CollectReport {
    std::uint64_t bytes_before = 0; ///< of all packs
    std::uint64_t bytes_after = 0;
    std::uint64_t packs_rewritten = 0;
    std::uint64_t packs_removed = 0;
    std::uint64_t contents_dropped = 0;
    std::vector<Error> problems;

    [[nodiscard]] std::uint64_t freed() const {
        return bytes_before > bytes_after ? bytes_before - bytes_after : 0;
    }
};

/// Frees what no snapshot needs: packs with such contents are rewritten without them, and only when the
/// new ones are safe the old ones go. Blocks that stay whole are moved as they are. A kill at any moment
/// leaves every snapshot readable; what is stored twice then is freed the next time. While a manifest cannot
/// be read nothing is freed: what it needs is unknown.
///
/// `without` names snapshots that are about to be removed, for a dry run.
Result<CollectReport> collect(Session& session, const CollectOptions& options, Progress& progress,
                              const std::vector<std::string>& without = {});

} // namespace orbis::jobs::snapshot
