#include "query/depths.hpp"

#include "query/block_runs.hpp"
#include "query/chunk_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace orbis::query {
namespace {

constexpr int k_cells_of_layer = k_side * k_side;

/// The runs of a chunk, which has one row for all of them.
class DepthBatch final : public ChunkBatch {
public:
    DepthBatch(Session& session, const Filter& filter) : session_(session), finder_(filter) {}

    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) override {
        runs_.clear();
        chunk_ = nullptr;
        TRY(chunk_, reader.read(*world.store, pos, chunk::k_blocks));
        is_new_ = chunk_ != nullptr;
        if (chunk_ == nullptr) return {};
        for (const auto& problem : reader.problems()) session_.problem(problem);
        for (int y = 0; y < k_sections; ++y) finder_.add(chunk_->section(y), y, runs_);
        return {};
    }
    bool next() override { return std::exchange(is_new_, false); }
    void column(std::size_t, Cell) const override {}
    [[nodiscard]] std::size_t memory() const override {
        return runs_.capacity() * sizeof(Run) + (chunk_ == nullptr ? 0 : chunk_->document().size());
    }
    [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

private:
    Session& session_;
    BlockRuns finder_;
    const chunk::Chunk* chunk_ = nullptr;
    std::vector<Run> runs_;
    bool is_new_ = false;
};

void add_run(const Run& run, ByHeight& out) {
    for (int from = run.first; from < run.end;) {
        const int layer = from / k_cells_of_layer;
        const int until = std::min(run.end, (layer + 1) * k_cells_of_layer);
        out[static_cast<std::size_t>(run.section * k_side + layer)] +=
            static_cast<std::uint64_t>(until - from);
        from = until;
    }
}

} // namespace

Result<Depths> count_by_height(Session& session, Filter filter) {
    filter.in_order = false;
    TRY(const auto scan,
        chunk_rows(session, filter, [&]() { return std::make_unique<DepthBatch>(session, filter); }));
    Depths found;
    while (true) {
        TRY(const bool is_there, scan->next());
        if (!is_there) return found;
        ++found.chunks;
        std::string_view last;
        ByHeight* heights = nullptr;
        for (const auto& run : static_cast<const DepthBatch&>(scan->batch()).runs()) {
            if (heights == nullptr || run.key != last) {
                heights = &found.keys[std::string(run.key)];
                last = run.key;
            }
            add_run(run, *heights);
        }
    }
}

} // namespace orbis::query
