#include "jobs/repair/repair_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

/// What a world has not any more: chunks that only a backup has, and those that no index entry leads to.
namespace orbis::jobs {

namespace {

using Outcome = RepairStep::Outcome;

} // namespace

/// What a backup has and the world has not: reported for each region, and brought back if that is wanted.
Result<void> WorldRepair::missing_chunks(const ChunkSet& present) {
    if (donors_.empty()) return {};
    const bool is_one_file = world_.source == world::World::Source::region_file;
    const auto own = storage::parse_region_file_name(world_.region_file.filename().string());
    std::map<RegionPos, std::string> newest;
    for (const auto& [pos, chunks] : donors_.missing(present, newest)) {
        if (unreadable_.contains(pos) || (is_one_file && own != pos)) continue;
        if (options_.missing) {
            TRY_DO(bring_back(pos, chunks));
            continue;
        }
        report_.chunks_missing += chunks.size();
        tell_of_file(
            Outcome::left, file_of(*chunks.begin()), fmt::format("{}", pos),
            fmt::format("{} in {} {} not in the world",
                        chunks.size() == 1 ? std::string("1 chunk") : fmt::format("{} chunks", chunks.size()),
                        newest[pos], chunks.size() == 1 ? "is" : "are"),
            "restore missing chunks with --missing");
    }
    return {};
}

Result<void> WorldRepair::bring_back(RegionPos pos, const std::set<ChunkPos>& chunks) {
    const auto part = fmt::format("{}", pos);
    std::map<std::string, std::size_t> sources;
    std::size_t without = 0;
    for (const auto chunk : chunks) {
        const auto found = donors_.newest_good(chunk);
        if (!found) {
            ++without;
            continue;
        }
        ++sources[donors_.name_of(*found)];
        ++report_.chunks_restored;
        TRY_DO(write(chunk, {found->frame, found->raw_size}));
    }
    const auto file = file_of(pos.chunk({0}));
    for (const auto& [source, count] : sources)
        tell_of_file(
            Outcome::restored, file, part,
            fmt::format("{} missing chunk{} restored from {}", count, count == 1 ? "" : "s", source));
    report_.chunks_missing += without;
    if (without > 0)
        tell_of_file(
            Outcome::left, file, part,
            fmt::format("{} missing chunk{}: no backup has a good copy", without, without == 1 ? "" : "s"));
    return target_.change ? target_.change->flush() : Result<void>();
}

std::string uncertain_text(std::size_t chunks, double likeliest) {
    return fmt::format(
        "this file has {} more whole chunks whose positions are uncertain; they were not restored{}", chunks,
        likeliest > 0 ? fmt::format(". The best guess is {:.0f} % sure", std::floor(likeliest * 100)) : "");
}

/// Whole chunks in unused segments whose places have no entry: it was lost, or the chunk was removed. Who
/// asks for older copies gets them back.
void WorldRepair::put_back_lost(Plans& plans, const storage::Region& region,
                                const storage::RegionFiles& files) {
    const auto orphans = orphans_of(region.position(), files);
    std::size_t unsure = 0;
    double likeliest = 0;
    for (const auto& orphan : orphans) {
        const bool is_sure = orphan.chunk && orphan.sureness <= Orphan::Sureness::likely;
        const bool is_listed = orphan.chunk && region.entry(orphan.chunk->slot()).value_or(0) != 0;
        if (orphan.sound() && !is_sure && !is_listed) {
            ++unsure;
            likeliest = std::max(likeliest, orphan.chance);
        }
        if (!is_sure || is_listed || plans.contains(*orphan.chunk)) continue;
        ChunkPlan plan;
        plan.pos = *orphan.chunk;
        plan.is_lost = true;
        plan.reason = "the index does not list it";
        if (!take_from_orphans(plan, files)) continue;
        present_.push_back(plan.pos);
        plans.emplace(plan.pos, std::move(plan));
    }
    if (unsure > 0)
        tell_of_file(Outcome::left, file_of(region.position().chunk({0})),
                     fmt::format("{}", region.position()), uncertain_text(unsure, likeliest),
                     "orbis undelete shows the most likely positions");
}

} // namespace orbis::jobs
