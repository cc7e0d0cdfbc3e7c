#include "world/sample/landmarks.hpp"

#include "world/sample/holders.hpp"
#include "world/sample/house.hpp"
#include "world/sample/noise.hpp"
#include "world/sample/village.hpp"

#include <array>

namespace orbis::world::sample {

void build_bridges(const Landscape& landscape, Canvas& canvas) {
    const auto planks = canvas.block("Wood_Hardwood_Planks");
    const auto fence = canvas.block("Wood_Hardwood_Fence");
    const auto beam = canvas.block("Wood_Oak_Trunk");
    for (int z = k_low; z < k_low + k_blocks; ++z)
        for (int x = k_low; x < k_low + k_blocks; ++x) {
            const auto& plan = landscape.at(x, z);
            if (plan.path >= 13 || plan.river > 11) continue;
            // One deck from bank to bank: as high as the highest water under it.
            int water = plan.water;
            for (int dz = -4; dz <= 4; ++dz)
                for (int dx = -4; dx <= 4; ++dx)
                    water = std::max<int>(water, landscape.at(x + dx, z + dz).water);
            if (water < 0 || plan.ground > water + 1) continue;
            for (int y = water + 1; y <= water + 4; ++y) canvas.set(x, y, z, Block{0});
            canvas.set(x, water + 1, z, planks);
            if (plan.path >= 9) canvas.set(x, water + 2, z, fence);
            if (plan.path >= 9 && plan.water >= 0 && pick(landscape.seed(), x, z, 520, 5) == 0)
                for (int y = plan.ground + 1; y <= plan.water; ++y) canvas.set(x, y, z, beam);
        }
}

void build_pier(const Landscape& landscape, Canvas& canvas) {
    const auto planks = canvas.block("Wood_Hardwood_Planks");
    const auto post = canvas.block("Wood_Oak_Trunk");
    constexpr int z0 = 128;
    const int deck = k_lake_level + 2;
    int end = 24;
    while (end > -60 && landscape.at(end, z0).water < 0) --end; // the edge of the lake
    const int tip = end - 26;
    for (int x = tip; x <= end + 4; ++x)
        for (int z = z0 - 1; z <= z0 + 1; ++z) {
            const auto& plan = landscape.at(x, z);
            if (plan.ground >= deck) continue;
            canvas.set(x, deck, z, planks);
            if (z != z0 && (x - tip) % 6 == 0)
                for (int y = plan.ground + 1; y < deck; ++y) canvas.set(x, y, z, post);
        }
    canvas.fill(tip - 4, deck, z0 - 4, tip, deck, z0 + 4, planks);
    for (const int x : {tip - 4, tip})
        for (const int z : {z0 - 4, z0 + 4}) {
            for (int y = landscape.at(x, z).ground + 1; y < deck; ++y) canvas.set(x, y, z, post);
            put_lantern(canvas, x, deck, z);
        }
    canvas.set(tip - 2, deck + 1, z0 + 3, "Furniture_Tavern_Barrel");
    canvas.set(tip - 3, deck + 1, z0 + 2, "Furniture_Village_Chest_Small", Facing::north);
    canvas.attach(
        tip - 3, deck + 1, z0 + 2,
        chest(18, std::array<Item, 3>{
                      {{"Food_Fish_Raw", 11}, {"Ingredient_Stick", 6}, {"Tool_Fishing_Rod", 1, 60}}}));
    // A boat at the pier: a hull of planks, a mast and a sail.
    const int bx = tip + 12;
    const int bz = z0 + 6;
    const auto hull = canvas.block("Wood_Redwood_Planks");
    for (int dx = -4; dx <= 4; ++dx)
        for (int dz = -1; dz <= 1; ++dz) {
            const bool stem = dx == -4 || dx == 4;
            if (stem && dz != 0) continue;
            canvas.set(bx + dx, k_lake_level, bz + dz, hull);
            if (stem || dz != 0) canvas.set(bx + dx, k_lake_level + 1, bz + dz, hull);
        }
    canvas.fill(bx, k_lake_level + 1, bz, bx, k_lake_level + 6, bz, canvas.block("Wood_Softwood_Fence"));
    canvas.fill(bx + 1, k_lake_level + 3, bz, bx + 3, k_lake_level + 6, bz,
                canvas.block("Cloth_Block_Wool_White"));
}

void build_hut(const Landscape& landscape, Canvas& canvas) {
    const int ground = landscape.at(k_hut).ground;
    level_ground(landscape, canvas, k_hut.x - 7, k_hut.z - 7, k_hut.x + 9, k_hut.z + 9, ground);
    build_house(canvas, {k_hut.x - 4, k_hut.z - 4, 8, 7, Facing::south, Use::home, &k_log_house}, ground);
    // Felled trunks lie in a pile: turned by a quarter around the x axis and around the z axis.
    for (int i = 0; i < 3; ++i)
        for (int y = 1; y + i <= 3; ++y)
            for (int dz = 0; dz < 4; ++dz) {
                canvas.set(k_hut.x + 6 + i, ground + y, k_hut.z - 4 + dz, "Wood_Oak_Trunk");
                canvas.turn(k_hut.x + 6 + i, ground + y, k_hut.z - 4 + dz, 4);
            }
    canvas.set(k_hut.x + 5, ground + 1, k_hut.z + 4, "Bench_Campfire");
    canvas.attach(k_hut.x + 5, ground + 1, k_hut.z + 4,
                  processing_bench({}, std::array<Item, 1>{{{"Wood_Oak_Trunk", 2}}}));
    put_lantern(canvas, k_hut.x + 2, ground, k_hut.z + 6);
}

void build_tower(const Landscape& landscape, Canvas& canvas) {
    const auto stone = canvas.block("Rock_Stone_Brick");
    const auto cobble = canvas.block("Rock_Stone_Cobble");
    const auto planks = canvas.block("Wood_Hardwood_Planks");
    const int ground = landscape.at(k_tower).ground;
    constexpr int radius = 5;
    constexpr int floors = 4;
    constexpr int storey = 5;
    const int top = ground + floors * storey;
    for (int dz = -radius; dz <= radius; ++dz)
        for (int dx = -radius; dx <= radius; ++dx) {
            const int away = dx * dx + dz * dz;
            if (away > radius * radius + 3) continue;
            const int x = k_tower.x + dx;
            const int z = k_tower.z + dz;
            const bool wall = away > (radius - 1) * (radius - 1) + 2;
            for (int y = ground - 6; y <= top; ++y) {
                const bool deck = y <= ground || (y - ground) % storey == 0;
                const auto shell = pick(landscape.seed(), x + y, z, 530, 4) == 0 ? cobble : stone;
                canvas.set(x, y, z, wall || y <= ground ? shell : deck ? planks : Block{0});
            }
            if (wall && (dx + dz) % 2 == 0)
                canvas.fill(x, top + 1, z, x, top + 2, z, stone);
            else if (wall)
                canvas.set(x, top + 1, z, stone);
        }
    // A ladder goes through all floors on the east side; windows look out of every storey.
    for (int y = ground + 1; y <= top; ++y)
        canvas.set(k_tower.x + 3, y, k_tower.z, "Furniture_Village_Ladder", Facing::east);
    for (int floor = 0; floor < floors; ++floor) {
        const int y = ground + floor * storey + 2;
        canvas.set(k_tower.x, y, k_tower.z - radius, "Furniture_Village_Window", Facing::north);
        canvas.set(k_tower.x, y, k_tower.z + radius, "Furniture_Village_Window", Facing::south);
        canvas.set(k_tower.x + 1, y + 1, k_tower.z - radius + 1, "Wood_Torch_Wall", Facing::north);
    }
    put_door(canvas, k_tower.x - radius, ground + 1, k_tower.z, "Furniture_Village_Door", Facing::west);
    canvas.set(k_tower.x, top + 1, k_tower.z, "Furniture_Village_Brazier");
    const int loft = ground + (floors - 1) * storey + 1;
    canvas.set(k_tower.x - 2, loft, k_tower.z + 2, "Furniture_Village_Chest_Small", Facing::east);
    canvas.attach(
        k_tower.x - 2, loft, k_tower.z + 2,
        chest(18, std::array<Item, 3>{
                      {{"Weapon_Arrow_Iron", 40}, {"Weapon_Shortbow_Iron", 1, 180}, {"Food_Bread", 4}}}));
}

void build_stone_circle(const Landscape& landscape, Canvas& canvas) {
    const auto marble = canvas.block("Rock_Marble");
    const auto mossy = canvas.block("Rock_Stone_Mossy");
    constexpr std::array<std::array<int, 2>, 8> places{
        {{7, 0}, {5, 5}, {0, 7}, {-5, 5}, {-7, 0}, {-5, -5}, {0, -7}, {5, -5}}};
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int x = k_island.x + places[i][0];
        const int z = k_island.z + places[i][1];
        const int ground = landscape.at(x, z).ground;
        const int height = i == 3 ? 2 : 4 + pick(landscape.seed(), x, z, 540, 3); // one of them has fallen
        canvas.fill(x, ground, z, x, ground + height, z, marble);
        canvas.set(x, ground + 1, z, mossy);
        canvas.fill(x + 1, ground, z, x + 1, ground + height - 1, z, marble);
    }
    const int ground = landscape.at(k_island).ground;
    canvas.fill(k_island.x - 1, ground, k_island.z - 1, k_island.x + 1, ground, k_island.z + 1, marble);
    canvas.set(k_island.x, ground + 1, k_island.z, "Furniture_Human_Ruins_Chest_Small", Facing::south);
    canvas.attach(k_island.x, ground + 1, k_island.z,
                  chest(18, std::array<Item, 4>{{{"Ingredient_Bar_Gold", 6},
                                                 {"Rock_Gem_Emerald", 1},
                                                 {"Potion_Health", 2},
                                                 {"Weapon_Longsword_Steel", 1, 320}}}));
    for (const auto& [dx, dz] : std::array<std::array<int, 2>, 2>{{{-2, 0}, {2, 0}}})
        canvas.set(k_island.x + dx, landscape.at(k_island.x + dx, k_island.z + dz).ground + 1,
                   k_island.z + dz, "Rock_Crystal_Cyan_Medium");
}

void place_inhabitants(const Landscape& landscape, Canvas& canvas) {
    struct Being {
        Spot place;
        std::string_view model;
        std::string_view name;
    };
    constexpr std::array<Being, 15> beings{{
        {{52, 122}, "Kweebec_Sapling", "Alder"},
        {{60, 123}, "Kweebec_Sapling", "Bramble"},
        {{47, 108}, "Kweebec_Sapling", "Clover"},
        {{88, 118}, "Kweebec_Sapling", "Dill"},
        {{109, 124}, "Kweebec_Sapling", "Fern"},
        {{k_hut.x + 2, k_hut.z + 5}, "Kweebec_Sapling", "Hazel"},
        {{150, 96}, "Cow", ""},
        {{154, 99}, "Cow", ""},
        {{147, 101}, "Cow", ""},
        {{150, 105}, "Sheep", ""},
        {{26, 108}, "Chicken", ""},
        {{28, 110}, "Chicken", ""},
        {{-60, -130}, "Deer_Doe", ""},
        {{-66, -126}, "Deer_Stag", ""},
        {{-20, 40}, "Fox", ""},
    }};
    int number = 400;
    for (const auto& being : beings) {
        const auto& plan = landscape.at(being.place);
        int y = plan.ground + 1;
        while (y < k_world_height && !canvas.empty(being.place.x, y, being.place.z)) ++y;
        const auto uuid = make_uuid(landscape.seed(), number);
        const int yaw = pick(landscape.seed(), being.place.x, being.place.z, 550, 63) - 31;
        canvas.add_entity(BlockPos{being.place.x, y, being.place.z}.chunk(),
                          figure({being.place.x + 0.5, static_cast<double>(y), being.place.z + 0.5, yaw,
                                  being.model, being.name},
                                 uuid));
        ++number;
    }
}

} // namespace orbis::world::sample
