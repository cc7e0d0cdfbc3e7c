#include "jobs/prefab/export_prefab.hpp"

#include "jobs/clip/take_clip.hpp"
#include "jobs/prefab/prefab_clip.hpp"

#include <set>

namespace orbis::jobs::prefab {

namespace {

/// A prefab can only name an anchor that the game can store.
Result<BlockPos> anchor_in(const BlockBox& box, BlockPos anchor) {
    const std::int64_t x = std::int64_t{anchor.x} - box.least.x;
    const std::int64_t y = std::int64_t{anchor.y} - box.least.y;
    const std::int64_t z = std::int64_t{anchor.z} - box.least.z;
    if (std::abs(x) > k_farthest || std::abs(z) > k_farthest || y < k_lowest || y > k_highest)
        return fail(error(Errc::usage, "the anchor {:n} is too far from the box {}", anchor, box)
                        .advise("choose one in or near the box"));
    return BlockPos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), static_cast<std::int32_t>(z)};
}

} // namespace

Result<ExportedPrefab> export_prefab(const storage::Store& store, const BlockBox& box,
                                     const world::Assets& assets, const ExportOptions& options) {
    TRY(const auto anchor, anchor_in(box, options.anchor.value_or(box.least)));
    TakeOptions how;
    how.empty_fluids = true;
    how.entities = options.entities;
    how.most_cells = k_most_cells;
    TRY(auto taken, take_clip(store, box, assets, how));
    if (taken.clip.blocks.empty())
        return fail(error(Errc::not_found, "the world has no chunk in the box {}", box));
    ExportedPrefab out;
    TRY(out.prefab, from_clip(taken.clip, options.skips_empty));
    out.prefab.anchor = anchor;
    out.missing = std::move(taken.missing);
    out.cut = std::move(taken.cut);
    if (!out.cut.empty()) {
        TRY(out.whole, box_with_whole(store, box, std::set<BlockPos>(out.cut.begin(), out.cut.end())));
    }
    return out;
}

} // namespace orbis::jobs::prefab
