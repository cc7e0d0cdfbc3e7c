#include "jobs/puzzle/shared_content.hpp"
#include "jobs/repair/repair_world.hpp"

#include <fmt/format.h>

#include <algorithm>

/// Index entries that lead to the same content.
namespace orbis::jobs {

namespace {

/// Of those that are not unreadable anyway.
std::vector<Claimants> claimants_of_one(const storage::Region& region,
                                        const std::map<ChunkPos, ChunkPlan>& plans) {
    std::map<std::int32_t, Claimants> by_segment;
    const auto slots = region.slots();
    if (!slots || region.header().version != 1) return {};
    for (const auto slot : *slots) {
        const auto pos = region.position().chunk(slot);
        const auto plan = plans.find(pos);
        if (plan != plans.end() && plan->second.unreadable) continue;
        if (const auto info = region.info(slot); info && *info)
            by_segment[(*info)->first_segment].push_back(pos);
    }
    std::vector<Claimants> groups;
    for (auto& [segment, claimants] : by_segment)
        if (claimants.size() > 1) groups.push_back(std::move(claimants));
    return groups;
}

} // namespace

/// What a backup has at one of the places tells whose it is.
std::optional<ChunkPos> WorldRepair::owner_by_backup(std::span<const ChunkPos> claimants,
                                                     const storage::Store& store) {
    storage::ReadContext context;
    const auto document = store.read(claimants.front(), context);
    if (!document || !*document) return std::nullopt;
    const Buffer content((*document)->begin(), (*document)->end());
    std::vector<std::size_t> likeness;
    for (const auto pos : claimants) likeness.push_back(donors_.likeness(pos, content));
    const auto best = std::ranges::max_element(likeness);
    if (*best == 0 || std::ranges::count(likeness, *best) > 1) return std::nullopt;
    return claimants[static_cast<std::size_t>(best - likeness.begin())];
}

/// At most one of them is right. Backups tell which, or the chunks beside them; the others then count as
/// unreadable. Where that is unclear, all of them stay, or go when that is wanted.
void WorldRepair::find_owners(Plans& plans, const storage::Region& region, const storage::Store& store) {
    const auto groups = claimants_of_one(region, plans);
    std::optional<std::map<std::size_t, ChunkPos>> by_neighbours; // takes a look at all chunks of the file
    for (std::size_t group = 0; group < groups.size(); ++group) {
        auto owner = owner_by_backup(groups[group], store);
        std::string_view how = "as in a backup";
        if (!owner) {
            if (!by_neighbours) by_neighbours = owners_by_neighbours(store, region, groups);
            if (const auto found = by_neighbours->find(group); found != by_neighbours->end())
                owner = found->second;
            how = "it fits the neighbours of that chunk only";
        }
        for (const auto pos : groups[group]) claim(plans, groups[group], pos, owner, how);
    }
}

void WorldRepair::claim(Plans& plans, std::span<const ChunkPos> claimants, ChunkPos pos,
                        std::optional<ChunkPos> owner, std::string_view how) {
    auto& plan = plans[pos];
    plan.pos = pos;
    if (owner == pos) {
        if (plan.steps.empty() && plan.left.empty()) plans.erase(pos);
        return;
    }
    plan.steps.clear();
    plan.frame.clear();
    if (owner) {
        plan.unreadable = true;
        plan.reason = fmt::format("its index entry points to {} ({})", *owner, how);
        return;
    }
    const auto other = pos == claimants.front() ? claimants[1] : claimants.front();
    plan.reason = fmt::format("its index entry and that of {} point to the same content, and neither a "
                              "backup nor the neighbouring chunks show which is right",
                              other);
    plan.unreadable = options_.remove_ambiguous;
    plan.is_ambiguous = true;
    if (!plan.unreadable) plan.left.assign(1, plan.reason);
}

} // namespace orbis::jobs
