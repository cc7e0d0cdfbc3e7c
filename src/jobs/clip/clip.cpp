#include "jobs/clip/clip.hpp"

#include "bson/view.hpp"
#include "jobs/clip/place_holder.hpp"

#include <algorithm>
#include <map>

namespace orbis::jobs {

namespace {

constexpr std::string_view k_air = "Empty"; // has no sides to turn

/// The other cells of each block of several cells, by its base.
std::map<BlockPos, std::vector<Filler>> large_blocks(const Clip& clip) {
    std::map<BlockPos, std::vector<Filler>> out;
    for (const auto& block : clip.blocks)
        if (block.filler) out[block.filler.base(block.at)].push_back(block.filler);
    return out;
}

} // namespace

Result<Clip> turned(Clip clip, const Turn& turn) {
    if (turn.is_identity()) return clip;
    // Only a mirrored block needs to know which cells it has.
    const auto large = turn.mirrored ? large_blocks(clip) : std::map<BlockPos, std::vector<Filler>>();
    for (auto& block : clip.blocks) {
        std::span<const Filler> cells;
        if (!large.empty())
            if (const auto found = large.find(block.filler.base(block.at)); found != large.end())
                cells = found->second;
        if (clip.keys[block.key] != k_air) block.rotation = turn.apply(block.rotation, cells);
        const auto filler = turn.apply(block.filler);
        if (!filler)
            return fail(Errc::out_of_range, "block {} at {:n} is too large to be turned",
                        clip.keys[block.key], block.at);
        block.filler = *filler;
        block.at = turn.apply(block.at);
        if (block.components == Clip::k_no_components) continue;
        auto& holder = clip.components[static_cast<std::size_t>(block.components)];
        TRY(const auto document, bson::Document::open(holder));
        TRY(holder, placed_block_holder(document, block.at));
    }
    for (auto& fluid : clip.fluids) fluid.at = turn.apply(fluid.at);
    for (auto& entity : clip.entities) {
        TRY(const auto document, bson::Document::open(entity));
        TRY(entity, placed_entity(document, {.turn = turn}));
    }
    return clip;
}

std::optional<BlockBox> bounds(const Clip& clip) {
    std::optional<BlockBox> box;
    const auto take_in = [&](BlockPos pos) {
        if (!box) box = BlockBox{pos, pos};
        box->least = {std::min(box->least.x, pos.x), std::min(box->least.y, pos.y),
                      std::min(box->least.z, pos.z)};
        box->most = {std::max(box->most.x, pos.x), std::max(box->most.y, pos.y),
                     std::max(box->most.z, pos.z)};
    };
    for (const auto& block : clip.blocks) take_in(block.at);
    for (const auto& fluid : clip.fluids) take_in(fluid.at);
    return box;
}

} // namespace orbis::jobs
