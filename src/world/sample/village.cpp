#include "world/sample/village.hpp"

#include "world/sample/house.hpp"
#include "world/sample/noise.hpp"

#include <array>

namespace orbis::world::sample {
namespace {

constexpr std::array<House, 10> k_houses{{
    {36, 101, 9, 8, Facing::south, Use::home, &k_white_house},
    {57, 93, 11, 9, Facing::south, Use::tavern, &k_yellow_house},
    {70, 113, 13, 9, Facing::west, Use::workshop, &k_blue_house},
    {35, 131, 9, 9, Facing::north, Use::home, &k_yellow_house},
    {51, 133, 11, 9, Facing::north, Use::home, &k_white_house},
    {92, 113, 9, 8, Facing::west, Use::home, &k_white_house},
    {29, 84, 8, 9, Facing::east, Use::home, &k_blue_house},
    {73, 78, 9, 9, Facing::south, Use::home, &k_yellow_house},
    {93, 132, 13, 9, Facing::west, Use::store, &k_log_house},
    {52, 152, 9, 8, Facing::north, Use::home, &k_blue_house},
}};

/// Round, paved, with a well in the middle.
void pave_square(const Landscape& landscape, Canvas& canvas) {
    const auto cobble = canvas.block("Rock_Stone_Cobble");
    const auto gravel = canvas.block("Soil_Gravel");
    const auto brick = canvas.block("Rock_Stone_Brick");
    constexpr int radius = 9;
    level_ground(landscape, canvas, k_village.x - radius - 1, k_village.z - radius - 1,
                 k_village.x + radius + 1, k_village.z + radius + 1, k_village_ground);
    for (int dz = -radius; dz <= radius; ++dz)
        for (int dx = -radius; dx <= radius; ++dx) {
            const int away = dx * dx + dz * dz;
            if (away > radius * radius + 4) continue;
            const int x = k_village.x + dx;
            const int z = k_village.z + dz;
            const bool ring = away > 64 || (away > 20 && away < 30);
            canvas.set(x, k_village_ground, z,
                       ring                                        ? brick
                       : pick(landscape.seed(), x, z, 500, 6) == 0 ? gravel
                                                                   : cobble);
        }
}

void build_well(Canvas& canvas) {
    const int y = k_village_ground;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dx = -1; dx <= 1; ++dx) {
            const int x = k_village.x + dx;
            const int z = k_village.z + dz;
            if (dx != 0 || dz != 0) {
                canvas.fill(x, y - 6, z, x, y + 1, z, canvas.block("Rock_Stone_Cobble"));
                continue;
            }
            canvas.fill(x, y - 6, z, x, y + 4, z, Block{0});
            canvas.set(x, y - 7, z, "Rock_Stone_Cobble");
            for (int at = y - 6; at <= y; ++at) canvas.pour(x, at, z, Fluid::water_source);
        }
    for (const int dx : {-1, 1})
        for (const int dz : {-1, 1})
            canvas.fill(k_village.x + dx, y + 2, k_village.z + dz, k_village.x + dx, y + 3, k_village.z + dz,
                        canvas.block("Wood_Softwood_Fence"));
    // A small roof: two slopes and a ridge.
    for (int dz = -1; dz <= 1; ++dz) {
        canvas.set(k_village.x - 1, y + 4, k_village.z + dz, "Rock_Sandstone_Red_Brick_Roof", Facing::east);
        canvas.set(k_village.x + 1, y + 4, k_village.z + dz, "Rock_Sandstone_Red_Brick_Roof", Facing::west);
        canvas.set(k_village.x, y + 4, k_village.z + dz, "Wood_Softwood_Planks");
    }
}

void build_stall(Canvas& canvas, int x, int z, std::string_view cloth, std::string_view goods) {
    const int y = k_village_ground + 1;
    for (const int dx : {0, 4})
        for (const int dz : {0, 2})
            canvas.fill(x + dx, y, z + dz, x + dx, y + 2, z + dz, canvas.block("Wood_Softwood_Fence"));
    canvas.fill(x, y + 3, z, x + 4, y + 3, z + 2, canvas.block(cloth));
    for (int dx = 1; dx <= 3; ++dx) {
        canvas.set(x + dx, y, z + 1, "Furniture_Village_Crate");
        canvas.attach(x + dx, y, z + 1, chest(20, std::array<Item, 1>{{{goods, 8 + dx}}}));
    }
}

/// A field: rows of a crop from freshly sown to ripe, with a ditch of water in the middle and a fence around.
struct Crop {
    std::string_view name;
    int stages; ///< states between the seed and the ripe plant
};

void lay_field(const Landscape& landscape, Canvas& canvas, int x0, int z0, int x1, int z1, int y,
               const Crop& crop) {
    level_ground(landscape, canvas, x0 - 2, z0 - 2, x1 + 2, z1 + 2, y);
    const auto tilled = canvas.block("Soil_Dirt_Tilled");
    const auto fence = canvas.block("Wood_Softwood_Fence");
    const std::string base = "Plant_Crop_" + std::string(crop.name) + "_Block";
    const int ditch = (x0 + x1) / 2;
    for (int z = z0 - 1; z <= z1 + 1; ++z)
        for (int x = x0 - 1; x <= x1 + 1; ++x) {
            const bool border = x < x0 || x > x1 || z < z0 || z > z1;
            if (border) {
                const bool gate = z < z0 && x == x0 + 3;
                if (!gate) canvas.set(x, y + 1, z, fence);
                continue;
            }
            if (x == ditch) {
                canvas.set(x, y, z, Block{0});
                canvas.set(x, y - 1, z, "Soil_Clay");
                canvas.pour(x, y, z, Fluid::water_source);
                continue;
            }
            canvas.set(x, y, z, tilled);
            const int growth =
                clamp((z - z0) * (crop.stages + 2) / (z1 - z0 + 1) + pick(landscape.seed(), x, z, 510, 2), 0,
                      crop.stages + 1);
            if (pick(landscape.seed(), x, z, 511, 14) == 0) continue; // a gap in the row
            const auto state = growth == 0 ? base
                               : growth > crop.stages
                                   ? "*" + base + "_State_Definitions_StageFinal"
                                   : "*" + base + "_State_Definitions_Stage" + std::to_string(growth);
            canvas.set(x, y + 1, z, state);
            canvas.attach(x, y + 1, z, farming(growth * 100 / (crop.stages + 1)));
        }
}

} // namespace

void level_ground(const Landscape& landscape, Canvas& canvas, int x0, int z0, int x1, int z1, int y) {
    const auto dirt = canvas.block("Soil_Dirt");
    const auto grass = canvas.block("Soil_Grass");
    for (int z = z0; z <= z1; ++z)
        for (int x = x0; x <= x1; ++x) {
            const auto& plan = landscape.at(x, z);
            const auto surface = canvas.at(x, plan.ground, z);
            for (int at = plan.ground; at < y; ++at) canvas.set(x, at, z, dirt);
            canvas.set(x, y, z, plan.path < 7 ? surface : grass);
            for (int at = y + 1; at <= std::max<int>(plan.ground, y) + 1; ++at)
                canvas.set(x, at, z, Block{0});
        }
}

void put_lantern(Canvas& canvas, int x, int ground, int z) {
    canvas.fill(x, ground + 1, z, x, ground + 2, z, canvas.block("Wood_Softwood_Fence"));
    canvas.set(x, ground + 3, z, "Deco_Lantern");
}

void build_village(const Landscape& landscape, Canvas& canvas) {
    pave_square(landscape, canvas);
    build_well(canvas);
    build_stall(canvas, k_village.x - 17, k_village.z - 5, "Cloth_Roof_Red_Flat", "Plant_Fruit_Apple");
    build_stall(canvas, k_village.x + 2, k_village.z + 9, "Cloth_Roof_Yellow_Flat", "Food_Bread");
    build_stall(canvas, k_village.x - 12, k_village.z + 7, "Cloth_Roof_Blue_Flat", "Food_Fish_Raw");
    for (const auto& house : k_houses) {
        level_ground(landscape, canvas, house.x - 2, house.z - 2, house.x + house.width + 1,
                     house.z + house.length + 1, k_village_ground);
        build_house(canvas, house, k_village_ground);
    }
    // Lanterns stand beside the ways, every dozen blocks.
    for (const auto& line : paths())
        for (std::size_t i = 1; i < line.size(); ++i) {
            const int dx = line[i].x - line[i - 1].x;
            const int dz = line[i].z - line[i - 1].z;
            const int length = static_cast<int>(root(dx * dx + dz * dz));
            for (int at = 14; at < length; at += 14) {
                const int x = line[i - 1].x + dx * at / length - dz * 4 / length;
                const int z = line[i - 1].z + dz * at / length + dx * 4 / length;
                const auto& plan = landscape.at(x, z);
                if (plan.biome != Biome::village || plan.water >= 0 || plan.path < 9) continue;
                if (canvas.empty(x, plan.ground + 1, z)) put_lantern(canvas, x, plan.ground, z);
            }
        }
}

void lay_fields(const Landscape& landscape, Canvas& canvas) {
    const int y = k_village_ground;
    lay_field(landscape, canvas, 112, 108, 130, 122, y, {"Wheat", 3});
    lay_field(landscape, canvas, 112, 128, 124, 142, y, {"Carrot", 2});
    lay_field(landscape, canvas, 128, 128, 142, 142, y, {"Corn", 3});
    lay_field(landscape, canvas, 112, 90, 126, 102, y, {"Cotton", 3});
    lay_field(landscape, canvas, 134, 108, 144, 122, y, {"Potato", 3});
    canvas.set(120, y + 1, 125, "Deco_Scarecrow");
    canvas.set(133, y + 1, 145, "Deco_Scarecrow");
}

} // namespace orbis::world::sample
