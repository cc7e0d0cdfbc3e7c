#include "care/compare/diff_worlds.hpp"

#include "storage/region_store.hpp"
#include "storage/walk.hpp"

#include <algorithm>

namespace orbis::care {
namespace {

using State = ComparedChunk::State;

Error located_in_file(Error&& error, const storage::Store& store, ChunkPos pos) {
    return std::move(error).in_file(chunk_file(store, pos)).at(pos);
}

void add_sums(ChunkDiff& to, const ChunkDiff& from) {
    to.blocks += from.blocks;
    to.fluids += from.fluids;
    to.supports += from.supports;
    to.ticking += from.ticking;
    to.light_sections += from.light_sections;
    to.heights += from.heights;
    to.tints += from.tints;
    to.environments += from.environments;
    to.components += from.components;
    to.entities += from.entities;
    to.health = to.health || from.health;
}

void add(WorldDiff& to, const ComparedChunk& chunk) {
    switch (chunk.state) {
    case State::equal:
        ++to.equal;
        to.same_bytes += chunk.same_bytes ? 1U : 0U;
        break;
    case State::added: ++to.added; break;
    case State::removed: ++to.removed; break;
    case State::unreadable: ++to.unreadable; break;
    case State::changed:
        ++to.changed;
        add_sums(to.total, chunk.diff);
        break;
    }
}

} // namespace

std::string chunk_file(const storage::Store& store, ChunkPos pos) {
    const auto* files = dynamic_cast<const storage::RegionStore*>(&store);
    if (files == nullptr) return store.name();
    const auto region = files->region(pos.region());
    return region && *region ? (*region)->name() : store.name();
}

std::string_view name(State state) {
    switch (state) {
    case State::equal: return "equal";
    case State::added: return "added";
    case State::removed: return "removed";
    case State::changed: return "changed";
    case State::unreadable: return "unreadable";
    }
    return "unreadable";
}

ComparedChunk PairReader::compare(ChunkPos pos, const storage::Store& first, const storage::Store& second,
                                  const DiffOptions& options) {
    ComparedChunk out;
    out.pos = pos;
    const auto unreadable = [&](Error&& error, const storage::Store& store) {
        out.state = State::unreadable;
        out.problems.push_back(located_in_file(std::move(error), store, pos));
    };
    if (first.keeps_frames() && second.keeps_frames()) {
        const auto a = first.read_frame(pos, before_context);
        const auto b = second.read_frame(pos, after_context);
        if (a && b && *a && *b && (*a)->raw_size == (*b)->raw_size
            && std::ranges::equal((*a)->bytes, (*b)->bytes)) {
            out.same_bytes = true;
            return out;
        }
    }
    auto a = first.read(pos, before_context);
    auto b = second.read(pos, after_context);
    if (!a) unreadable(std::move(a).error(), first);
    if (!b) unreadable(std::move(b).error(), second);
    if (!a || !b) return out;
    if (!*a || !*b) {
        if (*a) out.state = State::removed;
        if (*b) out.state = State::added;
        return out;
    }
    if (std::ranges::equal(**a, **b)) {
        out.same_bytes = true;
        return out;
    }
    const auto parts = ChunkComparer::parts(options);
    auto read_a = before.read(**a, parts);
    auto read_b = after.read(**b, parts);
    if (!read_a) unreadable(std::move(read_a).error(), first);
    if (!read_b) unreadable(std::move(read_b).error(), second);
    if (!read_a || !read_b) return out;
    out.diff = comparer.compare(pos, before, after, options);
    if (!out.diff.empty()) out.state = State::changed;
    if (out.diff.unreadable.empty()) return out;
    // A damaged part that both have in the same bytes is no difference and no news.
    for (const auto& [chunk, store] : {std::pair{&before, &first}, std::pair{&after, &second}})
        for (const auto& problem : chunk->problems())
            out.problems.push_back(
                located_in_file(error(problem.error.code, "{}", problem.text()), *store, pos));
    return out;
}

std::unique_ptr<PairReader> PairReaders::borrow() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<PairReader>();
    auto reader = std::move(free_.back());
    free_.pop_back();
    return reader;
}

void PairReaders::give_back(std::unique_ptr<PairReader> reader) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(reader));
}

WorldDiff diff_worlds(const WorldDiffJob& job, Progress& progress) {
    WorldDiff sums;
    PairReaders readers;
    const auto wanted = [&](ChunkPos pos) { return !job.wanted || job.wanted(pos); };
    bool stopped = false;
    using Made = std::optional<ComparedChunk>;
    const auto emit = [&](ChunkPos, Made& chunk) {
        progress.step();
        if (!chunk) return true;
        add(sums, *chunk);
        if (job.on_chunk && !job.on_chunk(*chunk)) stopped = true;
        return !stopped;
    };
    const auto on_error = [&](const Error& error) {
        ++sums.unreadable_regions;
        if (job.on_error) job.on_error(error);
    };
    progress.begin("Comparing chunks", storage::count_chunks(job.before) + storage::count_chunks(job.after));
    storage::walk<Made>(job.before, job.threads,
                        {.work = [&](ChunkPos pos, storage::ReadContext&) -> Made {
                             if (!wanted(pos)) return std::nullopt;
                             auto reader = readers.borrow();
                             auto chunk = reader->compare(pos, job.before, job.after, job.options);
                             readers.give_back(std::move(reader));
                             return chunk;
                         },
                         .emit = emit,
                         .on_error = on_error});
    if (stopped) return sums;
    storage::walk<Made>(job.after, job.threads,
                        {.work = [&](ChunkPos pos, storage::ReadContext&) -> Made {
                             if (!wanted(pos)) return std::nullopt;
                             // Where it cannot be told, the region of the first world was reported already.
                             if (job.before.contains(pos).value_or(true)) return std::nullopt;
                             ComparedChunk chunk;
                             chunk.pos = pos;
                             chunk.state = State::added;
                             return chunk;
                         },
                         .emit = emit,
                         .on_error = on_error});
    return sums;
}

} // namespace orbis::care
