#include "jobs/inspect/count_blocks.hpp"

#include "chunk/chunk_reader.hpp"
#include "storage/walk.hpp"

#include <fmt/format.h>

namespace orbis::jobs {
namespace {

constexpr int k_layer = k_side * k_side;

/// What one chunk adds.
struct Counted {
    std::map<std::string, BlockCount, std::less<>> keys;
    std::vector<Error> problems;
    bool read = false;
};

class Counter {
public:
    Counter(Counted& out, bool by_y) : out_(out), by_y_(by_y) {}

    void section(const chunk::Section& section, int y) {
        // Several entries of an old section are the same block turned differently.
        entries_.clear();
        for (std::size_t i = 0; i < section.blocks.entries().size(); ++i)
            entries_.push_back(&count_of(section.block_key(i)));
        entries_.push_back(&count_of(chunk::k_empty_key)); // cells without an entry
        if (!by_y_) {
            const auto cells = section.blocks.histogram();
            for (std::size_t i = 0; i < cells.size(); ++i) entries_[i]->cells += cells[i];
            return;
        }
        section.blocks.for_each_run([&](auto first, auto end, auto entry) {
            auto& count = *entries_[entry];
            int from = first.value;
            const int to = end.value;
            count.cells += static_cast<std::uint64_t>(to - from);
            while (from < to) {
                const int layer = from / k_layer;
                const auto height = static_cast<std::size_t>(y) * k_side + static_cast<std::size_t>(layer);
                const int until = std::min(to, (layer + 1) * k_layer);
                count.by_y[height] += static_cast<std::uint64_t>(until - from);
                from = until;
            }
        });
    }

private:
    BlockCount& count_of(std::string_view key) {
        auto found = out_.keys.find(key);
        if (found == out_.keys.end()) found = out_.keys.emplace(key, BlockCount{}).first;
        if (by_y_ && found->second.by_y.empty()) found->second.by_y.resize(k_world_height);
        return found->second;
    }

    Counted& out_;
    bool by_y_;
    std::vector<BlockCount*> entries_;
};

Counted count_chunk(const storage::Store& store, ChunkPos pos, chunk::ChunkReader& reader, bool by_y) {
    Counted counted;
    auto read = reader.read(store, pos, chunk::k_blocks);
    if (!read) {
        counted.problems.push_back(std::move(read).error());
        return counted;
    }
    const auto* chunk = *read;
    if (chunk == nullptr) return counted; // removed by another program meanwhile
    counted.problems = reader.problems();
    Counter counter(counted, by_y);
    for (int y = 0; y < k_sections; ++y)
        if (chunk->section(y).block_state != chunk::PartState::broken) counter.section(chunk->section(y), y);
    counted.read = true;
    return counted;
}

void add(BlockCounts& to, Counted& from) {
    to.chunks += from.read ? 1U : 0U;
    for (auto& problem : from.problems) to.problems.push_back(std::move(problem));
    for (auto& [key, count] : from.keys) {
        if (count.cells == 0) continue;
        auto& sum = to.keys[key];
        sum.cells += count.cells;
        if (sum.by_y.size() < count.by_y.size()) sum.by_y.resize(count.by_y.size());
        for (std::size_t y = 0; y < count.by_y.size(); ++y) sum.by_y[y] += count.by_y[y];
    }
}

} // namespace

BlockCounts count_blocks(const storage::Store& store, bool by_y, std::size_t threads, Progress& progress) {
    BlockCounts counts;
    progress.begin("Counting blocks", storage::count_chunks(store));
    storage::walk<Counted, chunk::ChunkReader>(
        store, threads,
        {.work = [&](ChunkPos pos,
                     chunk::ChunkReader& reader) { return count_chunk(store, pos, reader, by_y); },
         .emit =
             [&](ChunkPos, Counted& counted) {
                 add(counts, counted);
                 progress.step();
                 return true;
             },
         .on_error = [&](const Error& problem) { counts.problems.push_back(problem); }});
    return counts;
}

} // namespace orbis::jobs
