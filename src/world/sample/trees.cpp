#include "world/sample/flora.hpp"
#include "world/sample/noise.hpp"

#include <array>

namespace orbis::world::sample {
namespace {

enum class Shape : std::uint8_t { round, tall, cone, wide };

struct Kind {
    std::string_view trunk;
    std::string_view leaves;
    Shape shape;
    int low; ///< height of the trunk
    int high;
};
constexpr Kind k_oak{"Wood_Oak_Trunk", "Plant_Leaves_Oak", Shape::wide, 5, 8};
constexpr Kind k_beech{"Wood_Beech_Trunk", "Plant_Leaves_Beech", Shape::round, 6, 9};
constexpr Kind k_birch{"Wood_Birch_Trunk", "Plant_Leaves_Birch", Shape::tall, 7, 10};
constexpr Kind k_fir{"Wood_Fir_Trunk", "Plant_Leaves_Fir", Shape::cone, 9, 15};
constexpr Kind k_snowy_fir{"Wood_Fir_Trunk", "Plant_Leaves_Fir_Snow", Shape::cone, 7, 12};
constexpr Kind k_maple{"Wood_Maple_Trunk", "Plant_Leaves_Maple", Shape::round, 5, 8};
constexpr Kind k_aspen{"Wood_Aspen_Trunk", "Plant_Leaves_Aspen", Shape::tall, 6, 10};
constexpr Kind k_autumn_oak{"Wood_Oak_Trunk", "Plant_Leaves_Autumn", Shape::wide, 5, 8};
constexpr Kind k_sallow{"Wood_Sallow_Trunk", "Plant_Leaves_Sallow", Shape::wide, 4, 6};

class Grower {
public:
    Grower(const Landscape& landscape, Canvas& canvas) : seed_(landscape.seed()), canvas_(canvas) {}

    void grow(int x, int ground, int z, const Kind& kind) {
        const int height = kind.low + pick(seed_, x, z, 310, kind.high - kind.low + 1);
        leaves_ = canvas_.block(kind.leaves);
        const int top = ground + height;
        switch (kind.shape) {
        case Shape::round: ball(x, top - 1, z, 3, 4); break;
        case Shape::tall:
            ball(x, top - 2, z, 2, 3);
            ball(x, top, z, 2, 4);
            break;
        case Shape::cone: cone(x, ground + 3, top + 2, z); break;
        case Shape::wide:
            ball(x, top, z, 3, 5);
            ball(x + 1 - pick(seed_, x, z, 311, 3), top - 2, z + 1 - pick(seed_, x, z, 312, 3), 4, 7);
            break;
        }
        const auto trunk = canvas_.block(kind.trunk);
        for (int y = ground + 1; y <= top; ++y) canvas_.set(x, y, z, trunk);
        if (kind.shape == Shape::wide) roots(x, ground, z, trunk);
    }

private:
    void leaf(int x, int y, int z) {
        if (canvas_.empty(x, y, z)) canvas_.set(x, y, z, leaves_);
    }

    /// A ragged ball of leaves; `flat` quarters flatten it.
    void ball(int x, int y, int z, int radius, int flat) {
        for (int dy = -radius; dy <= radius; ++dy)
            for (int dz = -radius; dz <= radius; ++dz)
                for (int dx = -radius; dx <= radius; ++dx) {
                    const int away = (dx * dx + dz * dz) * 16 + dy * dy * flat * flat;
                    const int edge =
                        (radius * radius + radius - pick(seed_, x + dx, z + dz + dy * 64, 313, radius + 1))
                        * 16;
                    if (away <= edge) leaf(x + dx, y + dy, z + dz);
                }
    }

    /// Rings that get wider downwards, every third one drawn in.
    void cone(int x, int low, int top, int z) {
        for (int y = low; y <= top; ++y) {
            const int below = top - y;
            const int radius =
                below == 0 ? 0 : std::min(4, 1 + below / 4) - (below % 3 == 0 && below > 3 ? 1 : 0);
            for (int dz = -radius; dz <= radius; ++dz)
                for (int dx = -radius; dx <= radius; ++dx)
                    if (dx * dx + dz * dz <= radius * radius + (radius > 1 ? 1 : 0)) leaf(x + dx, y, z + dz);
        }
    }

    void roots(int x, int ground, int z, Block trunk) {
        for (int i = 0; i < 4; ++i) {
            if (pick(seed_, x, z, 320 + i, 3) != 0) continue;
            const auto facing = static_cast<Facing>(i);
            const int rx = x + step_x(facing);
            const int rz = z + step_z(facing);
            if (canvas_.empty(rx, ground + 1, rz) && !canvas_.empty(rx, ground, rz))
                canvas_.set(rx, ground + 1, rz, trunk);
        }
    }

    std::uint64_t seed_;
    Canvas& canvas_;
    Block leaves_ = 0;
};

/// The tree that grows on a column, null for none.
const Kind* kind_at(const Landscape& landscape, const Column& column, int x, int z) {
    const auto seed = landscape.seed();
    const int chance = pick(seed, x, z, 300, 256);
    const int sort = pick(seed, x, z, 301, 100);
    switch (column.biome) {
    case Biome::forest:
        return chance < 40 + column.forest * 3 / 4 ? (sort < 55   ? &k_oak
                                                      : sort < 80 ? &k_beech
                                                                  : &k_birch)
                                                   : nullptr;
    case Biome::autumn:
        return chance < 30 + column.forest * 3 / 4 ? (sort < 40   ? &k_maple
                                                      : sort < 70 ? &k_autumn_oak
                                                                  : &k_aspen)
                                                   : nullptr;
    case Biome::pines: return chance < 120 ? &k_fir : nullptr;
    case Biome::rock: return chance < 34 ? &k_fir : nullptr;
    case Biome::snow: return chance < 14 && column.ground < 136 ? &k_snowy_fir : nullptr;
    case Biome::meadow:
        return chance < 8 + column.forest / 6 ? (sort < 50   ? &k_oak
                                                 : sort < 75 ? &k_birch
                                                             : &k_beech)
                                              : nullptr;
    case Biome::village: return chance < 12 ? (sort < 50 ? &k_birch : &k_oak) : nullptr;
    case Biome::shore: return chance < 10 ? &k_sallow : nullptr;
    case Biome::bed: return nullptr;
    }
    return nullptr;
}

/// True if the ground is as the plan says and nothing stands on it or close to it.
bool is_free(const Landscape& landscape, const Canvas& canvas, int x, int z, int radius) {
    const int ground = landscape.at(x, z).ground;
    for (int dz = -radius; dz <= radius; ++dz)
        for (int dx = -radius; dx <= radius; ++dx) {
            const auto& near = landscape.at(x + dx, z + dz);
            if (near.path < 12) return false;
            for (int y = near.ground + 1; y <= ground + 7; ++y) {
                const auto* type = canvas.type(canvas.at(x + dx, y, z + dz));
                if (type != nullptr && type->group != "Leaves") return false;
            }
        }
    return !canvas.empty(x, ground, z);
}

} // namespace

void plant_trees(const Landscape& landscape, Canvas& canvas) {
    constexpr int spacing = 6;
    Grower grower(landscape, canvas);
    for (int row = k_low / spacing; row <= (k_low + k_blocks) / spacing; ++row)
        for (int column = k_low / spacing; column <= (k_low + k_blocks) / spacing; ++column) {
            const int x = column * spacing + pick(landscape.seed(), column, row, 302, spacing - 1);
            const int z = row * spacing + pick(landscape.seed(), column, row, 303, spacing - 1);
            if (!Landscape::inside(x, z)) continue;
            const auto& plan = landscape.at(x, z);
            const auto* kind = kind_at(landscape, plan, x, z);
            if (kind != nullptr && is_free(landscape, canvas, x, z, 1)) grower.grow(x, plan.ground, z, *kind);
        }
}

} // namespace orbis::world::sample
