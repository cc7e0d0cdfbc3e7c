#include "world/sample/flora.hpp"
#include "world/sample/holders.hpp"
#include "world/sample/noise.hpp"

#include <array>
#include <span>

namespace orbis::world::sample {
namespace {

constexpr std::array<std::string_view, 3> k_grass{"Plant_Grass_Sharp_Short", "Plant_Grass_Sharp",
                                                  "Plant_Grass_Sharp_Tall"};
constexpr std::array<std::string_view, 3> k_lush{"Plant_Grass_Lush_Short", "Plant_Grass_Lush", "Plant_Fern"};
constexpr std::array<std::string_view, 8> k_flowers{
    "Plant_Flower_Common_Yellow", "Plant_Flower_Common_White2", "Plant_Flower_Common_Red",
    "Plant_Flower_Common_Blue",   "Plant_Flower_Common_Violet", "Plant_Flower_Bushy_White",
    "Plant_Flower_Flax_Blue",     "Plant_Flower_Orchid_Pink"};

/// What grows on a cell of ground; empty for nothing.
std::string_view herb_at(const Landscape& landscape, const Column& plan, int x, int z) {
    const auto seed = landscape.seed();
    const int chance = pick(seed, x, z, 400, 1000);
    const auto any = [&](std::span<const std::string_view> from) {
        return from[static_cast<std::size_t>(pick(seed, x, z, 401, static_cast<int>(from.size())))];
    };
    // Flowers of one sort stand together: the sort is the same within a patch.
    const auto patch =
        static_cast<std::size_t>(pick(seed, x >> 4, z >> 4, 402, static_cast<int>(k_flowers.size())));
    const bool in_bloom = noise(seed + 403, x, z, 4) > k_one * 6 / 10;
    switch (plan.biome) {
    case Biome::meadow:
    case Biome::village:
        if (in_bloom && chance < 60) return k_flowers[patch];
        if (chance < 260) return any(k_grass);
        return chance > 994 ? "Plant_Bush" : "";
    case Biome::forest:
        if (chance < 200) return any(k_lush);
        if (chance > 988) return "Plant_Bush";
        return chance > 982 ? "Plant_Crop_Mushroom_Common_Brown" : "";
    case Biome::autumn:
        if (chance < 150) return any(k_grass);
        return chance > 990 ? "Plant_Crop_Mushroom_Cap_Red" : "";
    case Biome::pines: return chance < 70 ? "Plant_Fern_Winter" : "";
    case Biome::rock: return chance < 15 ? "Rubble_Stone" : "";
    case Biome::shore: return chance < 12 ? "Deco_Coral_Shell" : "";
    case Biome::snow:
    case Biome::bed: return "";
    }
    return "";
}

bool needs_farming(std::string_view key) {
    return key == "Plant_Bush" || key == "Plant_Crop_Mushroom_Common_Brown"
           || key == "Plant_Crop_Mushroom_Cap_Red";
}

/// Lilies on still water near the bank, and weeds on the ground below.
void plant_water(const Landscape& landscape, Canvas& canvas, const Column& plan, int x, int z) {
    const auto seed = landscape.seed();
    const int deep = plan.water - plan.ground;
    if (plan.water != k_lake_level || !canvas.empty(x, plan.water + 1, z)
        || !canvas.empty(x, plan.ground + 1, z))
        return;
    const bool calm = noise(seed + 410, x, z, 4) > k_one * 13 / 20;
    if (calm && deep <= 4 && pick(seed, x, z, 411, 100) < 16) {
        canvas.set(x, plan.water + 1, z,
                   pick(seed, x, z, 412, 4) == 0 ? "Plant_Flower_Water_White" : "Plant_Flower_Water_Green");
    } else if (deep > 2 && pick(seed, x, z, 413, 100) < 8) {
        canvas.set(x, plan.ground + 1, z, "Plant_Seaweed_Grass");
        canvas.pour(x, plan.ground + 1, z, Fluid::water_source);
    }
}

} // namespace

void plant_herbs(const Landscape& landscape, Canvas& canvas) {
    for (int z = k_low; z < k_low + k_blocks; ++z)
        for (int x = k_low; x < k_low + k_blocks; ++x) {
            const auto& plan = landscape.at(x, z);
            if (plan.water >= 0) {
                plant_water(landscape, canvas, plan, x, z);
                continue;
            }
            if (plan.path < 8 || !canvas.empty(x, plan.ground + 1, z)) continue;
            const auto* soil = canvas.type(canvas.at(x, plan.ground, z));
            if (soil == nullptr || !soil->key.starts_with("Soil_") || soil->key == "Soil_Dirt_Tilled")
                continue;
            const auto key = herb_at(landscape, plan, x, z);
            if (key.empty()) continue;
            canvas.set(x, plan.ground + 1, z, key);
            if (needs_farming(key)) canvas.attach(x, plan.ground + 1, z, farming(-1));
        }
}

} // namespace orbis::world::sample
