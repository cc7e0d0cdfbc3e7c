#include "jobs/missing/lost_entries.hpp"

#include "jobs/puzzle/orphans.hpp"

#include <fmt/format.h>

#include <utility>

namespace orbis::jobs {

namespace {

constexpr std::size_t k_few = 4;

} // namespace

Result<LostEntries> look_for_lost_entries(const storage::Region& region,
                                          std::optional<std::uint32_t> remembered) {
    LostEntries lost;
    if (region.header().version != 1) return lost; // its segments name their owners
    TRY(const auto slots, region.slots());
    lost.in_use = slots.size();
    if (remembered && lost.in_use >= *remembered) return lost;
    TRY(const auto beginnings, count_beginnings(region));
    if (beginnings <= std::max(k_few, lost.in_use / 10)) return lost;
    TRY(const auto found, find_copies(region));
    bool has_guess = false;
    for (const auto& orphan : found.orphans) {
        if (!orphan.sound()) continue;
        bool is_older =
            orphan.chunk ? region.entry(orphan.chunk->slot()).value_or(0) != 0 : !orphan.candidates.empty();
        // What looks like no chunk in use may be that of the only one that cannot be read, but not all of it.
        if (orphan.basis == Orphan::Basis::elimination)
            is_older = is_older && !std::exchange(has_guess, true);
        ++(is_older ? lost.older : lost.unexplained);
    }
    return lost;
}

std::string lost_entries_text(const LostEntries& lost) {
    return fmt::format("this file has {} whole chunks that its index does not list (it lists {}): the index "
                       "was damaged, or chunks were removed",
                       lost.unexplained, lost.in_use);
}

Result<void> refuse_lost_entries(const storage::Region& region, std::optional<std::uint32_t> remembered) {
    TRY(const auto lost, look_for_lost_entries(region, remembered));
    if (!lost.is_damage()) return {};
    return fail(error(Errc::bad_value, "{}", lost_entries_text(lost))
                    .in_file(region.name())
                    .advise(std::string(k_lost_entries_advice)));
}

Result<void> refuse_lost_entries(const storage::Store& store, const RememberedCounts& remembered) {
    const auto* files = store.region_files();
    if (files == nullptr) return {};
    TRY(const auto regions, files->regions());
    for (const auto pos : regions) {
        const auto region = files->region(pos);
        if (region && *region)
            TRY_DO(refuse_lost_entries(**region, remembered_count(remembered, pos))); // others cannot be read
    }
    return {};
}

std::optional<std::uint32_t> remembered_count(const RememberedCounts& counts, RegionPos pos) {
    const auto found = counts.find(pos);
    if (found == counts.end()) return std::nullopt;
    return found->second.chunks;
}

} // namespace orbis::jobs
