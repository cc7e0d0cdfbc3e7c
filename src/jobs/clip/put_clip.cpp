#include "jobs/clip/put_clip.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

namespace orbis::jobs {
namespace {

bool is_inside(const BlockBox& box, const bson::Document& entity) {
    const auto point = entity_point(entity);
    if (!point) return false;
    const auto between = [](double value, std::int32_t least, std::int32_t most) {
        return value >= least && value < double{1} + most;
    };
    return between(point->x, box.least.x, box.most.x) && between(point->y, box.least.y, box.most.y)
           && between(point->z, box.least.z, box.most.z);
}

/// One chunk and the part of the clip that goes into it.
class ClipWork final : public ChunkWork {
public:
    ClipWork(ChunkPos pos, ClipPart part, const PutOptions& options, const ClipEditExtras& extras,
             const world::Assets& assets)
        : pos_(pos), part_(std::move(part)), options_(options), extras_(extras), assets_(assets) {}

    /// Which cells are changed; false if there is nothing to do.
    bool choose(const chunk::Chunk& chunk, CellSet& cells) {
        if (part_.clip) choose_from_clip(chunk, cells);
        if (extras_.cleared) choose_cleared(chunk, cells);
        return !cells.empty() || !fluids_.empty() || !part_.entities.empty() || removes_entities(chunk);
    }

    Result<void> apply(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) override {
        counts.area += area_;
        counts.cells += cells.count();
        TRY_DO(clear(chunk, counts));
        TRY_DO(blocks(chunk, counts));
        TRY_DO(fluids(chunk, counts));
        return entities(chunk, counts);
    }

private:
    [[nodiscard]] BlockPos place(BlockPos at) const {
        return {part_.origin.x + at.x, part_.origin.y + at.y, part_.origin.z + at.z};
    }

    void choose_from_clip(const chunk::Chunk& chunk, CellSet& cells) {
        const auto& clip = *part_.clip;
        area_ = part_.blocks.size();
        const auto passes = [&](std::uint32_t key, BlockPos pos) {
            if (options_.skip_empty && clip.keys[key] == chunk::k_empty_key) return false;
            return !options_.mask || options_.mask(chunk.block(pos).key);
        };
        for (const auto i : part_.blocks) {
            const auto pos = place(clip.blocks[i].at);
            if (!passes(clip.blocks[i].key, pos)) continue;
            blocks_.push_back(i);
            filled_.insert(pos);
            cells.insert(pos);
        }
        for (const auto i : part_.fluids)
            if (passes(clip.fluids[i].key, place(clip.fluids[i].at))) fluids_.push_back(i);
    }

    /// The cells that a move leaves behind.
    void choose_cleared(const chunk::Chunk& chunk, CellSet& cells) {
        const auto part = extras_.cleared->shared_with(BlockBox::of(pos_));
        if (!part) return;
        for (auto y = part->least.y; y <= part->most.y; ++y)
            for (auto z = part->least.z; z <= part->most.z; ++z)
                for (auto x = part->least.x; x <= part->most.x; ++x) {
                    const BlockPos pos{x, y, z};
                    if (filled_.contains(pos)) continue;
                    if (!extras_.kept.empty() && extras_.kept.contains(chunk.block(pos).filler.base(pos)))
                        continue;
                    cleared_.insert(pos);
                    cells.insert(pos);
                }
    }

    [[nodiscard]] bool removes(const bson::Document& entity) const {
        return (extras_.entities_removed && is_inside(*extras_.entities_removed, entity))
               || (extras_.cleared && is_inside(*extras_.cleared, entity));
    }
    [[nodiscard]] bool removes_entities(const chunk::Chunk& chunk) const {
        return std::ranges::any_of(chunk.entities().holders(),
                                   [this](const auto& entity) { return removes(entity); });
    }

    Result<void> clear(chunk::Chunk& chunk, EditCounts& counts) {
        if (cleared_.empty()) return {};
        TRY_DO(remove_fluids(chunk, cleared_, counts));
        narrow_to_blocks(chunk, cleared_);
        return put_block(chunk, cleared_, {}, counts);
    }

    /// Without the cells that are empty already.
    static void narrow_to_blocks(const chunk::Chunk& chunk, CellSet& cells) {
        for (int y = 0; y < k_sections; ++y) {
            if (!cells.any(y)) continue;
            const auto& section = chunk.section(y);
            chunk::keep_cells(section.blocks, cells.edit(y), [&](std::size_t entry) {
                return section.block_key(entry) != chunk::k_empty_key;
            });
            cells.settle(y);
        }
    }

    static Result<void> remove_fluids(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) {
        for (int y = 0; y < k_sections; ++y) {
            if (!cells.any(y)) continue;
            const auto& before = chunk.section(y);
            if (before.fluids.kind() == chunk::PaletteKind::empty && !before.keys_have_fluids()) continue;
            TRY(auto* section, chunk.edit_section(y));
            const auto removed = section->fluids.fill(cells.words(y), chunk::k_empty_key);
            cells.for_each(y, [&](CellIndex cell) { section->levels.set(cell, 0); });
            counts.fluids += removed;
            if (removed != 0) TRY_DO(chunk.touch_blocks(y, std::array<std::uint32_t, k_side>{}));
        }
        return {};
    }

    Result<void> blocks(chunk::Chunk& chunk, EditCounts& counts) {
        if (blocks_.empty()) return {};
        TRY_DO(drop_belongings(chunk, counts));
        std::array<std::vector<std::uint32_t>, k_sections> by_section;
        for (const auto i : blocks_)
            by_section[static_cast<std::size_t>(place(part_.clip->blocks[i].at).y >> 5)].push_back(i);
        for (int y = 0; y < k_sections; ++y)
            if (const auto& here = by_section[static_cast<std::size_t>(y)]; !here.empty())
                TRY_DO(section(chunk, y, here, counts));
        return {};
    }

    /// What belongs to the blocks before; components that stay the same are left alone.
    Result<void> drop_belongings(chunk::Chunk& chunk, EditCounts& counts) {
        auto gone = filled_;
        for (const auto i : blocks_) {
            const auto& block = part_.clip->blocks[i];
            if (block.components == Clip::k_no_components) continue;
            const auto pos = place(block.at);
            const auto& holder = part_.clip->components[static_cast<std::size_t>(block.components)];
            TRY(const auto document, bson::Document::open(holder));
            TRY(auto placed, placed_block_holder(document, {pos.x & 31, pos.y, pos.z & 31}));
            const auto before = chunk.block_components().find(chunk::BlockIndex(pos));
            if (before && std::ranges::equal(before->bytes(), placed)) {
                gone.erase(pos.y >> 5, pos.cell());
                continue;
            }
            TRY(auto* components, chunk.edit_block_components());
            gone.erase(pos.y >> 5, pos.cell());
            if (!chunk.health().damaged().empty() || !chunk.health().fragile().empty()) {
                TRY(auto* health, chunk.edit_health());
                health->forget(pos);
            }
            TRY_DO(components->set(chunk::BlockIndex(pos), std::move(placed)));
            ++counts.components;
        }
        for (int y = 0; y < k_sections; ++y) gone.settle(y);
        return remove_belongings(chunk, gone, counts);
    }

    Result<void> section(chunk::Chunk& chunk, int y, const std::vector<std::uint32_t>& here,
                         EditCounts& counts) {
        const auto& clip = *part_.clip;
        TRY(auto* section, chunk.edit_section(y));
        chunk::Migrations table{0, {}};
        std::vector<std::optional<std::string>> keys(clip.keys.size());
        std::array<std::uint32_t, k_side> columns{};
        bool any = false;
        const auto key_of = [&](std::uint32_t number) -> Result<std::string_view> {
            if (clip.keys[number] == chunk::k_empty_key) return chunk::k_empty_key;
            if (!table.apply) {
                TRY(table, agree_on_keys(chunk, y, clip.migration_count, assets_));
            }
            auto& key = keys[number];
            if (!key) key = std::string(table.apply(clip.keys[number], clip.migration_count));
            return std::string_view(*key);
        };
        for (const auto i : here) {
            const auto& block = clip.blocks[i];
            const auto pos = place(block.at);
            const auto cell = pos.cell();
            TRY(const auto key, key_of(block.key));
            bool other = section->blocks.set(cell, key);
            other = section->fillers.set(cell, block.filler.stored) || other;
            other = section->rotations.set(cell, block.rotation.index) || other;
            section->supports.set(cell, block.support);
            section->ticking.set(cell, block.ticks && key != chunk::k_empty_key);
            if (!other) continue;
            any = true;
            ++counts.blocks;
            columns[static_cast<std::size_t>(cell.z())] |= std::uint32_t{1} << cell.x();
        }
        if (any) TRY_DO(chunk.touch_blocks(y, columns));
        return {};
    }

    Result<void> fluids(chunk::Chunk& chunk, EditCounts& counts) {
        if (options_.clears_fluids) {
            auto dry = filled_;
            for (const auto i : fluids_)
                if (const auto pos = place(part_.clip->fluids[i].at); dry.contains(pos))
                    dry.erase(pos.y >> 5, pos.cell());
            for (int y = 0; y < k_sections; ++y) dry.settle(y);
            TRY_DO(remove_fluids(chunk, dry, counts));
        }
        for (const auto i : fluids_) {
            const auto& fluid = part_.clip->fluids[i];
            const auto pos = place(fluid.at);
            const auto& key = part_.clip->keys[fluid.key];
            const auto before = chunk.fluid(pos);
            const bool none = fluid.level == 0 || key == chunk::k_empty_key;
            const chunk::FluidState now = none ? chunk::FluidState{} : chunk::FluidState{key, fluid.level};
            if (before == now) continue;
            TRY_DO(chunk.set_fluid(pos, now));
            ++counts.fluids;
        }
        return {};
    }

    Result<void> entities(chunk::Chunk& chunk, EditCounts& counts) {
        if (part_.entities.empty() && !removes_entities(chunk)) return {};
        TRY(auto* entities, chunk.edit_entities());
        for (auto i = entities->holders().size(); i-- > 0;) {
            if (!removes(entities->holders()[i])) continue;
            entities->remove(i);
            ++counts.entities_removed;
        }
        for (const auto& entity : part_.entities) {
            TRY_DO(entities->add(entity));
            ++counts.entities_added;
        }
        return {};
    }

    ChunkPos pos_;
    ClipPart part_;
    const PutOptions& options_;
    const ClipEditExtras& extras_;
    const world::Assets& assets_;
    std::uint64_t area_ = 0;
    std::vector<std::uint32_t> blocks_;
    std::vector<std::uint32_t> fluids_;
    CellSet filled_;
    CellSet cleared_;
};

class ClipEdit final : public ChunkEdit {
public:
    ClipEdit(const ClipSource& source, const PutOptions& options, const ClipEditExtras& extras,
             const world::Assets& assets)
        : source_(source), options_(options), extras_(extras), assets_(assets) {}

    [[nodiscard]] std::optional<std::vector<ChunkPos>> chunks() const override {
        const auto from = source_.chunks();
        std::set<ChunkPos> out(from.begin(), from.end());
        for (const auto* box : boxes())
            for (auto x = box->least.x >> 5; x <= box->most.x >> 5; ++x)
                for (auto z = box->least.z >> 5; z <= box->most.z >> 5; ++z) out.insert({x, z});
        return std::vector<ChunkPos>(out.begin(), out.end());
    }
    [[nodiscard]] bool touches(ChunkPos pos) const override {
        return source_.touches(pos)
               || std::ranges::any_of(boxes(), [pos](const auto* box) { return box->touches(pos); });
    }
    Result<std::unique_ptr<ChunkWork>> look(ChunkPos pos, const chunk::Chunk& chunk,
                                            CellSet& cells) const override {
        ClipPart part;
        if (source_.touches(pos)) {
            TRY(part, source_.part(pos));
        }
        auto work = std::make_unique<ClipWork>(pos, std::move(part), options_, extras_, assets_);
        if (!work->choose(chunk, cells)) return nullptr;
        return work;
    }
    void miss(ChunkPos pos) const override {
        if (!source_.touches(pos)) return;
        const auto part = source_.part(pos);
        if (!part) return;
        cells_missing += part->blocks.size();
        entities_missing += part->entities.size();
    }

    mutable std::atomic<std::uint64_t> cells_missing = 0;
    mutable std::atomic<std::uint64_t> entities_missing = 0;

private:
    [[nodiscard]] std::vector<const BlockBox*> boxes() const {
        std::vector<const BlockBox*> out;
        if (extras_.cleared) out.push_back(&*extras_.cleared);
        if (extras_.entities_removed) out.push_back(&*extras_.entities_removed);
        return out;
    }

    const ClipSource& source_;
    const PutOptions& options_;
    const ClipEditExtras& extras_;
    const world::Assets& assets_;
};

} // namespace

Result<PutReport> put_parts(const world::World& world, const ClipSource& source, const PutOptions& options,
                            const ClipEditExtras& extras, const world::Assets& assets, Progress& progress) {
    const ClipEdit edit(source, options, extras, assets);
    TRY(auto done, edit_chunks(world, assets, edit, options.edit, progress));
    PutReport report{std::move(done)};
    report.cells_without_chunk = edit.cells_missing;
    report.entities_without_chunk = edit.entities_missing;
    return report;
}

Result<PutReport> put_clip(const world::World& world, const Clip& clip, BlockPos origin,
                           const PutOptions& options, const world::Assets& assets, Progress& progress) {
    TRY(const auto source, make_clip_source(clip, origin, options));
    ClipEditExtras extras;
    if (options.replace_entities) {
        TRY(const auto whole, turned(clip, options.turn));
        if (auto box = bounds(whole)) {
            for (auto* corner : {&box->least, &box->most})
                *corner = {corner->x + origin.x, corner->y + origin.y, corner->z + origin.z};
            extras.entities_removed = *box;
        }
    }
    return put_parts(world, *source, options, extras, assets, progress);
}

} // namespace orbis::jobs
