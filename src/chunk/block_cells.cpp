#include "chunk/block_cells.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>

namespace orbis::chunk {

namespace {

/// Beyond this the neighbours of a block may have no coordinates.
constexpr std::int64_t k_edge = std::numeric_limits<std::int32_t>::max() - 64;

bool is_at_edge(BlockPos pos) {
    return std::abs(std::int64_t{pos.x}) > k_edge || std::abs(std::int64_t{pos.z}) > k_edge;
}

/// Around the base: first the roll, then the pitch, then the yaw.
Filler turned(BlockPos offset, Rotation rotation) {
    for (int i = 0; i < rotation.roll() / 90; ++i) offset = {-offset.y, offset.x, offset.z};
    for (int i = 0; i < rotation.pitch() / 90; ++i) offset = {offset.x, -offset.z, offset.y};
    for (int i = 0; i < rotation.yaw() / 90; ++i) offset = {offset.z, offset.y, -offset.x};
    return Filler::of_offset(offset.x, offset.y, offset.z);
}

bool has_height(BlockPos pos) { return pos.y >= 0 && pos.y < k_world_height; }

} // namespace

std::vector<BlockPos> cells_of_block(BlockPos pos, const BlockState& block, const PartAt& part_at) {
    if (block.key == k_empty_key || is_at_edge(pos)) return {pos};
    const auto base = block.filler.base(pos);
    if (!has_height(base)) return {pos};
    if (block.filler && part_at(base) != Filler{}) return {pos};
    std::set<BlockPos> found{base};
    std::vector<BlockPos> to_look_around{base};
    const auto look_at = [&](BlockPos cell) {
        if (!has_height(cell) || !Filler::fits(cell.x - base.x) || !Filler::fits(cell.y - base.y)
            || !Filler::fits(cell.z - base.z) || found.contains(cell))
            return;
        const auto filler = part_at(cell);
        if (!filler || !*filler || filler->base(cell) != base) return;
        found.insert(cell);
        to_look_around.push_back(cell);
    };
    while (!to_look_around.empty()) {
        const auto at = to_look_around.back();
        to_look_around.pop_back();
        for (int i = 0; i < 27; ++i) look_at({at.x + i % 3 - 1, at.y + i / 3 % 3 - 1, at.z + i / 9 - 1});
    }
    found.insert(pos);
    return {found.begin(), found.end()};
}

std::vector<Filler> fillers_of(const BlockExtent& extent, Rotation rotation) {
    std::vector<Filler> fillers{Filler{}};
    for (int y = extent.least_y; y <= extent.most_y; ++y)
        for (int z = extent.least_z; z <= extent.most_z; ++z)
            for (int x = extent.least_x; x <= extent.most_x; ++x)
                if (const auto filler = turned({x, y, z}, rotation)) fillers.push_back(filler);
    return fillers;
}

} // namespace orbis::chunk
