#include "jobs/inspect/summary.hpp"

#include "storage/walk.hpp"

namespace orbis::jobs {

namespace {

void add(WorldSummary& summary, RegionSurvey&& region) {
    summary.chunks += region.chunks;
    summary.file_bytes += region.file_bytes;
    summary.raw_bytes += region.raw_bytes;
    summary.frame_bytes += region.frame_bytes;
    summary.slack_bytes += region.slack_bytes;
    summary.free_bytes += region.free_bytes;
    if (region.file_bytes > 0) summary.containers.insert(region.version);
    summary.problems.insert(summary.problems.end(), region.problems.begin(), region.problems.end());
    summary.problems.insert(summary.problems.end(), region.frame_problems.begin(),
                            region.frame_problems.end());
    summary.regions.push_back(std::move(region));
}

std::uint64_t folder_bytes(const storage::Folder& folder) {
    std::uint64_t bytes = 0;
    if (const auto entries = folder.list())
        for (const auto& entry : *entries) bytes += entry.size;
    return bytes;
}

} // namespace

Result<WorldSummary> summarize(const world::World& world, std::size_t threads) {
    WorldSummary summary;
    TRY(const auto store, world.open({}));
    summary.storage = store->kind();
    summary.location = store->name();
    if (const auto* files = store->region_files()) {
        summary.is_counted = true;
        TRY(auto regions, survey(*files, threads));
        for (auto& region : regions) add(summary, std::move(region));
        for (auto& found : world.misplaced_folders()) summary.problems.push_back(std::move(found.error));
        return summary;
    }
    summary.chunks = storage::count_chunks(
        *store, [&](Error&& problem) { summary.problems.push_back(std::move(problem)); });
    if (world.provider.type == storage::Provider::Type::rocks_db
        && world.source != world::World::Source::other)
        summary.file_bytes = folder_bytes(
            world.source == world::World::Source::rocksdb ? world.folder : world.folder.sub("db"));
    return summary;
}

} // namespace orbis::jobs
