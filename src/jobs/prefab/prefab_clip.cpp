#include "jobs/prefab/prefab_clip.hpp"

#include "bson/view.hpp"
#include "chunk/palette.hpp"
#include "jobs/clip/place_holder.hpp"
#include "jobs/prefab/entity_fixes.hpp"
#include "jobs/prefab/json_format.hpp"

#include <cmath>
#include <numbers>
#include <unordered_set>

namespace orbis::jobs::prefab {

namespace {

constexpr double k_radians_per_degree = std::numbers::pi / 180;

class ClipMaker {
public:
    ClipMaker(const Prefab& prefab, const world::Migrations& migrations, std::vector<std::string>& notes)
        : prefab_(prefab), migrations_(migrations), notes_(notes) {}

    Result<Clip> make() {
        out_.migration_count = static_cast<std::int32_t>(migrations_.count());
        TRY_DO(add_blocks());
        for (const auto& fluid : prefab_.fluids) {
            // The game has no fluid without a level, and no level without a fluid.
            const bool is_empty = fluid.level == 0 || prefab_.keys[fluid.key] == chunk::k_empty_key;
            out_.fluids.push_back({from_anchor(fluid.at),
                                   keys_.id_of(is_empty ? chunk::k_empty_key : prefab_.keys[fluid.key]),
                                   is_empty ? std::uint8_t{0} : fluid.level});
        }
        TRY_DO(add_entities());
        out_.keys = keys_.all();
        return std::move(out_);
    }

private:
    [[nodiscard]] BlockPos from_anchor(BlockPos at) const {
        return {at.x - prefab_.anchor.x, at.y - prefab_.anchor.y, at.z - prefab_.anchor.z};
    }

    Result<void> add_blocks() {
        std::uint64_t by_chance = 0;
        const auto stored = static_cast<std::size_t>(prefab_.block_id_version);
        for (const auto& block : prefab_.blocks) {
            Clip::Block made;
            made.at = from_anchor(block.at);
            made.key = keys_.id_of(migrations_.apply(prefab_.keys[block.key], stored));
            made.rotation = block.rotation;
            made.filler = block.filler;
            made.support = block.support;
            if (block.components != Prefab::k_no_components) {
                TRY(const auto holder,
                    bson::open_validated(prefab_.components[static_cast<std::size_t>(block.components)]));
                made.components = static_cast<std::int32_t>(out_.components.size());
                TRY(auto placed, placed_block_holder(holder, made.at));
                out_.components.push_back(std::move(placed));
            }
            out_.blocks.push_back(made);
            if (block.chance) ++by_chance;
        }
        if (by_chance > 0)
            notes_.push_back(fmt::format("blocks with a chance: {}; they are always there", by_chance));
        return {};
    }

    Result<void> add_entities() {
        const Placement placement{.turn = {},
                                  .dx = -std::int64_t{prefab_.anchor.x},
                                  .dy = -std::int64_t{prefab_.anchor.y},
                                  .dz = -std::int64_t{prefab_.anchor.z}};
        std::uint64_t nowhere = 0;
        for (const auto& entity : prefab_.entities) {
            TRY(const auto holder, bson::open_validated(entity));
            const auto point = entity_point(holder);
            if (!point || !std::isfinite(point->x + point->y + point->z)) {
                ++nowhere;
                continue;
            }
            TRY(auto moved, placed_entity(holder, placement));
            TRY(moved, with_leash_at_its_place(moved));
            if (prefab_.block_id_version < k_first_with_radians) {
                TRY(moved, with_angles_times(moved, k_radians_per_degree));
            }
            out_.entities.push_back(std::move(moved));
        }
        if (nowhere > 0)
            notes_.push_back(fmt::format("entities without a position: {}; they are left out", nowhere));
        return {};
    }

    const Prefab& prefab_;
    const world::Migrations& migrations_;
    std::vector<std::string>& notes_;
    Names keys_;
    Clip out_;
};

} // namespace

Result<Clip> to_clip(const Prefab& prefab, const world::Migrations& migrations,
                     std::vector<std::string>& notes) {
    return ClipMaker(prefab, migrations, notes).make();
}

Result<Prefab> from_clip(const Clip& clip, bool skips_empty) {
    Prefab out;
    out.version = k_json_version;
    out.block_id_version = clip.migration_count;
    std::unordered_set<std::int64_t> listed; // where there is something, or all that is listed
    const auto is_empty = [&](std::uint32_t key) { return clip.keys[key] == chunk::k_empty_key; };
    if (skips_empty) {
        for (const auto& block : clip.blocks)
            if (!is_empty(block.key) || block.components != Clip::k_no_components)
                listed.insert(block.at.packed());
        for (const auto& fluid : clip.fluids)
            if (!is_empty(fluid.key)) listed.insert(fluid.at.packed());
    }
    const auto is_wanted = [&](BlockPos at) { return !skips_empty || listed.contains(at.packed()); };
    for (const auto& block : clip.blocks) {
        if (!is_wanted(block.at)) continue;
        Prefab::Block made;
        made.at = block.at;
        made.key = out.keys.id_of(clip.keys[block.key]);
        made.filler = block.filler;
        made.rotation = block.rotation;
        made.support = block.support;
        if (block.components != Clip::k_no_components) {
            made.components = static_cast<std::int32_t>(out.components.size());
            out.components.push_back(clip.components[static_cast<std::size_t>(block.components)]);
        }
        out.blocks.push_back(made);
    }
    for (const auto& fluid : clip.fluids)
        if (is_wanted(fluid.at))
            out.fluids.push_back({fluid.at, out.keys.id_of(clip.keys[fluid.key]), fluid.level});
    for (const auto& entity : clip.entities) {
        if (clip.migration_count >= k_first_with_radians) {
            out.entities.push_back(entity);
            continue;
        }
        TRY(auto turned, with_angles_times(entity, 1 / k_radians_per_degree));
        out.entities.push_back(std::move(turned));
    }
    sort_cells(out);
    return out;
}

} // namespace orbis::jobs::prefab
