#include "jobs/edit/copy_cells.hpp"

#include "chunk/chunk_reader.hpp"
#include "jobs/edit/fill_cells.hpp"
#include "jobs/edit/remove_entities.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace orbis::jobs {
namespace {

constexpr std::int64_t k_copy_reach = std::int64_t{1} << 26;

/// From the source to the target: turned around the least corner of the box, then moved.
struct CopyPath {
    BlockPos corner; ///< of the box
    Turn turn;
    BlockPos origin; ///< where the corner goes

    static Result<CopyPath> make(const BlockBox& box, const Turn& turn, BlockPos to) {
        const auto opposite = turn.apply(
            BlockPos{box.most.x - box.least.x, box.most.y - box.least.y, box.most.z - box.least.z});
        const BlockPos origin{to.x - std::min(0, opposite.x), to.y, to.z - std::min(0, opposite.z)};
        const auto beyond = [](std::int64_t from, std::int64_t length) {
            return from < -k_copy_reach || from + length >= k_copy_reach;
        };
        if (beyond(to.x, std::abs(opposite.x)) || beyond(to.z, std::abs(opposite.z)))
            return fail(Errc::usage, "the copy would reach beyond the edge of the world, at {} blocks",
                        k_copy_reach);
        if (to.y < 0 || std::int64_t{to.y} + opposite.y >= k_world_height)
            return fail(error(Errc::usage,
                              "the copy would reach from y {} to y {}, but the world goes from 0 to {}", to.y,
                              std::int64_t{to.y} + opposite.y, k_world_height - 1)
                            .advise(fmt::format("use a y from 0 to {}", k_world_height - 1 - opposite.y)));
        return CopyPath{box.least, turn, origin};
    }

    [[nodiscard]] BlockPos there(BlockPos pos) const {
        const auto turned = turn.apply(BlockPos{pos.x - corner.x, pos.y - corner.y, pos.z - corner.z});
        return {origin.x + turned.x, origin.y + turned.y, origin.z + turned.z};
    }
    [[nodiscard]] BlockPos back(BlockPos pos) const {
        const auto turned =
            turn.inverse().apply(BlockPos{pos.x - origin.x, pos.y - origin.y, pos.z - origin.z});
        return {corner.x + turned.x, corner.y + turned.y, corner.z + turned.z};
    }
    static BlockBox box_of(BlockPos a, BlockPos b) {
        return {{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
                {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}};
    }
    [[nodiscard]] BlockBox there(const BlockBox& box) const {
        return box_of(there(box.least), there(box.most));
    }
    [[nodiscard]] BlockBox back(const BlockBox& box) const { return box_of(back(box.least), back(box.most)); }
};

/// Each chunk of the target takes its part out of the source.
class LargeCopy final : public ClipSource {
public:
    LargeCopy(const storage::Store& store, const world::Assets& assets, const CopyOptions& options,
              const CopyPath& path, std::set<BlockPos> left_out, NewIds ids)
        : store_(store),
          assets_(assets),
          options_(options),
          path_(path),
          target_(path.there(options.box)),
          left_out_(std::move(left_out)),
          ids_(std::move(ids)) {}

    [[nodiscard]] std::vector<ChunkPos> chunks() const override {
        std::vector<ChunkPos> out;
        for (int x = target_.least.x >> 5; x <= target_.most.x >> 5; ++x)
            for (int z = target_.least.z >> 5; z <= target_.most.z >> 5; ++z) out.push_back({x, z});
        return out;
    }
    [[nodiscard]] bool touches(ChunkPos pos) const override { return target_.touches(pos); }

    [[nodiscard]] Result<ClipPart> part(ChunkPos pos) const override {
        const auto here = target_.shared_with(BlockBox::of(pos));
        if (!here) return ClipPart{};
        auto from = path_.back(*here);
        // A mirrored block must be seen as a whole.
        if (options_.turn.mirrored) from = grown(from);
        TRY(auto taken, take_clip(store_, from, assets_,
                                  {.empty_blocks = !options_.skip_empty,
                                   .entities = options_.entities,
                                   .left_out = &left_out_}));
        TRY(auto clip, turned(std::move(taken.clip), options_.turn));
        ClipPart part;
        // The clip counts from the corner of its own box.
        part.origin = path_.there(from.least);
        part.clip = std::make_shared<const Clip>(std::move(clip));
        const auto is_here = [&](BlockPos at) {
            return here->contains({part.origin.x + at.x, part.origin.y + at.y, part.origin.z + at.z});
        };
        for (std::uint32_t i = 0; i < part.clip->blocks.size(); ++i)
            if (is_here(part.clip->blocks[i].at)) part.blocks.push_back(i);
        for (std::uint32_t i = 0; i < part.clip->fluids.size(); ++i)
            if (is_here(part.clip->fluids[i].at)) part.fluids.push_back(i);
        for (const auto& entity : part.clip->entities) TRY_DO(add_entity(part, *here, entity));
        return part;
    }

private:
    [[nodiscard]] BlockBox grown(const BlockBox& box) const {
        const BlockBox larger{
            {box.least.x - 16, std::max(box.least.y - 16, 0), box.least.z - 16},
            {box.most.x + 16, std::min(box.most.y + 16, k_world_height - 1), box.most.z + 16}};
        return *larger.shared_with(options_.box);
    }

    Result<void> add_entity(ClipPart& part, const BlockBox& here, const Buffer& entity) const {
        TRY(const auto document, bson::Document::open(entity));
        TRY(auto placed, placed_entity(document, {.turn = {},
                                                  .dx = part.origin.x,
                                                  .dy = part.origin.y,
                                                  .dz = part.origin.z,
                                                  .ids = options_.moves ? nullptr : &ids_}));
        TRY(const auto there, bson::Document::open(placed));
        const auto point = entity_point(there);
        if (!point) return {};
        // One that stood exactly on a border must not leave its chunk by being turned.
        const auto inside = [](double value, std::int32_t least, std::int32_t most) {
            return std::clamp(value, double{1} * least, std::nextafter(most + 1.0, least));
        };
        const Turn::Point kept{inside(point->x, here.least.x, here.most.x), point->y,
                               inside(point->z, here.least.z, here.most.z)};
        if (std::abs(kept.x - point->x) > 1e-3 || std::abs(kept.z - point->z) > 1e-3)
            return {}; // of the part around a mirrored one
        if (kept != *point) {
            TRY(placed, with_entity_point(there, kept));
        }
        part.entities.push_back(std::move(placed));
        return {};
    }

    const storage::Store& store_;
    const world::Assets& assets_;
    const CopyOptions& options_;
    CopyPath path_;
    BlockBox target_;
    std::set<BlockPos> left_out_;
    NewIds ids_;
};

/// An entity may refer to others, so all ids of a copy must be known.
Result<void> collect_ids(const storage::Store& store, const BlockBox& box, NewIds& ids,
                         std::uint64_t& missing) {
    chunk::ChunkReader reader;
    for (int x = box.least.x >> 5; x <= box.most.x >> 5; ++x)
        for (int z = box.least.z >> 5; z <= box.most.z >> 5; ++z) {
            TRY(const auto* chunk, reader.read(store, {x, z}, chunk::k_entities));
            if (chunk == nullptr) {
                ++missing;
                continue;
            }
            for (const auto& entity : chunk->entities().holders()) ids.add_all_of(entity);
        }
    return {};
}

Error cut_error(const storage::Store& store, const BlockBox& box, const std::set<BlockPos>& cut) {
    std::string places;
    std::size_t shown = 0;
    for (const auto base : cut) {
        if (shown++ == 5) break;
        places += fmt::format("{}{:n}", places.empty() ? "" : "; ", base);
    }
    if (cut.size() > 5) places += fmt::format(" and {} more", cut.size() - 5);
    const auto whole = box_with_whole(store, box, cut);
    return error(Errc::usage, "the box cuts {} block{} of several cells in two: {}", cut.size(),
                 cut.size() == 1 ? "" : "s", places)
        .advise(whole && *whole != box
                    ? fmt::format("use the box {}, or --leave-cut to leave these blocks out", *whole)
                    : std::string("use --leave-cut to leave these blocks out"));
}

Result<EditReport> clear_source(const world::World& other, const world::Assets& assets,
                                const CopyOptions& options, Progress& progress) {
    Area area;
    area.add(options.box);
    const Filling nothing{Filling::Block{std::string(chunk::k_empty_key), {}},
                          Filling::Fluid{std::string(chunk::k_empty_key), 0}};
    TRY(auto blocks, fill_cells(other, assets, area, {}, nothing, options.edit, progress));
    if (blocks.refused || !options.entities) return EditReport(std::move(blocks));
    TRY(auto entities, remove_entities(other, assets, area, {}, options.edit, progress));
    blocks.counts.entities_removed = entities.counts.entities_removed;
    return EditReport(std::move(blocks));
}

} // namespace

Result<CopyReport> copy_cells(const world::World& world, const world::World* other,
                              const world::Assets& assets, const CopyOptions& options, Progress& progress) {
    const auto& box = options.box;
    Area area;
    area.add(box);
    TRY_DO(area.check());
    if (!area.chunks())
        return fail(error(Errc::too_large, "the box {} has too many chunks to be copied at once", box)
                        .advise("copy it in several parts"));
    TRY(const auto path, CopyPath::make(box, options.turn, options.to));
    TRY(const auto source, (other != nullptr ? *other : world).open({}));
    progress.begin("Looking for blocks that the box cuts", 0);
    TRY(auto cut, blocks_cut_by(*source, box));
    if (!cut.empty() && !options.leaves_cut) return fail(cut_error(*source, box, cut));

    const auto target = path.there(box);
    PutOptions put{.skip_empty = options.skip_empty,
                   .mask = options.mask,
                   .clears_fluids = !options.skip_empty,
                   .keep_ids = options.moves,
                   .edit = options.edit};
    ClipEditExtras extras;
    if (options.moves && other == nullptr) {
        extras.cleared = box;
        extras.kept = cut;
    }
    const bool meets = other == nullptr
                       && target.shared_with(BlockBox{{box.least.x - 64, box.least.y, box.least.z - 64},
                                                      {box.most.x + 64, box.most.y, box.most.z + 64}});
    CopyReport report;
    const auto left_out = cut.size();
    if (box.cells() <= options.held_cells || meets || (options.moves && other == nullptr)) {
        if (box.cells() > k_most_clip_cells)
            return fail(error(Errc::too_large,
                              "a box of {} cells is too large to be moved, or copied onto itself",
                              box.cells())
                            .advise("do it in several parts"));
        TRY(auto taken,
            take_clip(*source, box, assets,
                      {.empty_blocks = !options.skip_empty, .entities = options.entities, .left_out = &cut}));
        report.source_chunks_missing = taken.missing.size();
        put.turn = options.turn;
        TRY(const auto parts, make_clip_source(taken.clip, path.origin, put));
        TRY(static_cast<PutReport&>(report), put_parts(world, *parts, put, extras, assets, progress));
    } else {
        NewIds ids;
        TRY_DO(collect_ids(*source, box, ids, report.source_chunks_missing));
        const LargeCopy parts(*source, assets, options, path, std::move(cut), std::move(ids));
        TRY(static_cast<PutReport&>(report), put_parts(world, parts, put, extras, assets, progress));
    }
    report.left_out = left_out;
    if (options.moves && other != nullptr && !report.refused) {
        TRY(report.cleared, clear_source(*other, assets, options, progress));
    }
    return report;
}

} // namespace orbis::jobs
