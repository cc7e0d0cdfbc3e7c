#include "dense_terrain.hpp"

#include "chunk/shape.hpp"
#include "world/sample/noise.hpp"

#include <algorithm>
#include <tuple>

namespace orbis::bench {

using world::sample::fractal;
using world::sample::k_one;
using world::sample::mix;
using world::sample::noise;

namespace {

constexpr std::uint64_t k_seed = 7;

/// Smooth noise 0…65536 in three dimensions within one chunk; its bumps are 2^`shift` blocks wide.
class Field {
public:
    Field(std::uint64_t seed, ChunkPos pos, int shift)
        : shift_(shift), side_((k_side >> shift) + 1), levels_((DenseTerrain::k_height >> shift) + 1) {
        corners_.reserve(static_cast<std::size_t>(side_ * side_ * levels_));
        for (int y = 0; y < levels_; ++y)
            for (int z = 0; z < side_; ++z)
                for (int x = 0; x < side_; ++x)
                    corners_.push_back(world::sample::pick(seed + static_cast<unsigned>(y) * 977,
                                                           pos.x * (k_side >> shift) + x,
                                                           pos.z * (k_side >> shift) + z, shift, k_one + 1));
    }

    [[nodiscard]] int at(int x, int y, int z) const {
        const int mask = (1 << shift_) - 1;
        const auto share = [&](int value) { return (value & mask) << (16 - shift_); };
        const int* corner = &corners_[static_cast<std::size_t>(((y >> shift_) * side_ + (z >> shift_)) * side_
                                                               + (x >> shift_))];
        const auto square = [&](const int* low) {
            return mix(mix(low[0], low[1], share(x)), mix(low[side_], low[side_ + 1], share(x)), share(z));
        };
        return mix(square(corner), square(corner + side_ * side_), share(y));
    }

private:
    int shift_;
    int side_;
    int levels_;
    std::vector<int> corners_;
};

/// A rock, what is broken off it, what hangs from it, and the ores in it.
struct Rock {
    std::string_view name;
    std::string_view rubble;
    std::string_view small_rubble;
    std::string_view large_stalactite;
    std::string_view small_stalactite;
    std::array<std::string_view, 3> ores;
};
constexpr std::array<Rock, 5> k_rocks{{
    {"Rock_Volcanic",
     "Rubble_Volcanic",
     "Rubble_Volcanic_Medium",
     "Rock_Volcanic_Stalactite_Large",
     "Rock_Volcanic_Stalactite_Small",
     {"Ore_Iron_Volcanic", "Ore_Gold_Volcanic", "Ore_Silver_Volcanic"}},
    {"Rock_Basalt",
     "Rubble_Basalt",
     "Rubble_Basalt_Medium",
     "Rock_Basalt_Stalactite_Large",
     "Rock_Basalt_Stalactite_Small",
     {"Ore_Iron_Basalt", "Ore_Gold_Basalt", "Ore_Silver_Basalt"}},
    {"Rock_Stone",
     "Rubble_Stone",
     "Rubble_Stone_Medium",
     "Rock_Stone_Stalactite_Large",
     "Rock_Stone_Stalactite_Small",
     {"Ore_Iron_Stone", "Ore_Copper_Stone", "Ore_Gold_Stone"}},
    {"Rock_Sandstone",
     "Rubble_Sandstone",
     "Rubble_Sandstone_Medium",
     "Rock_Sandstone_Stalactite_Large",
     "Rock_Sandstone_Stalactite_Small",
     {"Ore_Copper_Sandstone", "Ore_Iron_Sandstone", "Ore_Thorium_Sandstone"}},
    {"Rock_Sandstone_Red",
     "Rubble_Sandstone_Red",
     "Rubble_Sandstone_Red_Medium",
     "Rock_Sandstone_Red_Stalactite_Large",
     "Rock_Sandstone_Red_Stalactite_Small",
     {"Ore_Copper_Sandstone", "Ore_Silver_Sandstone", "Ore_Thorium_Sandstone"}},
}};

const Rock* rock_named(std::string_view name) {
    const auto found = std::ranges::find(k_rocks, name, &Rock::name);
    return found == k_rocks.end() ? nullptr : &*found;
}

/// What lies on the floor of caves; the deeper ones first.
constexpr std::array<std::string_view, 14> k_cave_floor{"Plant_Bramble_Dead_Lavathorn",
                                                        "Rock_Crystal_Red_Small",
                                                        "Deco_Bone_Pile",
                                                        "Rock_Crystal_Green_Small",
                                                        "Plant_Bramble_Dead_Twisted",
                                                        "Deco_SpiderWeb_Full",
                                                        "Plant_Crop_Mushroom_Glowing_Orange",
                                                        "Plant_Crop_Mushroom_Cap_Brown",
                                                        "Plant_Grass_Cave_Short",
                                                        "Plant_Moss_Rug_Yellow",
                                                        "Plant_Fern_Arid",
                                                        "Plant_Crop_Mushroom_Common_Brown",
                                                        "Plant_Moss_Short_Green",
                                                        "Plant_Moss_Rug_Green"};

constexpr std::array<std::string_view, 20> k_herbs{"Plant_Grass_Arid",
                                                   "Plant_Grass_Arid_Short",
                                                   "Plant_Grass_Lush_Short",
                                                   "Plant_Grass_Lush",
                                                   "Plant_Grass_Sharp_Short",
                                                   "Plant_Grass_Lush_Tall",
                                                   "Plant_Grass_Dry",
                                                   "Plant_Bush_Arid",
                                                   "Plant_Bush_Lush",
                                                   "Plant_Flower_Common_Red",
                                                   "Plant_Flower_Flax_Orange",
                                                   "Plant_Flower_Common_White",
                                                   "Plant_Fern",
                                                   "Plant_Bramble_Dry_Twisted",
                                                   "Plant_Flower_Tall_Yellow",
                                                   "Rubble_Sandstone",
                                                   "Rubble_Stone",
                                                   "Plant_Flower_Bushy_Blue",
                                                   "Plant_Bush_Dead",
                                                   "Plant_Grass_Gnarled"};

struct Tree {
    std::string_view trunk;
    std::string_view roots;
    std::string_view branch;
    std::string_view leaves;
};
constexpr std::array<Tree, 3> k_trees{{
    {"Wood_Oak_Trunk_Full", "Wood_Oak_Roots", "Wood_Oak_Branch_Long", "Plant_Leaves_Oak"},
    {"Wood_Ash_Trunk_Full", "Wood_Ash_Roots", "Wood_Ash_Branch_Long", "Plant_Leaves_Ash"},
    {"Wood_Dry_Trunk_Full", "Wood_Dry_Roots", "Wood_Dry_Branch_Long", "Plant_Leaves_Dry"},
}};

/// The stones of ruins, the frequent ones first.
constexpr std::array<std::string_view, 12> k_ruins{
    "Rock_Sandstone_Brick",     "Rock_Basalt_Brick",           "Rock_Quartzite_Brick",
    "Rock_Basalt_Cobble",       "Rock_Sandstone_Cobble",       "Rock_Sandstone_Brick_Half",
    "Rock_Basalt_Brick_Stairs", "Rock_Sandstone_Brick_Stairs", "Wood_Drywood_Planks",
    "Rock_Quartzite",           "Rock_Sandstone_Red_Brick",    "Soil_Pathway"};

} // namespace

/// What decides about rock and caves in the whole chunk.
struct DenseTerrain::Fields {
    explicit Fields(ChunkPos pos)
        : wide_caves(k_seed + 10, pos, 4),
          narrow_caves(k_seed + 20, pos, 3),
          kinds(k_seed + 30, pos, 5),
          pockets(k_seed + 40, pos, 4),
          lumps(k_seed + 50, pos, 2) {}

    [[nodiscard]] bool is_cave(int x, int y, int z) const {
        const int open = y < 20 ? 43'000 : y < 62 ? 36'500 : y < 96 ? 41'500 : 45'500;
        return (wide_caves.at(x, y, z) * 3 + narrow_caves.at(x, y, z)) / 4 > open;
    }

    Field wide_caves;
    Field narrow_caves;
    Field kinds;
    Field pockets;
    Field lumps;
};

DenseTerrain::DenseTerrain() : cells_(static_cast<std::size_t>(k_height) * k_columns) {
    numbers_.emplace(keys_[0], 0);
}

std::uint16_t DenseTerrain::key(std::string_view name) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<std::uint16_t>(keys_.size()));
    if (is_new) keys_.push_back(name);
    return at->second;
}

int DenseTerrain::chance(int x, int z, int salt, int limit) const {
    return world::sample::pick(k_seed, pos_.x * k_side + x, pos_.z * k_side + z, salt, limit);
}

std::uint16_t DenseTerrain::rock(const Fields& fields, int x, int y, int z, int ground) {
    const int wx = pos_.x * k_side + x;
    const int wz = pos_.z * k_side + z;
    if (y < 5 || (y == 5 && chance(x, z, 1, 4) == 0)) return key("Rock_Bedrock");
    const int bend = fractal(k_seed + 1, wx, wz, 5, 2) * 8 / k_one;
    const bool is_lump = fields.lumps.at(x, y, z) > 58'000;
    if (y < 44 + bend) {
        if (is_lump && y > 8 && fields.is_cave(x, y + 2, z)) return key("Rock_Volcanic_Cracked_Lava");
        return key(fields.pockets.at(x, y, z) > 49'000 && y > 30 ? "Rock_Basalt" : "Rock_Volcanic");
    }
    if (y > ground - 5) {
        const int patch = noise(k_seed + 2, wx, wz, 4);
        if (y == ground)
            return key(patch > 42'000 ? "Soil_Grass" : patch > 20'000 ? "Soil_Grass_Dry" : "Soil_Sand_White");
        if (patch < 20'000) return key("Soil_Gravel_Sand");
        return key(is_lump ? "Soil_Clay" : patch > 42'000 ? "Soil_Dirt" : "Soil_Dirt_Dry");
    }
    const int kind = fields.kinds.at(x, y, z);
    const int pocket = fields.pockets.at(x, y, z);
    if (y < 60 + bend)
        return key(pocket > 40'000 ? "Rock_Basalt" : kind > 36'000 ? "Rock_Sandstone_Red" : "Rock_Stone");
    if (pocket > 52'000) return key("Soil_Dirt_Dry");
    if (pocket < 12'000) return key(y < 110 ? "Rock_Sandstone_White" : "Soil_Clay");
    if (is_lump) return key("Soil_Gravel_Sand");
    return key(kind > 33'000 ? "Rock_Sandstone" : "Rock_Stone");
}

void DenseTerrain::lay_rock(const Fields& fields) {
    const auto lava = std::uint8_t{1};
    const auto water = std::uint8_t{2};
    const bool is_wet = world::sample::pick(k_seed, pos_.x, pos_.z, 2, 2) == 0;
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        const int x = column.x();
        const int z = column.z();
        const int wx = pos_.x * k_side + x;
        const int wz = pos_.z * k_side + z;
        const int ground = 124 + fractal(k_seed, wx, wz, 6, 4) * 30 / k_one;
        grounds_[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(ground);
        for (int y = 0; y < k_height; ++y) {
            auto& here = cell(x, y, z);
            here = {};
            if (y > ground) continue;
            if (y > 5 && fields.is_cave(x, y, z)) {
                if (y < 12) here.fluid = lava;
                if (is_wet && y >= 32 && y < 36) here.fluid = water;
                here.ticks = here.fluid == lava && chance(x, z, 3 + y, 4) == 0;
                continue;
            }
            here.block = rock(fields, x, y, z, ground);
            // Loose soil lies as it fell.
            if (keys_[here.block].starts_with("Soil_Gravel") || y == ground)
                here.rotation = static_cast<std::uint8_t>(chance(x, z, 200 + y, 4));
        }
    }
}

void DenseTerrain::lay_ores() {
    for (int vein = 0; vein < 90; ++vein) {
        int x = chance(vein, 0, 300, k_side);
        int y = 6 + chance(vein, 1, 300, 110);
        int z = chance(vein, 2, 300, k_side);
        const auto kind = static_cast<std::size_t>(chance(vein, 3, 300, 3));
        for (int i = 0; i < 8; ++i) {
            auto& here = cell(x, y, z);
            if (const auto* rock = rock_named(keys_[here.block])) here.block = key(rock->ores[kind]);
            const int step = chance(vein, i, 301, 6);
            x = std::clamp(x + (step == 0) - (step == 1), 0, k_side - 1);
            y = std::clamp(y + (step == 2) - (step == 3), 6, k_height - 1);
            z = std::clamp(z + (step == 4) - (step == 5), 0, k_side - 1);
        }
    }
}

void DenseTerrain::furnish(DenseCell& here, int x, int y, int z) {
    const int luck = chance(x, z, 400 + y, 60);
    const auto* below = rock_named(keys_[cell(x, y - 1, z).block]);
    const auto* above = rock_named(keys_[cell(x, y + 1, z).block]);
    if (below != nullptr && luck < 8) {
        // Few kinds in the depth.
        const auto kind = static_cast<std::size_t>(y * 8 / 120 + chance(x, z, 500 + y, y < k_side ? 2 : 6));
        here.block = key(luck < 2 ? below->rubble : luck < 3 ? below->small_rubble : k_cave_floor[kind]);
        here.rotation = static_cast<std::uint8_t>(chance(x, z, 600 + y, 4));
        here.support = y >= 32 && y < 64 && (pos_.x & 1) == 0 ? 15 : 0;
    } else if (above != nullptr && luck < 6) {
        const bool is_large = luck < 4;
        here.block = key(is_large ? above->large_stalactite : above->small_stalactite);
        here.rotation = static_cast<std::uint8_t>(8 + (luck & 3));
        auto& lower = cell(x, y - 1, z);
        if (is_large && lower.block == 0 && lower.fluid == 0)
            lower = {.block = here.block,
                     .filler = chunk::Filler::of_offset(0, -1, 0).stored,
                     .rotation = here.rotation};
    }
}

void DenseTerrain::furnish_caves() {
    for (int y = 7; y < 120; ++y)
        for (int z = 0; z < k_side; ++z)
            for (int x = 0; x < k_side; ++x)
                if (auto& here = cell(x, y, z);
                    here.block == 0 && here.fluid == 0 && y <= ground(ColumnIndex(x, z)))
                    furnish(here, x, y, z);
}

void DenseTerrain::build_ruin(int number) {
    const int x0 = 3 + chance(number, 0, 700, 16);
    const int y0 = 38 + number * 26 + chance(number, 1, 700, 14);
    const int z0 = 3 + chance(number, 2, 700, 16);
    constexpr int k_room = 8;
    for (int y = 0; y < 6; ++y)
        for (int z = 0; z < k_room; ++z)
            for (int x = 0; x < k_room; ++x) {
                auto& here = cell(x0 + x, y0 + y, z0 + z);
                const bool is_wall = y == 0 || x == 0 || z == 0 || x == k_room - 1 || z == k_room - 1;
                const int luck = chance(x0 + x, z0 + z, 710 + y, 100);
                here = {};
                if (!is_wall || luck < 25) continue;
                const auto kind = luck < 90 ? luck / 30 : luck - 88;
                here.block = key(k_ruins[static_cast<std::size_t>(kind)]);
                if (kind > 4) here.rotation = static_cast<std::uint8_t>(chance(x, z, 720 + y, 12));
            }
    cell(x0 + 2, y0 + 1, z0 + 2) = {.block = key("Furniture_Desert_Chest_Small")};
    chests_.push_back({pos_.x * k_side + x0 + 2, y0 + 1, pos_.z * k_side + z0 + 2});
}

void DenseTerrain::grow_tree(int x, int z, int kind) {
    const auto& tree = k_trees[static_cast<std::size_t>(kind)];
    const int foot = ground(ColumnIndex(x, z)) + 1;
    const int top = foot + 5 + chance(x, z, 800, 4);
    for (int y = top - 3; y <= top + 1; ++y)
        for (int dz = -2; dz <= 2; ++dz)
            for (int dx = -2; dx <= 2; ++dx) {
                if (dx * dx + dz * dz > 5 || chance(x + dx, z + dz, 810 + y, 6) == 0) continue;
                if (auto& here = cell(x + dx, y, z + dz); here.block == 0) here.block = key(tree.leaves);
            }
    for (int y = foot; y < top; ++y) cell(x, y, z) = {.block = key(y == foot ? tree.roots : tree.trunk)};
    for (int arm = 0; arm < 2; ++arm)
        cell(x + 1 - 2 * arm, top - 2, z) = {
            .block = key(tree.branch), .rotation = static_cast<std::uint8_t>(4 + chance(x, z, 820 + arm, 8))};
}

void DenseTerrain::plant() {
    for (int i = 0; i < 4; ++i)
        grow_tree(3 + chance(i, 0, 830, k_side - 6), 3 + chance(i, 1, 830, k_side - 6), chance(i, 2, 830, 3));
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        auto& here = cell(column.x(), ground(column) + 1, column.z());
        const int luck = chance(column.x(), column.z(), 840, 800);
        if (here.block != 0 || luck >= 90) continue;
        here = {.block = key(k_herbs[static_cast<std::size_t>(luck % 20)]),
                .rotation = static_cast<std::uint8_t>(chance(column.x(), column.z(), 841, 4))};
        if (luck < 10) {
            here.block = key("Plant_Crop_Berry_Block");
            bushes_.push_back(
                {pos_.x * k_side + column.x(), ground(column) + 1, pos_.z * k_side + column.z()});
        }
    }
}

void DenseTerrain::make(ChunkPos pos) {
    pos_ = pos;
    bushes_.clear();
    chests_.clear();
    lay_rock(Fields(pos));
    lay_ores();
    furnish_caves();
    for (int number = 0; number < 2; ++number) build_ruin(number);
    plant();
}

} // namespace orbis::bench
