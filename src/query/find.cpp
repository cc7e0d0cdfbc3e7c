#include "query/find.hpp"

#include "map/holders.hpp"
#include "query/block_runs.hpp"
#include "query/chunk_rows.hpp"
#include "query/stacks.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace orbis::query {
namespace {

/// The hits of one chunk: its blocks cell by cell, then what it holds beside them.
class FindBatch final : public ChunkBatch {
public:
    FindBatch(Session& session, const FindQuestion& question)
        : session_(session), question_(question), runs_finder_(question.filter), keys_(question.filter) {}

    Result<void> fill(const OpenWorld& world, ChunkPos pos, chunk::ChunkReader& reader) override {
        world_ = &world.world;
        pos_ = pos;
        runs_.clear();
        others_.clear();
        run_ = other_ = 0;
        cell_ = -1;
        chunk_ = nullptr;
        TRY(const auto* chunk, reader.read(*world.store, pos, parts()));
        chunk_ = chunk;
        if (chunk == nullptr) return {};
        for (const auto& problem : reader.problems()) session_.problem(problem);
        const auto sections = question_.filter.sections();
        if (question_.blocks)
            for (int y = 0; y < k_sections; ++y)
                if (sections.contains(y)) runs_finder_.add(chunk->section(y), y, runs_);
        if (question_.items) add_items();
        if (question_.entities) add_entities();
        return {};
    }

    bool next() override {
        while (run_ < runs_.size()) {
            const auto& run = runs_[run_];
            if (cell_ < run.first) begin(run);
            while (++cell_ < run.end)
                if (is_hit(run)) return true;
            ++run_;
            cell_ = -1;
        }
        return other_++ < others_.size();
    }

    /// The hit that `next` went to.
    [[nodiscard]] Hit hit() const {
        if (run_ == runs_.size()) return others_[other_ - 1].hit();
        const auto at = block_at(runs_[run_]);
        return {HitKind::block,
                world_,
                {static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(at.z)},
                runs_[run_].key};
    }

    void column(std::size_t, Cell) const override {}
    [[nodiscard]] std::size_t memory() const override {
        return runs_.capacity() * sizeof(Run) + others_.capacity() * sizeof(Other)
               + (chunk_ == nullptr ? 0 : chunk_->document().size());
    }

private:
    struct Other {
        HitKind kind;
        const world::World* world;
        std::array<double, 3> at;
        std::string_view key;
        std::string_view detail;
        std::int64_t pieces;
        [[nodiscard]] Hit hit() const { return {kind, world, at, key, detail, pieces}; }
    };

    [[nodiscard]] chunk::Parts parts() const {
        chunk::Parts wanted;
        if (question_.blocks) wanted = wanted | chunk::k_blocks | chunk::k_shapes;
        if (question_.items) wanted = wanted | chunk::k_block_components | chunk::k_blocks;
        if (question_.entities) wanted = wanted | chunk::k_entities;
        return wanted;
    }

    [[nodiscard]] BlockPos block_at(const Run& run) const {
        const CellIndex cell(cell_);
        return {pos_.x * k_side + cell.x(), run.section * k_side + cell.y(), pos_.z * k_side + cell.z()};
    }
    void begin(const Run& run) {
        cell_ = run.first - 1;
        const auto& section = chunk_->section(run.section);
        has_fillers_ = section.fillers.kind() != chunk::PaletteKind::empty || section.keys_have_fillers();
    }
    /// Cells with a filler belong to the block whose base is elsewhere.
    [[nodiscard]] bool is_hit(const Run& run) const {
        return is_inside(block_at(run))
               && !(has_fillers_ && chunk_->section(run.section).block_at(CellIndex(cell_)).filler);
    }
    [[nodiscard]] bool is_inside(BlockPos at) const {
        const auto& filter = question_.filter;
        return filter.x.contains(at.x) && filter.y.contains(at.y) && filter.z.contains(at.z);
    }

    /// A container counts once for each kind of item, however many stacks of it are inside.
    void add_items() {
        for (const auto& [index, holder] : chunk_->block_components().entries()) {
            const auto at = index.pos(pos_);
            if (!is_inside(at)) continue;
            by_id_.clear();
            for_each_stack(holder, [&](const StackView& stack) {
                if (!keys_.contains(stack.id)) return;
                const auto [same, is_new] = by_id_.emplace(stack.id, others_.size());
                if (!is_new) {
                    others_[same->second].pieces += stack.quantity;
                    return;
                }
                others_.push_back(
                    {HitKind::item,
                     world_,
                     {static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(at.z)},
                     stack.id,
                     chunk_->block(at).key,
                     stack.quantity});
            });
        }
    }

    /// One that does not say where it is counts where no box is asked for.
    void add_entities() {
        const auto& filter = question_.filter;
        const bool is_boxed = filter.x != Range{} || filter.y != Range{} || filter.z != Range{};
        for (const auto& holder : chunk_->entities().holders()) {
            const auto type = map::entity_type(holder);
            const auto own = map::entity_name(holder);
            if (!keys_.contains(type) && (own.empty() || !keys_.contains(own))) continue;
            const auto at = map::entity_position(holder);
            if (is_boxed && (!at || !is_inside(*at))) continue;
            others_.push_back({HitKind::entity, world_, at.value_or(std::array<double, 3>{}), type, own, 1});
        }
    }
    [[nodiscard]] bool is_inside(const std::array<double, 3>& at) const {
        const auto has = [](Range range, double value) {
            return value >= static_cast<double>(range.least) && value < static_cast<double>(range.most) + 1;
        };
        const auto& filter = question_.filter;
        return has(filter.x, at[0]) && has(filter.y, at[1]) && has(filter.z, at[2]);
    }

    Session& session_;
    const FindQuestion question_;
    BlockRuns runs_finder_;
    WantedKeys keys_;
    const world::World* world_ = nullptr;
    ChunkPos pos_;
    const chunk::Chunk* chunk_ = nullptr;
    std::vector<Run> runs_;
    std::vector<Other> others_;
    std::unordered_map<std::string_view, std::size_t> by_id_; ///< items of the container in work
    std::size_t run_ = 0;
    std::size_t other_ = 0;
    int cell_ = -1;
    bool has_fillers_ = false;
};

/// Keeps the nearest hits, or hands on the first ones.
class Collector {
public:
    Collector(const FindQuestion& question, const std::function<void(const Hit&)>& on_hit)
        : question_(question), on_hit_(on_hit) {}

    void add(const Hit& hit) {
        count(hit);
        if (question_.near) return keep(hit);
        if (question_.limit != 0 && told_ == question_.limit) return;
        ++told_;
        on_hit_(hit);
    }
    [[nodiscard]] bool is_full() const { return question_.limit != 0 && told_ >= question_.limit; }

    /// Tells what was kept; how many there were of each key.
    std::vector<HitCount> finish() {
        std::sort(kept_.begin(), kept_.end());
        for (const auto& kept : kept_)
            on_hit_({kept.kind, kept.world, kept.at, kept.key, kept.detail, kept.pieces});
        std::vector<HitCount> counts;
        for (auto& [key, count] : counts_) counts.push_back(std::move(count));
        std::ranges::stable_sort(counts, std::greater{}, &HitCount::hits);
        return counts;
    }

private:
    struct Kept {
        double distance;
        std::uint64_t number; ///< what is as near comes in the order of the world
        HitKind kind;
        const world::World* world;
        std::array<double, 3> at;
        std::string key;
        std::string detail;
        std::int64_t pieces;
        friend bool operator<(const Kept& a, const Kept& b) {
            return std::tie(a.distance, a.number) < std::tie(b.distance, b.number);
        }
    };

    void count(const Hit& hit) {
        if (last_ == nullptr || hit.kind != last_->kind || hit.key != last_->key) {
            auto found = counts_.find(std::pair(hit.kind, hit.key));
            if (found == counts_.end())
                found = counts_
                            .emplace(std::pair(hit.kind, std::string(hit.key)),
                                     HitCount{hit.kind, std::string(hit.key)})
                            .first;
            last_ = &found->second;
        }
        ++last_->hits;
        last_->pieces += static_cast<std::uint64_t>(std::max<std::int64_t>(hit.pieces, 0));
    }

    void keep(const Hit& hit) {
        double distance = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // The middle of a block is where it is.
            const double middle = hit.kind == HitKind::entity ? 0.0 : 0.5;
            const auto apart = hit.at[axis] + middle - (*question_.near)[axis];
            distance += apart * apart;
        }
        const auto number = number_++;
        const bool is_full = question_.limit != 0 && kept_.size() == question_.limit;
        if (is_full && distance >= kept_.front().distance) return;
        if (is_full) {
            std::pop_heap(kept_.begin(), kept_.end());
            kept_.pop_back();
        }
        kept_.push_back({distance, number, hit.kind, hit.world, hit.at, std::string(hit.key),
                         std::string(hit.detail), hit.pieces});
        std::push_heap(kept_.begin(), kept_.end());
    }

    struct Less {
        using is_transparent = void;
        bool operator()(const auto& a, const auto& b) const {
            return std::pair<HitKind, std::string_view>(a.first, a.second)
                   < std::pair<HitKind, std::string_view>(b.first, b.second);
        }
    };

    const FindQuestion& question_;
    const std::function<void(const Hit&)>& on_hit_;
    std::map<std::pair<HitKind, std::string>, HitCount, Less> counts_;
    HitCount* last_ = nullptr;
    std::vector<Kept> kept_; ///< a heap with the farthest in front
    std::uint64_t number_ = 0;
    std::uint64_t told_ = 0;
};

} // namespace

std::string_view name(HitKind kind) {
    switch (kind) {
    case HitKind::block: return "block";
    case HitKind::item: return "item";
    case HitKind::entity: return "entity";
    }
    return "";
}

Result<std::vector<HitCount>> find(Session& session, const FindQuestion& question,
                                   const std::function<void(const Hit&)>& on_hit) {
    auto listed = question.filter;
    listed.in_order = true;
    if (question.entities) {
        // An entity may stand outside of the chunk that stores it.
        for (auto* range : {&listed.x, &listed.z}) {
            if (range->least > std::numeric_limits<std::int32_t>::min()) range->least -= k_side;
            if (range->most < std::numeric_limits<std::int32_t>::max()) range->most += k_side;
        }
    }
    TRY(const auto scan,
        chunk_rows(session, listed, [&]() { return std::make_unique<FindBatch>(session, question); }));
    Collector collector(question, on_hit);
    while (question.counts_all || !collector.is_full()) {
        TRY(const bool is_there, scan->next());
        if (!is_there) break;
        collector.add(static_cast<const FindBatch&>(scan->batch()).hit());
    }
    return collector.finish();
}

} // namespace orbis::query
