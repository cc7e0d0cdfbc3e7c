#pragma once

#include "jobs/snapshot/collect.hpp"

namespace orbis::jobs::snapshot {

/// How many snapshots stay: the newest of each of the last N hours, days, weeks, months that have one,
/// and the last N at all. The newest always stays, and those that have a name.
struct KeepRule {
    std::uint32_t last = 0;
    std::uint32_t hourly = 0;
    std::uint32_t daily = 0;
    std::uint32_t weekly = 0;
    std::uint32_t monthly = 0;

    /// `hourly=24,daily=7,weekly=8`.
    static Result<KeepRule> parse(std::string_view text);
};

/// The ids that the rule does not keep; snapshots of different sources do not count against each other.
/// Hours, days (from midnight) and weeks (from Monday) are those of UTC.
std::vector<std::string> to_be_thinned(const std::vector<Snapshot>& snapshots, const KeepRule& rule);

struct RemoveReport {
    std::vector<std::string> removed;
    CollectReport freed;
};

/// Removes snapshots and frees what only they needed.
Result<RemoveReport> remove_snapshots(const std::filesystem::path& store, const std::vector<std::string>& ids,
                                      bool dry_run, Progress& progress, Disk& disk = real_disk());

} // namespace orbis::jobs::snapshot
