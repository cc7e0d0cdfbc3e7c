#include "jobs/clip/put_clip.hpp"

#include <cmath>
#include <map>

namespace orbis::jobs {
namespace {

/// The game packs positions into 27 bits, so that no world is larger.
constexpr std::int64_t k_world_reach = std::int64_t{1} << 26;

ChunkPos chunk_of(Turn::Point point) {
    return {static_cast<std::int32_t>(std::floor(point.x)) >> 5,
            static_cast<std::int32_t>(std::floor(point.z)) >> 5};
}

Result<void> check_reach(const BlockBox& box, BlockPos origin) {
    const auto beyond = [&](std::int32_t from, std::int32_t least, std::int32_t most) {
        return std::int64_t{from} + least < -k_world_reach || std::int64_t{from} + most >= k_world_reach;
    };
    if (beyond(origin.x, box.least.x, box.most.x) || beyond(origin.z, box.least.z, box.most.z))
        return fail(Errc::out_of_range, "it would reach beyond the edge of the world, at {} blocks",
                    k_world_reach);
    const auto low = std::int64_t{origin.y} + box.least.y;
    const auto high = std::int64_t{origin.y} + box.most.y;
    if (low < 0 || high >= k_world_height)
        return fail(
            error(Errc::out_of_range, "it would reach from y {} to y {}, but the world goes from 0 to {}",
                  low, high, k_world_height - 1)
                .advise(high - low >= k_world_height ? std::string("it is higher than the world")
                                                     : fmt::format("use a y from {} to {}", -box.least.y,
                                                                   k_world_height - 1 - box.most.y)));
    return {};
}

Result<void> check_size(const BlockBox& box) {
    constexpr std::int32_t k_reach = 1 << 27;
    for (const auto value : {box.least.x, box.least.y, box.least.z, box.most.x, box.most.y, box.most.z})
        if (value < -k_reach || value > k_reach)
            return fail(Errc::out_of_range, "it has a block at {}, which no world has", value);
    return {};
}

class WholeClip final : public ClipSource {
public:
    static Result<std::unique_ptr<ClipSource>> make(const Clip& clip, BlockPos origin,
                                                    const PutOptions& options) {
        if (const auto box = bounds(clip)) TRY_DO(check_size(*box));
        auto made = std::make_unique<WholeClip>();
        TRY(auto turned_clip, turned(clip, options.turn));
        const auto shared = std::make_shared<const Clip>(std::move(turned_clip));
        if (const auto box = bounds(*shared)) TRY_DO(check_reach(*box, origin));
        const auto part = [&](ChunkPos pos) -> ClipPart& {
            auto& found = made->parts_[pos];
            found.clip = shared;
            found.origin = origin;
            return found;
        };
        const auto place = [&](BlockPos at) {
            return BlockPos{origin.x + at.x, origin.y + at.y, origin.z + at.z}.chunk();
        };
        for (std::uint32_t i = 0; i < shared->blocks.size(); ++i)
            part(place(shared->blocks[i].at)).blocks.push_back(i);
        for (std::uint32_t i = 0; i < shared->fluids.size(); ++i)
            part(place(shared->fluids[i].at)).fluids.push_back(i);
        NewIds ids;
        std::vector<bson::Document> entities;
        for (const auto& entity : shared->entities) {
            TRY(const auto document, bson::Document::open(entity));
            if (!options.keep_ids) ids.add_all_of(document);
            entities.push_back(document);
        }
        for (const auto& entity : entities) {
            TRY(auto placed, placed_entity(entity, {.turn = {},
                                                    .dx = origin.x,
                                                    .dy = origin.y,
                                                    .dz = origin.z,
                                                    .ids = options.keep_ids ? nullptr : &ids}));
            TRY(const auto document, bson::Document::open(placed));
            const auto point = entity_point(document);
            if (!point || !(std::abs(point->x) < k_world_reach) || !(std::abs(point->z) < k_world_reach))
                return fail(Errc::bad_value, "an entity has no position in the world");
            part(chunk_of(*point)).entities.push_back(std::move(placed));
        }
        return made;
    }

    [[nodiscard]] std::vector<ChunkPos> chunks() const override {
        std::vector<ChunkPos> out;
        for (const auto& [pos, part] : parts_) out.push_back(pos);
        return out;
    }
    [[nodiscard]] bool touches(ChunkPos pos) const override { return parts_.contains(pos); }
    [[nodiscard]] Result<ClipPart> part(ChunkPos pos) const override {
        const auto found = parts_.find(pos);
        return found == parts_.end() ? ClipPart{} : found->second;
    }

private:
    std::map<ChunkPos, ClipPart> parts_;
};

} // namespace

Result<std::unique_ptr<ClipSource>> make_clip_source(const Clip& clip, BlockPos origin,
                                                     const PutOptions& options) {
    return WholeClip::make(clip, origin, options);
}

} // namespace orbis::jobs
