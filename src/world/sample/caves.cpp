#include "world/sample/holders.hpp"
#include "world/sample/noise.hpp"
#include "world/sample/terrain.hpp"

#include <array>
#include <vector>

namespace orbis::world::sample {
namespace {

constexpr int k_lava_level = 9;
constexpr int k_tunnels = 90;

/// Sine of n/64 of a turn, times 256. A table, because the last digit of `std::sin` is not the same
/// everywhere.
constexpr std::array<int, 64> k_sine{
    0,    25,   50,   74,   98,   121,  142,  162,  181,  198,  213,  226,  237,  245,  251,  255,
    256,  255,  251,  245,  237,  226,  213,  198,  181,  162,  142,  121,  98,   74,   50,   25,
    0,    -25,  -50,  -74,  -98,  -121, -142, -162, -181, -198, -213, -226, -237, -245, -251, -255,
    -256, -255, -251, -245, -237, -226, -213, -198, -181, -162, -142, -121, -98,  -74,  -50,  -25};
int sine(int turn) { return k_sine[static_cast<std::size_t>(turn & 63)]; }
int cosine(int turn) { return sine(turn + 16); }

/// Removes the blocks of a ball; `flat` makes it lower than it is wide (in quarters). Bedrock stays, and with
/// `roof` this many blocks below the ground.
void hollow(const Landscape& landscape, Canvas& canvas, int x, int y, int z, int radius, int flat, int roof) {
    const auto bedrock = canvas.block("Rock_Bedrock");
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dz = -radius; dz <= radius; ++dz)
            for (int dx = -radius; dx <= radius; ++dx) {
                if ((dx * dx + dz * dz) * 16 + dy * dy * flat * flat > (radius * radius + radius / 2) * 16)
                    continue;
                const int at = y + dy;
                if (at < 2 || at > landscape.at(x + dx, z + dz).ground - roof) continue;
                if (canvas.at(x + dx, at, z + dz) == bedrock) continue;
                canvas.set(x + dx, at, z + dz, Block{0});
                if (at <= k_lava_level) canvas.pour(x + dx, at, z + dz, Fluid::lava_source);
            }
}

/// The lowest empty cell above the floor at or below y.
int floor_at(const Canvas& canvas, int x, int y, int z) {
    while (y > 3 && canvas.empty(x, y - 1, z)) --y;
    return y;
}

/// The hall at the end of the cave.
constexpr int k_hall_x = 146;
constexpr int k_hall_y = 41;
constexpr int k_hall_z = -66;

void furnish_hall(const Landscape& landscape, Canvas& canvas) {
    const auto seed = landscape.seed();
    const auto moss = canvas.block("Plant_Moss_Block_Green");
    constexpr std::array<std::string_view, 7> growth{
        "Plant_Crop_Mushroom_Glowing_Blue",   "Plant_Crop_Mushroom_Glowing_Green",
        "Plant_Crop_Mushroom_Glowing_Violet", "Rock_Crystal_Blue_Medium",
        "Rock_Crystal_Purple_Large",          "Rubble_Stone",
        "Plant_Crop_Mushroom_Common_Brown"};
    for (int z = k_hall_z - 22; z <= k_hall_z + 22; ++z)
        for (int x = k_hall_x - 22; x <= k_hall_x + 22; ++x) {
            if (!canvas.empty(x, k_hall_y, z)) continue;
            const int floor = floor_at(canvas, x, k_hall_y, z);
            if (floor < k_hall_y - 12 || canvas.empty(x, floor - 1, z)) continue;
            const int away = (x - k_hall_x) * (x - k_hall_x) + (z - k_hall_z) * (z - k_hall_z);
            if (away < 36) { // the pool in the middle
                canvas.set(x, floor - 1, z, Block{0});
                canvas.pour(x, floor - 1, z, Fluid::water_source);
                continue;
            }
            if (noise(seed + 201, x, z, 3) > k_one * 3 / 5) canvas.set(x, floor - 1, z, moss);
            const int chance = pick(seed, x, z, 202, 100);
            if (chance >= 9 || away < 64) continue;
            const auto key =
                growth[static_cast<std::size_t>(pick(seed, x, z, 203, static_cast<int>(growth.size())))];
            canvas.set(x, floor, z, key);
            if (key == "Plant_Crop_Mushroom_Common_Brown") canvas.attach(x, floor, z, farming(-1));
        }
    // The camp of those who dug here: a fire, a chest and the ore they were after.
    const int x = k_hall_x - 10;
    const int z = k_hall_z + 9;
    const int floor = floor_at(canvas, x, k_hall_y, z);
    canvas.set(x, floor, z, "Furniture_Crude_Chest_Small", Facing::east);
    canvas.attach(x, floor, z,
                  chest(18, std::array<Item, 5>{{{"Ingredient_Bar_Gold", 3},
                                                 {"Ore_Gold_Stone", 12},
                                                 {"Tool_Pickaxe_Iron", 1, 300},
                                                 {"Furniture_Crude_Torch", 16},
                                                 {"Ingredient_Charcoal", 9}}}));
    const int fire = floor_at(canvas, x + 3, k_hall_y, z);
    canvas.set(x + 3, fire, z, "Bench_Campfire");
    canvas.attach(x + 3, fire, z,
                  processing_bench(std::array<Item, 1>{{{"Food_Fish_Raw", 2}}},
                                   std::array<Item, 1>{{{"Ingredient_Stick", 8}}}));
    for (const auto& [dx, dz] : std::array<std::array<int, 2>, 4>{{{-13, -4}, {4, 13}, {13, 0}, {-2, -13}}}) {
        const int at = floor_at(canvas, k_hall_x + dx, k_hall_y, k_hall_z + dz);
        canvas.set(k_hall_x + dx, at, k_hall_z + dz, "Furniture_Crude_Torch");
    }
    canvas.add_entity(
        BlockPos{x + 1, floor, z}.chunk(),
        dropped_item(x + 1.5, floor + 0.1, z + 0.5, {"Ore_Gold_Stone", 2}, make_uuid(seed, 300)));
}

} // namespace

void dig_tunnels(const Landscape& landscape, Canvas& canvas) {
    const auto seed = landscape.seed();
    for (int tunnel = 0; tunnel < k_tunnels; ++tunnel) {
        int x = (k_low + pick(seed, tunnel, 0, 210, k_blocks)) * 256;
        int z = (k_low + pick(seed, tunnel, 1, 210, k_blocks)) * 256;
        int y = (8 + pick(seed, tunnel, 2, 210, 32)) * 256;
        int heading = pick(seed, tunnel, 3, 210, 64);
        int slope = pick(seed, tunnel, 4, 210, 160) - 80;
        const int steps = 40 + pick(seed, tunnel, 5, 210, 70);
        for (int i = 0; i < steps; ++i) {
            const int radius = 2 + pick(seed, tunnel, i / 6, 211, 3) / 2;
            hollow(landscape, canvas, x >> 8, y >> 8, z >> 8, radius, 5, 14);
            x += cosine(heading) * 3 / 2;
            z += sine(heading) * 3 / 2;
            y = clamp(y + slope, 5 * 256, 42 * 256);
            heading += pick(seed, tunnel, i, 212, 9) - 4;
            slope = clamp(slope + pick(seed, tunnel, i, 213, 61) - 30, -120, 120);
        }
    }
}

void dig_cave(const Landscape& landscape, Canvas& canvas) {
    const auto seed = landscape.seed();
    const int mouth = landscape.at(k_cave_mouth).ground + 2;
    // From the mouth into the knoll, then down in a bend to the hall.
    constexpr std::array<std::array<int, 3>, 5> way{{{k_cave_mouth.x, 0, k_cave_mouth.z},
                                                     {118, -2, -20},
                                                     {134, -8, -32},
                                                     {150, -16, -48},
                                                     {k_hall_x, 0, k_hall_z}}};
    std::vector<BlockPos> torches; // set when nothing is dug any more
    for (std::size_t leg = 1; leg < way.size(); ++leg) {
        const auto& a = way[leg - 1];
        const auto& b = way[leg];
        const int from = mouth + a[1];
        const int to = leg + 1 == way.size() ? k_hall_y : mouth + b[1];
        constexpr int parts = 24;
        for (int i = 0; i <= parts; ++i) {
            const int x = a[0] + (b[0] - a[0]) * i / parts;
            const int z = a[2] + (b[2] - a[2]) * i / parts;
            const int y = from + (to - from) * i / parts;
            hollow(landscape, canvas, x, y, z, 3 + pick(seed, i, static_cast<int>(leg), 220, 2), 4,
                   leg < 2 ? -8 : 4);
            if (i % 12 == 6) torches.push_back({x, y, z});
        }
    }
    hollow(landscape, canvas, k_hall_x, k_hall_y, k_hall_z, 17, 8, 6);
    hollow(landscape, canvas, k_hall_x + 9, k_hall_y - 1, k_hall_z + 6, 11, 7, 6);
    for (const auto& [x, y, z] : torches) {
        const int floor = floor_at(canvas, x + 2, y, z);
        if (canvas.empty(x + 2, y, z) && !canvas.empty(x + 2, floor - 1, z))
            canvas.set(x + 2, floor, z, "Furniture_Crude_Torch");
    }
    furnish_hall(landscape, canvas);
}

} // namespace orbis::world::sample
