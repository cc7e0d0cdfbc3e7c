#include "jobs/edit/merge_worlds.hpp"

#include "bytes/shell_quote.hpp"
#include "jobs/edit/restore.hpp"
#include "storage/walk.hpp"

#include <algorithm>

namespace orbis::jobs {
namespace {

using State = ComparedChunk::State;
using Merged = MergedChunk::What;

constexpr std::string_view k_no_chunk =
    "first copy whole chunks: use --only added, without --parts and --blocks";

/// Merged one chunk needs, and the bytes for it.
struct PreparedMerge {
    std::optional<MergedChunk> chunk; ///< nothing to do without
    Buffer bytes;                     ///< a frame, or the document of an edited chunk
    std::uint32_t raw_size = 0;
};

class WorldMergeJob {
public:
    WorldMergeJob(const storage::Store& to, const storage::Store& from, const world::Assets& assets,
                  const MergeOptions& options)
        : to_(to), from_(from), assets_(assets), options_(options) {}

    PreparedMerge prepare(ChunkPos pos, PairReader& reader) const {
        PreparedMerge made;
        const auto compared = reader.compare(pos, to_, from_, {.terrain = false, .most_details = 0});
        if (compared.state == State::equal) return made;
        if (auto done = decide(compared, reader, made); !done) {
            made.chunk.emplace();
            made.chunk->pos = pos;
            made.chunk->what = Merged::blocked;
            made.chunk->problem = explained(std::move(done).error(), pos);
        }
        return made;
    }

    /// With the file, the chunk and the next step.
    [[nodiscard]] Error explained(Error problem, ChunkPos pos) const {
        const auto there = from_.file_of(pos);
        const auto here = to_.file_of(pos);
        if (problem.file == k_other_world) problem.file = there;
        Error named = std::move(problem).in_file(here).at(pos);
        if (named.file == there)
            return std::move(named).advise(
                "this world's chunk was not changed; merge from another copy, or only other --parts");
        if (named.advice == k_no_chunk) return named;
        named.advice.clear(); // that of the store knows nothing of a merge
        return std::move(named).advise(fmt::format(
            "it was not changed; repair it first: orbis repair {} --from BACKUP{}", shell_quoted(here),
            options_.whole() ? "" : ", or copy the whole chunk: leave out --parts and --blocks"));
    }

private:
    Result<void> decide(const ComparedChunk& compared, PairReader& reader, PreparedMerge& made) const {
        const auto start = [&](Merged what) {
            made.chunk.emplace();
            made.chunk->pos = compared.pos;
            made.chunk->what = what;
        };
        switch (compared.state) {
        case State::equal: return {};
        case State::removed:
            if (options_.removed && options_.whole()) start(Merged::removed);
            return {};
        case State::added:
            if (!options_.added) return {};
            if (!options_.whole())
                return fail(error(Errc::not_found,
                                  "this world does not have the chunk, so no parts can be merged into it")
                                .advise(k_no_chunk));
            TRY_DO(take_whole(compared.pos, reader, made));
            start(Merged::added);
            return {};
        case State::changed:
        case State::unreadable: break;
        }
        if (!options_.changed) return {};
        if (options_.whole()) {
            TRY_DO(take_whole(compared.pos, reader, made));
            start(Merged::replaced);
            return {};
        }
        if (compared.state == State::unreadable) return fail(Error(compared.problems.front()));
        CellComparer cells;
        auto& chunk = reader.before.chunk();
        TRY(const auto merged, merge_chunk(compared.pos, chunk, reader.after.chunk(), options_.parts,
                                           options_.box, assets_, cells));
        if (!chunk.changed()) return {}; // the difference is elsewhere
        const auto damaged = chunk.problems().size();
        Buffer out;
        TRY(const auto document, chunk.encode(out));
        // Read it as the game would, before anything is replaced.
        TRY(const auto again, chunk::Chunk::decode(document));
        if (again.problems().size() > damaged)
            return fail(Errc::mismatch, "the merged chunk would not be readable: {}",
                        again.problems().back().text());
        made.bytes.assign(document.begin(), document.end());
        start(Merged::edited);
        made.chunk->merge = merged;
        return {};
    }

    Result<void> take_whole(ChunkPos pos, PairReader& reader, PreparedMerge& made) const {
        auto& context = reader.after.context();
        TRY(const auto frame, from_.read_compressed(pos, context));
        if (!frame)
            return fail(
                error(Errc::not_found, "the chunk was removed in the meantime").in_file(k_other_world));
        made.bytes.assign(frame->bytes.begin(), frame->bytes.end());
        made.raw_size = frame->raw_size;
        auto sound = check_chunk_frame({made.bytes, made.raw_size}, context);
        if (!sound) return fail(std::move(sound).error().in_file(k_other_world));
        return {};
    }

    const storage::Store& to_;
    const storage::Store& from_;
    const world::Assets& assets_;
    const MergeOptions& options_;
};

void add(MergeReport& report, const MergedChunk& chunk) {
    switch (chunk.what) {
    case Merged::added: ++report.added; break;
    case Merged::replaced: ++report.replaced; break;
    case Merged::removed: ++report.removed; break;
    case Merged::edited: ++report.edited; break;
    case Merged::blocked: ++report.blocked; break;
    }
    auto& to = report.total;
    const auto& from = chunk.merge;
    to.blocks += from.blocks;
    to.fluids += from.fluids;
    to.components += from.components;
    to.entities += from.entities;
    to.columns += from.columns;
    to.other += from.other;
    to.cut += from.cut;
}

/// A chunk is wanted when it is selected in one of the worlds and touches the box.
Result<std::function<bool(ChunkPos)>> make_filter(const world::World& world, const storage::Store& to,
                                                  const world::World& other, const storage::Store& from,
                                                  const MergeOptions& options, Progress& progress,
                                                  std::vector<Error>& problems) {
    std::vector<Selector> selectors;
    if (options.selection) {
        for (const auto& [where, store] : {std::pair{&world, &to}, std::pair{&other, &from}}) {
            TRY(auto selector, make_selector(*options.selection, *where, *store, options.threads, progress));
            problems.insert(problems.end(), selector.problems().begin(), selector.problems().end());
            selectors.push_back(std::move(selector));
        }
    }
    const auto shared = std::make_shared<std::vector<Selector>>(std::move(selectors));
    return [shared, box = options.box](ChunkPos pos) {
        if (box && !box->touches(pos)) return false;
        return shared->empty()
               || std::ranges::any_of(*shared, [&](const auto& selector) { return selector.contains(pos); });
    };
}

/// The positions to look at where these are few enough to list.
std::optional<std::vector<ChunkPos>> listed_positions(const MergeOptions& options) {
    if (options.selection) {
        const auto listed = options.selection->positions(k_most_listed);
        return listed ? std::optional(storage::in_region_order(listed->chunks())) : std::nullopt;
    }
    if (!options.box) return std::nullopt;
    const auto& [least, most] = *options.box;
    const auto rectangle = Selection::parse(fmt::format("blocks:{:c}..{:c}", least, most));
    const auto listed = rectangle ? rectangle->positions(k_most_listed) : std::nullopt;
    return listed ? std::optional(storage::in_region_order(listed->chunks())) : std::nullopt;
}

} // namespace

std::string_view name(Merged what) {
    switch (what) {
    case Merged::added: return "added";
    case Merged::replaced: return "replaced";
    case Merged::removed: return "removed";
    case Merged::edited: return "edited";
    case Merged::blocked: return "blocked";
    }
    return "blocked";
}

Result<MergeReport> merge(const world::World& world, const world::World& other, const world::Assets& assets,
                          const MergeOptions& options, Progress& progress) {
    MergeReport report;
    TRY(const auto target,
        Target::open(world, options.dry_run,
                     {.verb = "merge", .command = options.command, .force = options.force}));
    const auto& change = target.change;
    const auto& to = target.store();
    TRY(const auto from, other.open({}));
    TRY(const auto wanted, make_filter(world, to, other, *from, options, progress, report.problems));

    std::optional<WritableRegions> writable;
    if (change) writable.emplace(*change);
    const WorldMergeJob job(to, *from, assets, options);
    Result<void> outcome;
    const auto write = [&](MergedChunk& chunk, const PreparedMerge& made) {
        if (!change || chunk.what == Merged::blocked) return;
        if (const auto& problem = writable->problem_of(chunk.pos)) {
            chunk.what = Merged::blocked;
            chunk.problem = job.explained(*problem, chunk.pos);
        } else if (chunk.what == Merged::removed) {
            outcome = change->remove(chunk.pos);
        } else if (chunk.what == Merged::edited) {
            outcome = change->write_document(chunk.pos, made.bytes);
        } else {
            outcome = change->write(chunk.pos, {made.bytes, made.raw_size});
        }
    };
    const auto work = [&](ChunkPos pos, PairReader& reader) -> PreparedMerge {
        if (!wanted(pos)) return {};
        return job.prepare(pos, reader);
    };
    const auto emit = [&](ChunkPos, PreparedMerge& made) {
        progress.step();
        if (!made.chunk) return true;
        write(*made.chunk, made);
        if (!outcome) return false;
        add(report, *made.chunk);
        if (options.on_chunk) options.on_chunk(*made.chunk);
        return true;
    };
    const auto on_error = [&](const Error& error) { report.problems.push_back(error); };
    const auto listed = listed_positions(options);
    if (listed) {
        progress.begin("Merging chunks", listed->size());
        storage::walk<PreparedMerge, PairReader>(*storage::make_list_cursor(*listed), options.threads,
                                                 {.work = work, .emit = emit, .on_error = on_error});
    } else {
        progress.begin("Merging chunks", storage::count_chunks(to) + storage::count_chunks(*from));
        storage::walk<PreparedMerge, PairReader>(to, options.threads,
                                                 {.work = work, .emit = emit, .on_error = on_error});
        TRY_DO(Result<void>(outcome));
        const auto only_there = [&](ChunkPos pos, PairReader& reader) {
            return to.contains(pos).value_or(true) ? PreparedMerge() : work(pos, reader);
        };
        storage::walk<PreparedMerge, PairReader>(*from, options.threads,
                                                 {.work = only_there, .emit = emit, .on_error = on_error});
    }
    TRY_DO(std::move(outcome));
    if (change) {
        TRY(report.change, change->finish());
    }
    return report;
}

} // namespace orbis::jobs
