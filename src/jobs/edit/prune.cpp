#include "jobs/edit/prune.hpp"

#include "jobs/edit/restore.hpp"
#include "storage/walk.hpp"

#include <algorithm>

namespace orbis::jobs {
namespace {

Result<void> check_complete(const Selector& selector) {
    if (selector.complete()) return {};
    auto problem = selector.problems().front();
    problem.problem = "nothing was removed, because a part of the selection is unknown: " + problem.problem;
    return fail(std::move(problem).advise("fix the file, or give the places as coordinates"));
}

/// Which chunks go.
class Judge {
public:
    static Result<Judge> make(const world::World& world, const storage::Store& store,
                              const PruneOptions& options, Progress& progress) {
        Judge judge;
        if (options.keep) {
            TRY(judge.keep_, make_selector(*options.keep, world, store, options.threads, progress));
            TRY_DO(check_complete(*judge.keep_));
        }
        if (options.remove) {
            TRY(judge.remove_, make_selector(*options.remove, world, store, options.threads, progress));
            TRY_DO(check_complete(*judge.remove_));
        }
        return judge;
    }

    [[nodiscard]] bool goes(ChunkPos pos) const {
        if (is_unreadable(pos) || (keep_ && keep_->contains(pos))) return false;
        return !remove_ || remove_->contains(pos);
    }
    [[nodiscard]] bool is_unreadable(ChunkPos pos) const {
        return (keep_ && keep_->unreadable().contains(pos))
               || (remove_ && remove_->unreadable().contains(pos));
    }
    void take_problems(std::vector<Error>& out) const {
        for (const auto* selector : {keep_ ? &*keep_ : nullptr, remove_ ? &*remove_ : nullptr})
            if (selector != nullptr)
                out.insert(out.end(), selector->problems().begin(), selector->problems().end());
    }

private:
    std::optional<Selector> keep_;
    std::optional<Selector> remove_;
};

/// Kept chunks next to one that goes: there old and new terrain will meet.
ChunkSet cut_edges(const std::vector<ChunkPos>& kept, const ChunkSet& removed) {
    constexpr std::array<std::pair<int, int>, 4> k_sides{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
    std::vector<ChunkPos> cut;
    for (const auto pos : kept)
        for (const auto& [dx, dz] : k_sides) {
            const auto x = std::int64_t{pos.x} + dx;
            const auto z = std::int64_t{pos.z} + dz;
            if (x != static_cast<std::int32_t>(x) || z != static_cast<std::int32_t>(z)) continue;
            if (!removed.contains({static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)})) continue;
            cut.push_back(pos);
            break;
        }
    return ChunkSet(std::move(cut));
}

void add_bytes(const storage::Store& store, PrunePlan& plan) {
    for (const auto pos : plan.removed) {
        const auto info = store.blob_info(pos);
        if (!info || !*info) continue; // a damaged entry, whose bytes are unknown
        plan.frame_bytes += (*info)->frame_size;
        plan.segment_bytes += (*info)->segment_bytes;
    }
}

} // namespace

bool PrunePlan::removes(ChunkPos pos) const {
    return std::ranges::binary_search(removed, std::pair(pos.region(), pos.slot()), {},
                                      [](ChunkPos at) { return std::pair(at.region(), at.slot()); });
}

Result<PrunePlan> plan_prune(const world::World& world, const storage::Store& store,
                             const PruneOptions& options, Progress& progress) {
    if (!options.keep && !options.remove)
        return fail(error(Errc::usage, "nothing to do: give --keep or --remove")
                        .advise("such as --keep 'inhabited+4 spawn~500'"));
    TRY(const auto judge, Judge::make(world, store, options, progress));
    PrunePlan plan;
    judge.take_problems(plan.problems);
    // A selection that looks into chunks has already reported regions that cannot be read.
    const auto looks = [](const auto& selection) {
        return selection && selection->parts() != chunk::Parts{};
    };
    const bool told = looks(options.keep) || looks(options.remove);
    std::vector<ChunkPos> kept;
    std::vector<ChunkPos> unreadable;
    std::vector<ChunkPos> removed;
    const auto cursor = store.chunks();
    for (auto next = cursor->next(); !next || *next; next = cursor->next()) {
        if (!next) {
            const auto is_same = [&](const Error& problem) { return problem.text() == next.error().text(); };
            if (!told && std::ranges::none_of(plan.problems, is_same)) plan.problems.push_back(next.error());
            continue;
        }
        const auto pos = **next;
        (judge.goes(pos) ? removed : kept).push_back(pos);
        if (judge.is_unreadable(pos)) unreadable.push_back(pos);
    }
    if (kept.empty() && !removed.empty() && !options.all)
        return fail(error(Errc::usage, "this would remove all {} chunks", removed.size())
                        .advise("check the selection, or add --all if that is what you want"));
    plan.kept = kept.size();
    plan.unreadable = ChunkSet(std::move(unreadable));
    plan.removed = storage::in_region_order(removed);
    plan.cut = cut_edges(kept, ChunkSet(std::move(removed)));
    add_bytes(store, plan);
    return plan;
}

Result<PruneReport> prune(const world::World& world, const PrunePlan& plan, const PruneOptions& options,
                          Progress& progress) {
    PruneReport report;
    if (plan.removed.empty()) return report;
    TRY(const auto change,
        Change::begin(world, {.verb = "prune", .command = options.command, .force = options.force}));
    WritableRegions writable(*change);
    progress.begin("Removing chunks", plan.removed.size());
    for (const auto pos : plan.removed) {
        progress.step();
        if (const auto& problem = writable.problem_of(pos)) {
            report.problems.push_back(Error(*problem).in_file(change->store().name()).at(pos));
            continue;
        }
        TRY_DO(change->remove(pos));
    }
    TRY(report.change, change->finish());
    return report;
}

} // namespace orbis::jobs
