#include "jobs/edit/restore.hpp"

#include "chunk/chunk.hpp"
#include "storage/walk.hpp"

namespace orbis::jobs {
namespace {

using Restored = RestoredChunk::What;

/// Restored one chunk needs, and the bytes for it.
struct PreparedRestore {
    RestoredChunk chunk;
    Buffer frame;
    std::uint32_t raw_size = 0;
};

Error located_in_store(Error&& error, const storage::Store& store, ChunkPos pos) {
    return std::move(error).in_file(store.name()).at(pos);
}

class RestoreJob {
public:
    RestoreJob(const storage::Store& world, const storage::Store& backup, ChunkSet named)
        : world_(world), backup_(backup), named_(std::move(named)) {}

    PreparedRestore prepare(ChunkPos pos, storage::ReadContext& context) const {
        PreparedRestore made;
        made.chunk.pos = pos;
        const auto frame = backup_.read_compressed(pos, context);
        if (!frame || !*frame) {
            made.chunk.what = frame ? Restored::missing : Restored::unreadable;
            if (!frame) made.chunk.problem = located_in_store(Error(frame.error()), backup_, pos);
            return made;
        }
        made.frame.assign((*frame)->bytes.begin(), (*frame)->bytes.end());
        made.raw_size = (*frame)->raw_size;
        made.chunk.bytes = made.frame.size();
        const storage::CompressedChunk copy{made.frame, made.raw_size};
        made.chunk.what = compare(copy, pos, context);
        // Restored is the same stays as it is, so no more needs to be said; but a user who names this chunk
        // may do so because it cannot be read, and wants to know that the backup's is no better.
        if (made.chunk.what == Restored::same && !named_.contains(pos)) return made;
        if (auto sound = check_chunk_frame(copy, context); !sound) {
            made.chunk.what = Restored::unreadable;
            made.chunk.problem = located_in_store(std::move(sound).error(), backup_, pos)
                                     .advise("the world's chunk was not changed; try another backup");
        }
        return made;
    }

private:
    [[nodiscard]] Restored compare(const storage::CompressedChunk& frame, ChunkPos pos,
                                   storage::ReadContext& context) const {
        if (world_.keeps_compressed()) {
            const auto now = world_.read_compressed(pos, context);
            if (now && !*now) return Restored::added;
            if (!now || (*now)->raw_size != frame.raw_size) return Restored::replaced;
            if (std::ranges::equal((*now)->bytes, frame.bytes)) return Restored::same;
            return has_same_document(**now, frame, context) ? Restored::same : Restored::replaced;
        }
        const auto now = world_.read(pos, context);
        if (now && !*now) return Restored::added;
        if (!now) return Restored::replaced;
        const Buffer document((*now)->begin(), (*now)->end());
        const auto wanted =
            context.decompressor.decompress(frame.bytes, frame.raw_size, storage::k_largest_document);
        return wanted && std::ranges::equal(*wanted, document) ? Restored::same : Restored::replaced;
    }

    /// Snapshots compress documents again, and so does the game after an update: other bytes, same content.
    static bool has_same_document(const storage::CompressedChunk& now, const storage::CompressedChunk& wanted,
                                  storage::ReadContext& context) {
        const auto mine =
            context.decompressor.decompress(now.bytes, now.raw_size, storage::k_largest_document);
        if (!mine) return false;
        const Buffer document(mine->begin(), mine->end());
        const auto other =
            context.decompressor.decompress(wanted.bytes, wanted.raw_size, storage::k_largest_document);
        return other && std::ranges::equal(*other, document);
    }

    const storage::Store& world_;
    const storage::Store& backup_;
    ChunkSet named_;
};

/// The positions to look at: those of the backup that are selected, and those of the world that are selected
/// but not in the backup.
Result<std::vector<ChunkPos>> candidates(const world::World& backup, const storage::Store& from,
                                         const storage::Store& to, const RestoreOptions& options,
                                         Progress& progress, std::vector<Error>& problems) {
    if (const auto listed = options.selection.positions(k_most_listed))
        return storage::in_region_order(listed->chunks());
    TRY(const auto selector, make_selector(options.selection, backup, from, options.threads, progress));
    problems = selector.problems();
    std::vector<ChunkPos> chunks;
    for (const auto* store : {&from, &to}) {
        const auto cursor = store->chunks();
        for (auto next = cursor->next(); !next || *next; next = cursor->next()) {
            if (!next && store == &from && options.selection.parts() == chunk::Parts{})
                problems.push_back(next.error());
            if (next && selector.contains(**next)) chunks.push_back(**next);
        }
    }
    return storage::in_region_order(ChunkSet(std::move(chunks)).chunks());
}

/// Chunks that the selection names one by one: these are reported even if neither world has them.
ChunkSet named_chunks(const Selection& selection) {
    std::vector<ChunkPos> named;
    for (const auto& term : selection.terms())
        if (term.kind == SelectionTerm::Kind::rectangle && !term.inverted && term.margin == 0
            && term.rectangle.least == term.rectangle.most)
            named.push_back(term.rectangle.least);
    return ChunkSet(std::move(named));
}

void count(RestoreReport& report, const RestoredChunk& chunk) {
    switch (chunk.what) {
    case Restored::replaced: ++report.replaced; break;
    case Restored::added: ++report.added; break;
    case Restored::same: ++report.same; break;
    case Restored::missing: ++report.missing; break;
    case Restored::unreadable: ++report.unreadable; break;
    case Restored::stuck: ++report.stuck; break;
    }
    if (chunk.what == Restored::replaced || chunk.what == Restored::added) report.bytes += chunk.bytes;
}

} // namespace

std::string_view name(Restored what) {
    switch (what) {
    case Restored::replaced: return "replaced";
    case Restored::added: return "added";
    case Restored::same: return "same";
    case Restored::missing: return "missing";
    case Restored::unreadable: return "unreadable";
    case Restored::stuck: return "stuck";
    }
    return "stuck";
}

Result<void> check_chunk_frame(const storage::CompressedChunk& frame, storage::ReadContext& context) {
    TRY(const auto document,
        context.decompressor.decompress(frame.bytes, frame.raw_size, storage::k_largest_document));
    TRY(const auto chunk, chunk::Chunk::decode(document));
    if (chunk.problems().empty()) return {};
    return fail(chunk.problems().front().as_error());
}

Result<RestoreReport> restore(const world::World& world, const world::World& backup,
                              const RestoreOptions& options, Progress& progress) {
    RestoreReport report;
    TRY(const auto target,
        Target::open(world, options.dry_run,
                     {.verb = "restore", .command = options.command, .force = options.force}));
    const auto& change = target.change;
    const auto& to = target.store();
    TRY(const auto from, backup.open({}));
    TRY(const auto chunks, candidates(backup, *from, to, options, progress, report.problems));

    std::optional<WritableRegions> writable;
    if (change) writable.emplace(*change);
    const auto named = named_chunks(options.selection);
    const RestoreJob job(to, *from, named);
    Result<void> outcome;
    const auto emit = [&](ChunkPos pos, PreparedRestore& made) {
        progress.step();
        if (made.chunk.what == Restored::missing && !named.contains(pos) && !to.contains(pos).value_or(true))
            return true; // neither of them has it
        const bool writes = made.chunk.what == Restored::replaced || made.chunk.what == Restored::added;
        if (writes && change) {
            if (const auto& problem = writable->problem_of(pos)) {
                made.chunk.what = Restored::stuck;
                made.chunk.problem = located_in_store(Error(*problem), to, pos);
            } else {
                outcome = change->write(pos, {made.frame, made.raw_size});
                if (!outcome) return false;
            }
        }
        count(report, made.chunk);
        if (options.on_chunk) options.on_chunk(made.chunk);
        return true;
    };
    progress.begin("Restoring chunks", chunks.size());
    storage::walk<PreparedRestore>(
        *storage::make_list_cursor(chunks), options.threads,
        {.work = [&](ChunkPos pos, storage::ReadContext& context) { return job.prepare(pos, context); },
         .emit = emit,
         .on_error = {}});
    TRY_DO(std::move(outcome));
    if (change) {
        TRY(report.change, change->finish());
    }
    return report;
}

} // namespace orbis::jobs
