#include "jobs/compare/diff_worlds.hpp"

#include "storage/walk.hpp"

#include <algorithm>

namespace orbis::jobs {
namespace {

using State = ComparedChunk::State;

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
    const auto unreadable = [&](Error&& error) {
        out.state = State::unreadable;
        out.problems.push_back(std::move(error));
    };
    if (first.keeps_compressed() && second.keeps_compressed()) {
        const auto a = first.read_compressed(pos, before.context());
        const auto b = second.read_compressed(pos, after.context());
        if (a && b && *a && *b && (*a)->raw_size == (*b)->raw_size
            && std::ranges::equal((*a)->bytes, (*b)->bytes)) {
            out.same_bytes = true;
            return out;
        }
    }
    auto a = before.load(first, pos);
    auto b = after.load(second, pos);
    if (!a) unreadable(std::move(a).error());
    if (!b) unreadable(std::move(b).error());
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
    auto read_a = before.decode(parts);
    auto read_b = after.decode(parts);
    if (!read_a) unreadable(std::move(read_a).error());
    if (!read_b) unreadable(std::move(read_b).error());
    if (!read_a || !read_b) return out;
    out.diff = comparer.compare(pos, **read_a, **read_b, options);
    if (!out.diff.empty()) out.state = State::changed;
    if (out.diff.unreadable.empty()) return out;
    // A damaged part that both have in the same bytes is no difference and not reported.
    for (const auto* reader : {&before, &after})
        for (auto& problem : reader->problems()) out.problems.push_back(std::move(problem));
    return out;
}

WorldDiff diff_worlds(const WorldDiffJob& job, Progress& progress) {
    WorldDiff sums;
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
    storage::walk<Made, PairReader>(job.before, job.threads,
                                    {.work = [&](ChunkPos pos, PairReader& reader) -> Made {
                                         if (!wanted(pos)) return std::nullopt;
                                         return reader.compare(pos, job.before, job.after, job.options);
                                     },
                                     .emit = emit,
                                     .on_error = on_error});
    if (stopped) return sums;
    storage::walk<Made>(job.after, job.threads,
                        {.work = [&](ChunkPos pos, storage::ReadContext&) -> Made {
                             if (!wanted(pos)) return std::nullopt;
                             // If that is unknown, the region of the first world was reported already.
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

} // namespace orbis::jobs
