#include "world/sample/terrain.hpp"

#include "world/sample/noise.hpp"

#include <array>

namespace orbis::world::sample {
namespace {

constexpr int k_slate_top = 22;

/// Where an ore is found and how much of it: that many veins per chunk, between two heights.
struct Ore {
    std::string_view in_stone;
    std::string_view in_slate; ///< empty if there is none
    int low;
    int high;
    int veins;
    int size;
};
constexpr std::array<Ore, 5> k_ores{{
    {"Ore_Copper_Stone", "", 30, 90, 7, 5},
    {"Ore_Iron_Stone", "Ore_Iron_Slate", 10, 70, 6, 6},
    {"Ore_Silver_Stone", "Ore_Silver_Slate", 6, 44, 3, 4},
    {"Ore_Gold_Stone", "", 6, 36, 2, 4},
    {"", "Ore_Cobalt_Slate", 3, 20, 2, 4},
}};

/// The blocks that a column is made of, from the top down.
struct Soil {
    Block top;
    Block below;
    int depth;
};

class Ground {
public:
    explicit Ground(const Landscape& landscape, Canvas& canvas)
        : landscape_(landscape),
          canvas_(canvas),
          bedrock_(canvas.block("Rock_Bedrock")),
          slate_(canvas.block("Rock_Slate")),
          stone_(canvas.block("Rock_Stone")),
          grass_(canvas.block("Soil_Grass")),
          full_grass_(canvas.block("Soil_Grass_Full")),
          dirt_(canvas.block("Soil_Dirt")),
          sand_(canvas.block("Soil_Sand")),
          gravel_(canvas.block("Soil_Gravel")),
          clay_(canvas.block("Soil_Clay")),
          mud_(canvas.block("Soil_Mud")),
          snow_(canvas.block("Soil_Snow")),
          ice_(canvas.block("Rock_Ice")),
          cold_dirt_(canvas.block("Soil_Dirt_Cold")),
          cold_grass_(canvas.block("Soil_Grass_Cold")),
          mossy_(canvas.block("Rock_Stone_Mossy")),
          pebbles_(canvas.block("Soil_Pebbles")),
          path_(canvas.block("Soil_Pathway")),
          leaves_(canvas.block("Soil_Leaves")),
          needles_(canvas.block("Soil_Needles")) {}

    void column(int x, int z) {
        const auto& plan = landscape_.at(x, z);
        const auto seed = landscape_.seed();
        const int slate_top = k_slate_top + fractal(seed + 50, x, z, 5, 2) * 5 / k_one;
        const auto soil = soil_of(plan, x, z);
        const int rock_top = plan.ground - soil.depth;
        for (int y = 0; y <= plan.ground; ++y) {
            Block block = y <= rock_top      ? (y <= slate_top ? slate_ : stone_)
                          : y == plan.ground ? soil.top
                                             : soil.below;
            if (y == 0 || (y < 3 && pick(seed, x, z, 60 + y, 3) < 3 - y)) block = bedrock_;
            canvas_.set(x, y, z, block);
        }
        for (int y = plan.ground + 1; y <= plan.water; ++y) canvas_.pour(x, y, z, Fluid::water_source);
        fall(plan, x, z);
    }

private:
    Soil soil_of(const Column& plan, int x, int z) const {
        const auto seed = landscape_.seed();
        const int chance = pick(seed, x, z, 70, 100);
        const int patch = noise(seed + 71, x, z, 3);
        const int steep = steepness(x, z);
        const int depth = 3 + pick(seed, x, z, 72, 2);
        if (plan.path < 7 && plan.biome != Biome::bed && steep < 5)
            return {chance < 12 ? gravel_ : path_, dirt_, depth};
        switch (plan.biome) {
        case Biome::bed: {
            const int deep = plan.water - plan.ground;
            if (plan.water > k_lake_level || plan.river < 12)
                return {patch > k_one / 2 ? gravel_ : pebbles_, gravel_, 2};
            if (deep > 9) return {patch > k_one * 2 / 3 ? clay_ : mud_, clay_, 3};
            return {patch > k_one * 3 / 4 ? gravel_ : sand_, sand_, 4};
        }
        case Biome::shore: return {sand_, sand_, 4};
        case Biome::snow:
            return steep > 7 ? Soil{stone_, stone_, 0} : Soil{chance < 4 ? ice_ : snow_, snow_, 3};
        case Biome::rock:
            if (steep > 5 || patch > k_one * 2 / 5)
                return {patch > k_one * 4 / 5 ? gravel_ : stone_, stone_, 1};
            return {cold_grass_, cold_dirt_, 2};
        case Biome::pines:
            if (steep > 6) return {stone_, stone_, 1};
            return {patch > k_one * 7 / 10 ? needles_ : cold_grass_, cold_dirt_, depth};
        case Biome::forest:
        case Biome::autumn: return {patch > k_one * 8 / 10 ? leaves_ : grass_, dirt_, depth};
        case Biome::village: return {grass_, dirt_, depth};
        case Biome::meadow: break;
        }
        if (steep > 7) return {patch > k_one / 2 ? mossy_ : stone_, stone_, 1};
        return {patch > k_one * 9 / 10 ? full_grass_ : grass_, dirt_, depth};
    }

    /// The largest difference of height to a neighbour two blocks away.
    [[nodiscard]] int steepness(int x, int z) const {
        const int here = landscape_.at(x, z).ground;
        int most = 0;
        for (const auto& [dx, dz] : std::array<std::array<int, 2>, 4>{{{2, 0}, {-2, 0}, {0, 2}, {0, -2}}}) {
            const int away = landscape_.at(x + dx, z + dz).ground - here;
            most = std::max(most, away < 0 ? -away : away);
        }
        return most;
    }

    /// Water that falls from a higher reach of the river beside this column.
    void fall(const Column& plan, int x, int z) {
        if (plan.water < 0) return;
        int top = plan.water;
        for (const auto& [dx, dz] : std::array<std::array<int, 2>, 4>{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}})
            top = std::max<int>(top, landscape_.at(x + dx, z + dz).water);
        for (int y = plan.water + 1; y <= top; ++y) canvas_.pour(x, y, z, Fluid::water, 8);
    }

    const Landscape& landscape_;
    Canvas& canvas_;
    Block bedrock_, slate_, stone_, grass_, full_grass_, dirt_, sand_, gravel_, clay_, mud_, snow_, ice_,
        cold_dirt_, cold_grass_, mossy_, pebbles_, path_, leaves_, needles_;
};

/// Turns the rock around a place into ore, in a lump of about `size` blocks.
void vein(Canvas& canvas, std::uint64_t seed, int x, int y, int z, const Ore& ore) {
    const auto stone = canvas.block("Rock_Stone");
    const auto slate = canvas.block("Rock_Slate");
    for (int i = 0; i < ore.size; ++i) {
        const auto rock = canvas.at(x, y, z);
        const auto key = rock == stone ? ore.in_stone : rock == slate ? ore.in_slate : std::string_view{};
        if (!key.empty()) canvas.set(x, y, z, key);
        switch (pick(seed, x + i * 7, z + y * 31, 80, 6)) {
        case 0: ++x; break;
        case 1: --x; break;
        case 2: ++z; break;
        case 3: --z; break;
        case 4: ++y; break;
        default: --y; break;
        }
    }
}

void lay_ores(const Landscape& landscape, Canvas& canvas) {
    const auto seed = landscape.seed();
    int salt = 100;
    for (const auto& ore : k_ores) {
        for (int chunk = 0; chunk < k_chunks * k_chunks; ++chunk) {
            const int x0 = k_low + chunk % k_chunks * k_side;
            const int z0 = k_low + chunk / k_chunks * k_side;
            for (int i = 0; i < ore.veins; ++i) {
                const auto spot = hash(seed, chunk, i, salt);
                const int span = ore.high - ore.low;
                // Two numbers added: most veins lie in the middle of the range.
                const int y = ore.low
                              + static_cast<int>((spot >> 10 & 0xFFFF) % static_cast<unsigned>(span / 2))
                              + static_cast<int>((spot >> 26 & 0xFFFF) % static_cast<unsigned>(span / 2));
                vein(canvas, seed, x0 + static_cast<int>(spot & 31), y, z0 + static_cast<int>(spot >> 5 & 31),
                     ore);
            }
        }
        ++salt;
    }
}

} // namespace

void lay_ground(const Landscape& landscape, Canvas& canvas) {
    Ground ground(landscape, canvas);
    for (int z = k_low; z < k_low + k_blocks; ++z)
        for (int x = k_low; x < k_low + k_blocks; ++x) ground.column(x, z);
    lay_ores(landscape, canvas);
}

} // namespace orbis::world::sample
