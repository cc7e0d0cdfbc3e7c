#include "care/snapshot/mend.hpp"

#include "bytes/atomic_file.hpp"

namespace orbis::care::snapshot {

Result<CollectReport> mend(const std::filesystem::path& store, const std::unordered_set<Key>& damaged,
                           Progress& progress, Disk& disk) {
    TRY(auto session, Session::begin(store, false, disk));
    // What was seen last time must not spare the next snapshot the reading of what is forgotten now.
    std::error_code code;
    std::vector<std::filesystem::path> known;
    for (std::filesystem::directory_iterator at(session.store().known(), code), end; !code && at != end;
         at.increment(code))
        known.push_back(at->path());
    for (const auto& file : known) TRY_DO(disk.remove(file));
    if (!known.empty()) TRY_DO(sync_folder(session.store().known()));
    CollectOptions options;
    options.keep_unneeded = true; // with a damaged table nobody knows what is needed
    options.drop = damaged;
    TRY(auto report, collect(session, options, progress));
    TRY_DO(session.end());
    return report;
}

} // namespace orbis::care::snapshot
