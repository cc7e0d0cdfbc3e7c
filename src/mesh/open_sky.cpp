#include "mesh/open_sky.hpp"

#include <algorithm>

namespace orbis::mesh {

namespace {

constexpr auto k_all = ~std::uint64_t{0};

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

} // namespace

OpenSky::OpenSky()
    : open_(std::make_unique<WideRows>()),
      near_(std::make_unique<WideRows>()),
      next_(std::make_unique<WideRows>()) {}

std::uint32_t OpenSky::beyond(Face face, int y, int z) const {
    switch (face) {
    case Face::up: return y + 1 < k_world_height ? shifted(y + 1, z, 0) : ~std::uint32_t{0};
    case Face::down: return y > 0 ? shifted(y - 1, z, 0) : 0;
    case Face::north: return shifted(y, z - 1, 0);
    case Face::south: return shifted(y, z + 1, 0);
    case Face::west: return shifted(y, z, -1);
    case Face::east: return shifted(y, z, 1);
    }
    return 0;
}

/// Layer by layer downwards: what is open below what is under the sky is under it too.
void OpenSky::open_from_above() {
    lowest_ = k_world_height;
    WideLayer sky;
    sky.fill(k_all);
    bool any = true;
    for (int y = k_world_height - 1; y >= 0; --y) {
        auto& layer = (*near_)[index_of(y)];
        if (!any) {
            layer.fill(0);
            continue;
        }
        std::uint64_t sum = 0;
        for (std::size_t z = 0; z < k_width; ++z) sum |= sky[z] &= (*open_)[index_of(y)][z];
        layer = sky;
        any = sum != 0;
        if (any) lowest_ = y;
    }
}

/// One step to all six sides.
void OpenSky::spread() {
    const int from = std::max(0, lowest_ - 1);
    for (int y = from; y <= highest_; ++y) {
        const auto& here = (*near_)[index_of(y)];
        const auto& below = (*near_)[index_of(std::max(y - 1, 0))];
        const auto& above = (*near_)[index_of(std::min(y + 1, k_world_height - 1))];
        const auto& open = (*open_)[index_of(y)];
        auto& out = (*next_)[index_of(y)];
        for (std::size_t z = 0; z < k_width; ++z) {
            const auto north = z > 0 ? here[z - 1] : 0;
            const auto south = z + 1 < k_width ? here[z + 1] : 0;
            const auto around = here[z] << 1 | here[z] >> 1 | north | south | below[z] | above[z];
            out[z] = here[z] | (around & open[z]);
        }
    }
    std::copy_n(next_->begin() + from, highest_ - from + 1, near_->begin() + from);
    lowest_ = from;
}

void OpenSky::find(const std::array<const ChunkCells*, 9>& chunks) {
    highest_ = 0;
    for (int y = 0; y < k_world_height; ++y) {
        std::uint64_t all = k_all;
        for (int z = 0; z < static_cast<int>(k_width); ++z) {
            // The last 16 rows or bits of the chunk before, all of the middle one, the first 16 of the next.
            const int down = (z + k_margin) / k_side;
            const auto row = index_of((z + k_margin) % k_side);
            const auto solid = [&](int across) -> std::uint64_t {
                return chunks[index_of(down * 3 + across)]->rows(Material::Kind::solid)[index_of(y)][row];
            };
            const auto wide =
                solid(0) >> (k_side - k_margin) | solid(1) << k_margin | solid(2) << (k_margin + k_side);
            (*open_)[index_of(y)][index_of(z)] = ~wide;
            all &= ~wide;
        }
        if (all != k_all) highest_ = y;
    }
    open_from_above();
    for (int step = 0; step < k_steps; ++step) spread();
}

} // namespace orbis::mesh
