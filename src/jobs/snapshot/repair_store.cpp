#include "jobs/snapshot/repair_store.hpp"

#include "bytes/atomic_file.hpp"

namespace orbis::jobs::snapshot {

Result<StoreRepairReport> repair_store(const std::filesystem::path& store, const VerifyReport& found,
                                       Progress& progress, Disk& disk) {
    StoreRepairReport report;
    TRY(auto session, Session::begin(store, false, disk));
    // What was seen last time must not spare the next snapshot the reading of what is forgotten now.
    std::error_code code;
    std::vector<std::filesystem::path> known;
    for (std::filesystem::directory_iterator at(session.store().known(), code), end; !code && at != end;
         at.increment(code))
        known.push_back(at->path());
    for (const auto& file : known) TRY_DO(disk.remove(file));
    if (!known.empty()) TRY_DO(sync_folder(session.store().known()));
    for (const auto& pack : found.unreadable) {
        auto aside = pack;
        aside += ".unreadable";
        TRY_DO(disk.rename(pack, aside));
        report.set_aside.push_back(aside.string());
    }
    CollectOptions options;
    options.keep_unneeded = true; // with a damaged table it is unknown what is needed
    options.drop = found.damaged;
    TRY(auto collected, collect(session, options, progress));
    report.forgotten = collected.contents_dropped;
    report.packs_repaired = collected.packs_rewritten + collected.packs_removed;
    report.problems = std::move(collected.problems);
    TRY_DO(session.end());
    return report;
}

} // namespace orbis::jobs::snapshot
