#include "jobs/cells/edit_plan.hpp"

#include "storage/walk.hpp"

#include <array>
#include <limits>
#include <utility>

namespace orbis::jobs {
namespace {

/// Light goes this far.
constexpr int k_light_reach = 15;
/// A cell is at most this far from its base.
constexpr int k_filler_reach = 16;

constexpr std::array<ChunkPos, 8> k_around{
    {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};

std::optional<ChunkPos> beside(ChunkPos pos, ChunkPos step) {
    const auto x = std::int64_t{pos.x} + step.x;
    const auto z = std::int64_t{pos.z} + step.z;
    constexpr std::int64_t k_last = std::numeric_limits<std::int32_t>::max() >> 5;
    if (x < -k_last || x > k_last || z < -k_last || z > k_last) return std::nullopt;
    return ChunkPos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)};
}

/// Whether a cell of these columns is at most `reach` blocks from the neighbour in that direction.
bool is_near(const std::array<std::uint32_t, k_side>& columns, ChunkPos step, int reach) {
    const auto low = (std::uint32_t{1} << reach) - 1;
    const auto x_bits = step.x < 0 ? low : step.x > 0 ? low << (k_side - reach) : ~std::uint32_t{0};
    for (int z = 0; z < k_side; ++z) {
        if (step.z < 0 && z >= reach) continue;
        if (step.z > 0 && z < k_side - reach) continue;
        if ((columns[static_cast<std::size_t>(z)] & x_bits) != 0) return true;
    }
    return false;
}

/// Whether no chunk around `pos` in its region is still to come: they come row by row.
bool came_after_all_around(ChunkPos last, ChunkPos pos) {
    return last.region() != pos.region() || last.slot().value > pos.slot().value + k_side;
}

} // namespace

void EditPlan::add(ChunkPos pos, LookedAt& found, EditReport& report) {
    {
        const std::scoped_lock lock(mutex_);
        last_ = pos;
    }
    exists_.insert(pos);
    if (found.is_outside) return;
    walked_.insert(pos);
    if (found.problem) {
        report.problems.push_back(*std::move(found.problem));
        damaged_.insert(pos);
        return;
    }
    if (!found.is_there) {
        ++report.missing;
        return;
    }
    report.counts += found.counts;
    add_cut(found.cut);
    if (found.stale != 0) mark_around(pos, found);
    if (!found.changes) return;
    ++report.chunks;
    report.created += found.is_new ? 1U : 0U;
    auto& planned = chunks_[pos];
    planned.edited = true;
    planned.created = found.is_new;
    for (const auto step : k_around)
        if (const auto next = beside(pos, step); next && is_near(found.columns, step, k_filler_reach))
            beside_.insert(*next);
    planned.frame = std::move(found.frame);
    if (!found.draft) return;
    const std::scoped_lock lock(mutex_);
    waiting_.push_back({*std::move(found.draft), &planned, pos});
}

void EditPlan::mark_around(ChunkPos pos, const LookedAt& found) {
    const std::scoped_lock lock(mutex_);
    const auto marks = found.stale | found.stale << 1 | found.stale >> 1;
    for (const auto step : k_around)
        if (const auto next = beside(pos, step); next && is_near(found.columns, step, k_light_reach))
            stale_[*next] = static_cast<SectionBits>(stale_[*next] | marks);
}

void EditPlan::add_cut(CutBlocks& cut) {
    bases_.merge(cut.bases);
    cut_cells_.merge(cut.cells);
}

std::optional<EditPlan::Waiting> EditPlan::take_draft() {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty() || !came_after_all_around(last_, waiting_.front().pos)) return std::nullopt;
    return take_first();
}

std::vector<EditPlan::Waiting> EditPlan::take_drafts() {
    const std::scoped_lock lock(mutex_);
    std::vector<Waiting> all;
    while (!waiting_.empty()) all.push_back(take_first());
    return all;
}

EditPlan::Waiting EditPlan::take_first() {
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    if (const auto marks = stale_.find(first.pos); marks != stale_.end()) first.stale = marks->second;
    return first;
}

std::vector<ChunkPos> EditPlan::beside_edited() const {
    std::vector<ChunkPos> out;
    beside_.for_each([&](ChunkPos pos) {
        if (!walked_.contains(pos) && may_exist(pos)) out.push_back(pos);
    });
    return storage::in_region_order(out);
}

void EditPlan::finish(EditReport& report) {
    report.cut_blocks = bases_.size();
    for (const auto cell : cut_cells_) {
        if (damaged_.contains(cell.chunk())) continue;
        ++report.counts.cut_cells;
        auto& planned = chunks_[cell.chunk()];
        if (planned.emptied.empty() && !planned.edited) ++report.chunks;
        planned.emptied.insert(cell);
    }
    for (const auto& [pos, stale] : stale_) {
        if (damaged_.contains(pos)) continue;
        const auto known = chunks_.find(pos);
        if (known == chunks_.end() && !(may_exist(pos) && store_.contains(pos).value_or(false))) continue;
        chunks_[pos].stale |= stale;
    }
}

std::vector<ChunkPos> EditPlan::positions() const {
    std::vector<ChunkPos> out;
    out.reserve(chunks_.size());
    for (const auto& [pos, planned] : chunks_) out.push_back(pos);
    return storage::in_region_order(out);
}

} // namespace orbis::jobs
