#include "map/tile_renderer.hpp"

#include <algorithm>

namespace orbis::map {
namespace {

class OneTile final : public AreaVisitor {
public:
    OneTile(TilePixels& out, std::vector<Error>& problems) : out_(out), problems_(problems) {}

    void on_unreadable(ChunkPos, const storage::StoredChunk&, const Error& problem) override {
        problems_.push_back(problem);
    }
    Result<void> on_tile(std::size_t, TilePos, const TilePixels& pixels) override {
        something = !pixels.empty();
        if (something) out_ = pixels;
        return {};
    }

    bool something = false;

private:
    TilePixels& out_;
    std::vector<Error>& problems_;
};

} // namespace

Result<bool> TileRenderer::render(Layer layer, TilePos pos, TilePixels& out) {
    problems_.clear();
    constexpr auto k_farthest = k_farthest_chunk / k_tile_chunks;
    if (pos.x < -k_farthest || pos.x >= k_farthest || pos.z < -k_farthest || pos.z >= k_farthest)
        return false;
    if (!renderer_ || layer != layer_) {
        renderer_ = std::make_unique<AreaRenderer>(store_, colours_, std::vector{layer}, nullptr);
        layer_ = layer;
    }
    OneTile visitor(out, problems_);
    TRY_DO(renderer_->render(std::span(&pos, 1), visitor));
    return visitor.something;
}

std::vector<TilePos> tiles_around(std::span<const ChunkPos> chunks) {
    std::vector<TilePos> tiles;
    for (const auto pos : chunks)
        for (int dz = -1; dz <= 1; ++dz)
            for (int dx = -1; dx <= 1; ++dx) tiles.push_back(TilePos::of({pos.x + dx, pos.z + dz}));
    std::ranges::sort(tiles);
    tiles.erase(std::ranges::unique(tiles).begin(), tiles.end());
    return tiles;
}

} // namespace orbis::map
