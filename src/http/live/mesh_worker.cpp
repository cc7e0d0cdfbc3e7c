#include "http/live/mesh_worker.hpp"

#include <algorithm>
#include <array>

namespace orbis::http {

mesh::Part part_in_box(ChunkPos pos, BlockPos first, BlockPos last) {
    mesh::Part part;
    const std::array corner{std::int64_t{pos.x} * k_side, std::int64_t{0}, std::int64_t{pos.z} * k_side};
    const std::array<int, 3> size{k_side, k_world_height, k_side};
    const std::array least{first.x, first.y, first.z};
    const std::array most{last.x, last.y, last.z};
    for (std::size_t i = 0; i < corner.size(); ++i) {
        // Farther than a chunk away nothing counts.
        const auto from = least[i] - corner[i];
        const auto to = most[i] - corner[i];
        if (from > -k_side) part.first[i] = static_cast<int>(std::min<std::int64_t>(from, size[i] + k_side));
        if (to < size[i] + k_side) part.last[i] = static_cast<int>(std::max<std::int64_t>(to, -k_side));
    }
    return part;
}

std::shared_ptr<MeshWorker::Kept> MeshWorker::load(ChunkPos pos) {
    if (const auto* kept = kept_.find(pos)) return *kept;
    auto made = std::make_shared<Kept>();
    std::size_t cost = sizeof(Kept);
    auto document = reader_.load(*store_, pos);
    if (!document) {
        made->problem = std::move(document).error();
    } else if (*document) {
        cost += (*document)->size();
        auto decoded = chunk::Chunk::decode(Buffer((*document)->begin(), (*document)->end()),
                                            mesh::MeshFileMaker::k_parts);
        if (decoded)
            made->chunk = *std::move(decoded);
        else
            made->problem = reader_.placed(std::move(decoded).error());
    }
    if (!made->is_busy()) kept_.put(pos, made, cost);
    return made;
}

Result<std::optional<Buffer>> MeshWorker::make(std::shared_ptr<const storage::Store> store,
                                               std::uint64_t change, const MeshKey& key) {
    const auto pos = key.pos;
    if (store_ != store || change_ != change) {
        kept_.erase_if([](ChunkPos, const auto&) { return true; });
        store_ = std::move(store);
        change_ = change;
    }
    std::array<std::shared_ptr<Kept>, 9> all; // in rows from the north-west; they live while they are here
    const auto& middle = all[4] = load(pos);
    if (middle->problem) return fail(Error(*middle->problem));
    if (!middle->chunk) return std::nullopt;
    const auto beside = [&](int dx, int dz) -> const chunk::Chunk* {
        auto& kept = all[static_cast<std::size_t>((dz + 1) * 3 + dx + 1)];
        kept = load({pos.x + dx, pos.z + dz});
        return kept->chunk ? &*kept->chunk : nullptr; // what cannot be read is as open as what is not there
    };
    mesh::Neighbours around{beside(0, -1), beside(0, 1), beside(-1, 0), beside(1, 0)};
    if (key.faces == mesh::MeshFileMaker::Faces::surface) {
        around.north_west = beside(-1, -1);
        around.north_east = beside(1, -1);
        around.south_west = beside(-1, 1);
        around.south_east = beside(1, 1);
    }
    // Without one that is being written the mesh would have a wall there, and be kept.
    for (const auto& kept : all)
        if (kept && kept->is_busy()) return fail(Error(*kept->problem));
    return maker_.make(*middle->chunk, around, key.faces, key.part);
}

} // namespace orbis::http
