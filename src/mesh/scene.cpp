#include "mesh/scene.hpp"

#include "chunk/chunk_reader.hpp"
#include "mesh/chunk_mesher.hpp"

#include <algorithm>
#include <map>

namespace orbis::mesh {

namespace {

using chunk::Chunk;

/// Reads the chunks of a box once each, in rows across its shorter side, and keeps three rows of them.
class SceneTaker {
public:
    SceneTaker(const storage::Store& store, BoxScene& scene, Progress& progress)
        : store_(store), scene_(scene), progress_(progress), mesher_(scene.materials) {}

    Result<void> run() {
        const auto& box = scene_.box;
        const int from_x = box.least.x >> 5;
        const int to_x = box.most.x >> 5;
        const int from_z = box.least.z >> 5;
        const int to_z = box.most.z >> 5;
        const bool is_long_in_z = to_z - from_z > to_x - from_x;
        const auto rows = is_long_in_z ? std::pair(from_z, to_z) : std::pair(from_x, to_x);
        const auto across = is_long_in_z ? std::pair(from_x, to_x) : std::pair(from_z, to_z);
        const auto at = [&](int row, int place) {
            return is_long_in_z ? ChunkPos{place, row} : ChunkPos{row, place};
        };
        progress_.begin("chunks", scene_.box_chunks);
        for (int row = rows.first; row <= rows.second + 1; ++row) {
            for (int place = across.first; row <= rows.second && place <= across.second; ++place)
                load(at(row, place));
            for (int place = across.first; row > rows.first && place <= across.second; ++place) {
                TRY_DO(mesh(at(row - 1, place)));
                progress_.step();
            }
            for (int place = across.first; row > rows.first + 1 && place <= across.second; ++place)
                chunks_.erase(at(row - 2, place));
        }
        return {};
    }

private:
    void load(ChunkPos pos) {
        auto read = reader_.load(store_, pos);
        if (!read) {
            scene_.problems.push_back(std::move(read).error());
            return;
        }
        if (!*read) {
            scene_.missing.push_back(pos);
            return;
        }
        const auto document = **read;
        auto chunk = Chunk::decode(Buffer(document.begin(), document.end()),
                                   chunk::k_blocks | chunk::k_fluids | chunk::k_column_maps);
        if (!chunk) {
            scene_.problems.push_back(reader_.placed(std::move(chunk).error()));
            return;
        }
        for (const auto& problem : chunk->problems())
            scene_.problems.push_back(reader_.placed(problem.as_error()));
        ++scene_.chunks;
        chunks_.emplace(pos, *std::move(chunk));
    }

    Result<void> mesh(ChunkPos pos) {
        const auto* middle = find(pos);
        if (middle == nullptr) return {};
        const auto& box = scene_.box;
        const auto corner = jobs::BlockBox::of(pos).least;
        const auto local = [&](BlockPos at) {
            const auto fit = [](std::int64_t number) {
                return static_cast<int>(std::clamp<std::int64_t>(number, INT16_MIN, INT16_MAX));
            };
            return std::array{fit(std::int64_t{at.x} - corner.x), fit(at.y),
                              fit(std::int64_t{at.z} - corner.z)};
        };
        quads_.clear();
        const Neighbours around{find({pos.x, pos.z - 1}), find({pos.x, pos.z + 1}), find({pos.x - 1, pos.z}),
                                find({pos.x + 1, pos.z})};
        mesher_.make(*middle, around, {.part = {local(box.least), local(box.most)}}, quads_);
        if (scene_.quads.size() + quads_.size() > k_most_quads)
            return fail(error(Errc::usage, "the box has more than {} million faces", k_most_quads / 1'000'000)
                            .advise("choose a smaller box, or export it in parts"));
        const auto x = static_cast<std::int32_t>(std::int64_t{corner.x} - box.least.x);
        const auto z = static_cast<std::int32_t>(std::int64_t{corner.z} - box.least.z);
        for (const auto& quad : quads_) scene_.quads.push_back({x, -box.least.y, z, quad});
        add_tints(*middle);
        return {};
    }
    [[nodiscard]] const Chunk* find(ChunkPos pos) const {
        const auto found = chunks_.find(pos);
        return found != chunks_.end() ? &found->second : nullptr;
    }

    void add_tints(const Chunk& chunk) {
        for (int i = 0; i < k_columns; ++i) {
            const auto tint = chunk.tints().at(ColumnIndex(i));
            if ((tint & 0xFF'FFFF) == 0) continue; // none
            tints_[0] += tint >> 16 & 255;
            tints_[1] += tint >> 8 & 255;
            tints_[2] += tint & 255;
            ++columns_;
        }
        if (columns_ > 0)
            scene_.tint = {static_cast<std::uint8_t>(tints_[0] / columns_),
                           static_cast<std::uint8_t>(tints_[1] / columns_),
                           static_cast<std::uint8_t>(tints_[2] / columns_)};
    }

    const storage::Store& store_;
    BoxScene& scene_;
    Progress& progress_;
    ChunkMesher mesher_;
    chunk::ChunkReader reader_;
    std::map<ChunkPos, Chunk> chunks_;
    std::vector<Quad> quads_;
    std::array<std::uint64_t, 3> tints_{};
    std::uint64_t columns_ = 0;
};

} // namespace

std::array<Corner, 4> corners_of(const PlacedQuad& placed) {
    const auto& quad = placed.quad;
    const auto& extent = k_extents[static_cast<std::size_t>(quad.shape())];
    const float free = static_cast<float>(extent.side) / 16;
    const float roof = static_cast<float>(extent.top) / 16;
    const bool is_flat = quad.face() == Face::up || quad.face() == Face::down;
    const bool is_along_z = quad.face() == Face::west || quad.face() == Face::east;
    const int wide_x = is_along_z ? 1 : quad.width();
    const int wide_z = is_along_z ? quad.width() : is_flat ? quad.height() : 1;
    const int high = is_flat ? 1 : quad.height();
    const auto x0 = static_cast<float>(placed.x + quad.x()) + free;
    const auto x1 = static_cast<float>(placed.x + quad.x() + wide_x) - free;
    const auto z0 = static_cast<float>(placed.z + quad.z()) + free;
    const auto z1 = static_cast<float>(placed.z + quad.z() + wide_z) - free;
    const auto y0 = static_cast<float>(placed.y + quad.y());
    const auto y1 = static_cast<float>(placed.y + quad.y() + high - 1) + roof;
    switch (quad.face()) {
    case Face::up: return {{{x0, y1, z0}, {x0, y1, z1}, {x1, y1, z1}, {x1, y1, z0}}};
    case Face::down: return {{{x0, y0, z0}, {x1, y0, z0}, {x1, y0, z1}, {x0, y0, z1}}};
    case Face::north: return {{{x1, y0, z0}, {x0, y0, z0}, {x0, y1, z0}, {x1, y1, z0}}};
    case Face::south: return {{{x0, y0, z1}, {x1, y0, z1}, {x1, y1, z1}, {x0, y1, z1}}};
    case Face::west: return {{{x0, y0, z0}, {x0, y0, z1}, {x0, y1, z1}, {x0, y1, z0}}};
    case Face::east: return {{{x1, y0, z1}, {x1, y0, z0}, {x1, y1, z0}, {x1, y1, z1}}};
    }
    return {};
}

Result<BoxScene> take_scene(const storage::Store& store, const jobs::BlockBox& box,
                            const world::Assets& assets, Materials::Use use, Progress& progress) {
    const auto inside =
        box.shared_with({{INT32_MIN, 0, INT32_MIN}, {INT32_MAX, k_world_height - 1, INT32_MAX}});
    if (!inside) return fail(error(Errc::usage, "the box is not in the world, which goes from y 0 to y 319"));
    const auto chunks = [](std::int32_t least, std::int32_t most) {
        return static_cast<std::uint64_t>(std::int64_t{most >> 5} - (least >> 5) + 1);
    };
    const auto wide = chunks(inside->least.x, inside->most.x);
    const auto deep = chunks(inside->least.z, inside->most.z);
    if (wide > k_most_scene_chunks || deep > k_most_scene_chunks || wide * deep > k_most_scene_chunks)
        return fail(error(Errc::usage, "the box has more than {} chunks", k_most_scene_chunks)
                        .advise("choose a smaller box, or export it in parts"));
    BoxScene scene{.box = *inside, .materials = Materials(assets, use), .quads = {}};
    scene.box_chunks = wide * deep;
    TRY_DO(SceneTaker(store, scene, progress).run());
    std::ranges::stable_sort(scene.quads, {}, [](const PlacedQuad& each) { return each.quad.material(); });
    return scene;
}

} // namespace orbis::mesh
