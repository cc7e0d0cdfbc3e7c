#include "world/sample/landscape.hpp"

#include "world/sample/noise.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace orbis::world::sample {
namespace {

/// From the mountains in the north into the lake, and out of it to the south-west.
constexpr std::array<Spot, 9> k_river{
    {{36, -352}, {28, -270}, {74, -205}, {46, -130}, {-16, -92}, {-6, -28}, {-52, 16}, {-78, 56}, {-92, 90}}};
constexpr std::array<Spot, 4> k_outflow{{{-170, 160}, {-232, 206}, {-246, 268}, {-236, 352}}};
constexpr Spot k_lake{-96, 126};
/// The river falls by this much at each step, and runs level for this many blocks between two.
constexpr int k_fall = 2;
constexpr int k_reach = 58;

/// Blocks in 256ths of a block.
std::int64_t fine(int blocks) { return std::int64_t{blocks} * 256; }

/// Length of a vector, in its own unit.
int length(std::int64_t x, std::int64_t z) { return static_cast<int>(root(x * x + z * z)); }

/// 65536 at the middle of a round hill, 0 at its foot.
int hill(int x, int z, Spot middle, int radius) {
    const int away = length(fine(x - middle.x), fine(z - middle.z));
    return smooth(k_one - share(away, 0, radius * 256));
}

int at_share(int height, int part) {
    return static_cast<int>(static_cast<std::int64_t>(height) * part >> 16);
}

std::uint32_t blend(std::uint32_t a, std::uint32_t b, int part) {
    std::uint32_t out = 0xFF;
    for (const int shift : {16, 8, 0}) {
        const int from = static_cast<int>(a >> shift & 0xFF);
        const int to = static_cast<int>(b >> shift & 0xFF);
        // Steps of 4 keep the number of different tints in a chunk small.
        out = out << 8 | static_cast<std::uint32_t>(mix(from, to, part) & ~3);
    }
    return out;
}

} // namespace

Nearest nearest(std::span<const Spot> line, int x256, int z256) {
    std::int64_t best = std::numeric_limits<std::int64_t>::max(); // squared
    std::size_t segment = 1;
    std::int64_t along = 0; // share of the segment
    for (std::size_t i = 1; i < line.size(); ++i) {
        const auto ax = fine(line[i - 1].x);
        const auto az = fine(line[i - 1].z);
        const auto dx = fine(line[i].x) - ax;
        const auto dz = fine(line[i].z) - az;
        const auto squared = std::max<std::int64_t>(dx * dx + dz * dz, 1);
        const auto dot = std::clamp<std::int64_t>((x256 - ax) * dx + (z256 - az) * dz, 0, squared);
        const auto part = dot * k_one / squared;
        const auto away_x = x256 - (ax + (dx * part >> 16));
        const auto away_z = z256 - (az + (dz * part >> 16));
        const auto away = away_x * away_x + away_z * away_z;
        if (away >= best) continue;
        best = away;
        segment = i;
        along = part;
    }
    Nearest found{.distance = static_cast<int>(root(best)), .along = 0};
    for (std::size_t i = 1; i <= segment; ++i) {
        const int whole = length(line[i].x - line[i - 1].x, line[i].z - line[i - 1].z);
        found.along += i == segment ? static_cast<int>(whole * along >> 16) : whole;
    }
    return found;
}

std::span<const std::vector<Spot>> paths() {
    static const std::array<std::vector<Spot>, 5> all{{
        {k_village, {84, 96}, {98, 60}, {92, 26}, {k_cave_mouth.x - 4, k_cave_mouth.z + 4}},
        {k_village,
         {46, 84},
         {26, 48},
         {20, 4},
         {6, -44},
         {-30, -56},
         {-74, -60},
         {k_hut.x + 8, k_hut.z + 8}},
        {k_village, {84, 148}, {130, 176}, {166, 204}, {k_tower.x - 6, k_tower.z}},
        {{84, 148}, {70, 210}, {86, 262}, {80, 330}},
        {k_village, {34, 122}, {16, 128}, {4, 128}},
    }};
    return all;
}

Landscape::Landscape(std::uint64_t seed)
    : seed_(seed), river_length_(nearest(k_river, k_river.back().x * 256, k_river.back().z * 256).along) {
    columns_.reserve(static_cast<std::size_t>(k_blocks) * k_blocks);
    for (int z = k_low; z < k_low + k_blocks; ++z)
        for (int x = k_low; x < k_low + k_blocks; ++x) columns_.push_back(plan(x, z));
}

const Column& Landscape::at(int x, int z) const {
    const int column = clamp(x - k_low, 0, k_blocks - 1);
    const int row = clamp(z - k_low, 0, k_blocks - 1);
    return columns_[static_cast<std::size_t>(row) * k_blocks + static_cast<std::size_t>(column)];
}

Column Landscape::plan(int x, int z) const {
    const auto rough = [&](int salt, int shift, int layers) {
        return fractal(seed_ + static_cast<std::uint64_t>(salt) * 1000U, x, z, shift, layers);
    };
    // Everything in 256ths of a block until the end.
    int height = 70 * 256 + at_share(9 * 256, rough(1, 7, 4));

    // The land falls from the north to the lake, as the river does.
    height += at_share(20 * 256, smooth(share(-z, -40, 300)));
    const int mountain = hill(x, z, {204, -196}, 205);
    const int ridge = k_one - std::abs(rough(2, 6, 4));
    height += at_share(at_share(92 * 256, mountain), mix(k_one / 3, k_one, ridge));
    height += at_share(20 * 256, hill(x, z, {-120, -300}, 150));
    const int woods = hill(x, z, {-216, -150}, 210);
    height += at_share(at_share(34 * 256, woods), mix(k_one / 2, k_one, noise(seed_ + 3, x, z, 6)));
    const int autumn = hill(x, z, {226, 220}, 150);
    height += at_share(32 * 256, autumn);
    height += at_share(at_share(34 * 256, hill(x, z, k_knoll, 62)),
                       mix(k_one * 3 / 4, k_one, rough(4, 4, 2) + k_one / 2));

    // The village stands on level ground, which rises gently into the fields.
    const int away = length(fine(x - k_village.x - 8), fine(z - k_village.z - 10));
    const int level = smooth(k_one - share(away, 58 * 256, 110 * 256));
    height = mix(height, k_village_ground * 256 + 128, level);

    Column column;
    const int bend_x = x * 256 + at_share(9 * 256, rough(5, 5, 2));
    const int bend_z = z * 256 + at_share(9 * 256, rough(6, 5, 2));

    // The lake: an ellipse with a ragged edge. `shore` is the distance from its edge, negative inside.
    const int lake = static_cast<int>(
        root(static_cast<std::int64_t>(bend_x - k_lake.x * 256) * (bend_x - k_lake.x * 256)
             + static_cast<std::int64_t>(bend_z - k_lake.z * 256) * (bend_z - k_lake.z * 256) * 9 / 4)
        - fine(104) + at_share(34 * 256, rough(7, 6, 3)));
    const int lake_top = k_lake_level * 256 + 255;
    if (lake < 0) {
        height = lake_top - 200 - at_share(15 * 256, smooth(share(-lake, 0, 60 * 256)));
    } else if (lake < 56 * 256) {
        height = mix(lake_top + 64, height, smooth(share(lake, 0, 56 * 256)));
    }
    const int island = hill(x, z, k_island, 26);
    if (island > 0) height = std::max(height, mix(40 * 256, 67 * 256, smooth(smooth(island))));
    if (lake < 0 || (island > 0 && lake < 256)) column.water = k_lake_level;

    // The river cuts its valley through everything but the lake.
    int water = -1;
    int river = 1 << 30;
    const auto cut = [&](std::span<const Spot> line, int half_width, bool falls) {
        const auto near = nearest(line, bend_x, bend_z);
        const int bed_width = half_width * 256;
        if (near.distance > bed_width + 44 * 256) return;
        const int left = std::max(0, river_length_ - near.along - 70);
        const int top = falls ? k_lake_level + k_fall * ((left + k_reach - 1) / k_reach) : k_lake_level;
        if (near.distance < bed_width) {
            const int depth = 128 + at_share(3 * 256, smooth(k_one - share(near.distance, 0, bed_width)));
            if (lake > 0 || height > (top + 1) * 256 - depth)
                height = std::min(height, (top + 1) * 256 - depth);
            if (height < (top + 1) * 256 && lake > 0) height = std::max(height, (top - 4) * 256);
            if (lake > 0) water = std::max(water, top);
        } else if (lake > 0) {
            const int bank = (top + 1) * 256 + 64;
            height = mix(bank, height, smooth(share(near.distance, bed_width + 256, bed_width + 44 * 256)));
        }
        river = std::min(river, near.distance);
    };
    cut(k_river, 6, true);
    cut(k_outflow, 7, false);
    if (water >= 0) column.water = static_cast<std::int16_t>(water);
    if (river < 200 * 256) column.river = static_cast<std::uint8_t>(river / 256);

    column.ground = static_cast<std::int16_t>(clamp(height >> 8, 8, 250));
    if (column.water < column.ground + 1) column.water = -1;

    int path = 1 << 30;
    for (const auto& line : paths())
        path = std::min(path, nearest(line, x * 256 + at_share(2 * 256, rough(8, 4, 1)),
                                      z * 256 + at_share(2 * 256, rough(9, 4, 1)))
                                  .distance);
    column.path = static_cast<std::uint8_t>(std::min(255, path / 64));

    // What grows here.
    const int cold = share(column.ground * 256 + rough(10, 4, 2) / 12, 84 * 256, 112 * 256);
    int forest = clamp(at_share(k_one * 2, woods) + rough(11, 6, 4) * 3 / 2 - k_one / 2, 0, k_one);
    forest = std::max(forest, clamp(at_share(k_one * 2, autumn) + rough(12, 6, 4) - k_one / 2, 0, k_one));
    forest = std::max(forest, clamp(rough(13, 6, 2) * 2 - k_one * 2 / 5, 0, k_one / 2));
    forest = at_share(forest, k_one - level);
    column.forest = static_cast<std::uint8_t>(forest * 255 >> 16);

    const bool is_autumn = autumn > k_one / 5 + rough(14, 5, 3) / 4;
    if (column.water >= 0)
        column.biome = Biome::bed;
    else if (((lake > 0 && lake < 9 * 256) || island > 0) && column.ground <= k_lake_level + 2)
        column.biome = Biome::shore;
    else if (column.ground * 256 + rough(15, 4, 2) / 10 > 130 * 256 && mountain > 0)
        column.biome = Biome::snow;
    else if (column.ground * 256 + rough(15, 4, 2) / 10 > 104 * 256 && mountain > 0)
        column.biome = Biome::rock;
    else if (cold > k_one / 4 && mountain > 0)
        column.biome = Biome::pines;
    else if (level > k_one * 3 / 4)
        column.biome = Biome::village;
    else if (is_autumn)
        column.biome = Biome::autumn;
    else if (forest > k_one / 3)
        column.biome = Biome::forest;

    auto tint = blend(0x84B840, 0x4F8F33, forest);
    tint = blend(tint, 0x9CC04C, at_share(k_one * 2 / 3, k_one - share(std::abs(lake), 0, 40 * 256)));
    tint = blend(tint, 0xC8A23E, smooth(share(autumn + rough(14, 5, 3) / 6, k_one / 10, k_one * 2 / 5)));
    tint = blend(tint, 0x5E9C74, at_share(cold, smooth(share(mountain, 0, k_one / 4))));
    tint = blend(tint, 0xB4BC58, clamp(rough(17, 6, 3) * 5 / 4 - k_one / 8, 0, k_one / 2));
    column.tint = blend(tint, 0x629A38, clamp(rough(16, 6, 3) - k_one / 16, 0, k_one / 2));
    return column;
}

} // namespace orbis::world::sample
