#include "jobs/cells/edit_chunks.hpp"

#include "bytes/parallel.hpp"
#include "jobs/cells/edit_plan.hpp"
#include "jobs/cells/tool_shelf.hpp"
#include "jobs/undo/writable_regions.hpp"
#include "storage/walk.hpp"

#include <utility>

namespace orbis::jobs {
namespace {

/// Compresses the draft that waits longest, if it need not wait any more.
void compress_next(const ChunkEditJob& job, EditPlan& plan, EditTool& tool) {
    if (auto next = plan.take_draft())
        next->planned->frame = job.compress(std::move(next->draft), next->stale, tool);
}

/// Compresses the drafts that are left when all chunks were looked at.
void compress_rest(const ChunkEditJob& job, EditPlan& plan, std::size_t threads, ToolShelf& shelf) {
    auto drafts = plan.take_drafts();
    std::size_t next = 0;
    std::vector<EditPlan::Waiting*> ring(in_flight_limit(threads));
    std::vector<std::unique_ptr<ShelvedTool>> tools(threads);
    run_ordered({.pull =
                     [&](std::size_t ticket) {
                         if (next == drafts.size()) return false;
                         ring[ticket] = &drafts[next++];
                         return true;
                     },
                 .work =
                     [&](std::size_t ticket, std::size_t worker) {
                         auto& draft = *ring[ticket];
                         if (!tools[worker]) tools[worker] = std::make_unique<ShelvedTool>(shelf);
                         draft.planned->frame =
                             job.compress(std::move(draft.draft), draft.stale, **tools[worker]);
                     },
                 .push = [](std::size_t) {}},
                threads);
}

void make_plan(const storage::Store& store, const ChunkEditJob& job, const ChunkEdit& edit,
               const std::optional<std::vector<ChunkPos>>& listed, const EditOptions& options,
               ToolShelf& shelf, EditPlan& plan, EditReport& report, Progress& progress) {
    progress.begin("Planning", listed ? listed->size() : storage::count_chunks(store));
    const auto emit = [&](ChunkPos pos, LookedAt& found) {
        progress.step();
        plan.add(pos, found, report);
        return true;
    };
    const auto on_error = [&](const Error& error) { report.problems.push_back(error); };
    const auto make_tool = [&] { return std::make_unique<ShelvedTool>(shelf); };
    const auto work = [&](ChunkPos pos, ShelvedTool& tool) {
        compress_next(job, plan, *tool);
        return edit.touches(pos) ? job.look(pos, *tool) : LookedAt{.is_outside = true};
    };
    const storage::Walk<LookedAt, ShelvedTool> walk{
        .work = work, .emit = emit, .on_error = on_error, .make_tool = make_tool};
    if (listed) {
        const auto ordered = storage::in_region_order(*listed);
        storage::walk<LookedAt, ShelvedTool>(*storage::make_list_cursor(ordered), options.threads, walk);
    } else {
        storage::walk<LookedAt, ShelvedTool>(store, options.threads, walk);
    }
    compress_rest(job, plan, options.threads, shelf);
    const auto around = plan.beside_edited();
    if (around.empty()) return;
    storage::walk<LookedAt, ShelvedTool>(
        *storage::make_list_cursor(around), options.threads,
        {.work = [&](ChunkPos pos, ShelvedTool& tool) { return job.look_beside(pos, *tool); },
         .emit =
             [&](ChunkPos, LookedAt& found) {
                 plan.add_cut(found.cut);
                 return true;
             },
         .on_error = on_error,
         .make_tool = make_tool});
}

Result<void> carry_out(Target& target, const ChunkEditJob& job, ToolShelf& shelf, EditPlan& plan,
                       const EditOptions& options, EditReport& report, Progress& progress) {
    const auto positions = plan.positions();
    std::optional<WritableRegions> writable;
    if (target.change) {
        // All of them before the first write: nothing is half done because of the last one.
        writable.emplace(*target.change);
        for (const auto pos : positions)
            if (const auto& problem = writable->problem_of(pos)) return fail(Error(*problem));
    }
    progress.begin(options.dry_run ? "Drawing" : "Writing", positions.size());
    Result<void> outcome;
    const auto emit = [&](ChunkPos pos, WrittenChunk& written) {
        progress.step();
        const bool light_only = !plan.of(pos).edited && plan.of(pos).emptied.empty();
        if (written.problem) {
            // The light of a chunk that cannot be read is nobody's concern.
            if (light_only) return true;
            report.problems.push_back(*std::move(written.problem));
            if (options.skip_damaged) return true;
            outcome = fail(Error(report.problems.back()));
            return false;
        }
        if (!written.frame) return true;
        report.light_chunks += light_only ? 1U : 0U;
        const storage::CompressedChunk frame{written.frame->bytes, written.frame->raw_size};
        outcome = target.change ? target.change->write(pos, frame) : options.preview(pos, frame);
        return outcome.has_value();
    };
    storage::walk<WrittenChunk, ShelvedTool>(
        *storage::make_list_cursor(positions), options.threads,
        {.work = [&](ChunkPos pos, ShelvedTool& tool) { return job.write(pos, plan.of(pos), *tool); },
         .emit = emit,
         .on_error = [&](const Error& error) { report.problems.push_back(error); },
         .make_tool = [&] { return std::make_unique<ShelvedTool>(shelf); }});
    return outcome;
}

} // namespace

Result<EditReport> edit_chunks(const world::World& world, const world::Assets& assets, const ChunkEdit& edit,
                               const EditOptions& options, Progress& progress) {
    EditReport report;
    TRY(auto target,
        Target::open(world, options.dry_run,
                     {.verb = options.verb, .command = options.command, .force = options.force}));
    const auto& store = target.store();
    edit.begin(store);
    const ChunkEditJob job(store, assets, edit, options);
    const auto listed = edit.chunks();
    EditPlan plan(store, !listed);
    ToolShelf shelf;
    make_plan(store, job, edit, listed, options, shelf, plan, report, progress);
    plan.finish(report);
    if (!report.problems.empty() && !options.skip_damaged) {
        report.refused = true;
        return report;
    }
    if (!options.dry_run || options.preview)
        TRY_DO(carry_out(target, job, shelf, plan, options, report, progress));
    if (target.change) {
        TRY(report.change, target.change->finish());
    }
    return report;
}

} // namespace orbis::jobs
