#include "world/sample/house.hpp"

#include <algorithm>
#include <array>

namespace orbis::world::sample {
namespace {

constexpr int k_wall_height = 4;

/// The cells of the furniture that takes more than one, besides the first.
constexpr std::array<Offset, 1> k_door_cells{{{0, 1, 0}}};
constexpr std::array<Offset, 1> k_bed_cells{{{0, 0, 1}}};
constexpr std::array<Offset, 3> k_table_cells{{{1, 0, 0}, {0, 0, 1}, {1, 0, 1}}};
constexpr std::array<Offset, 1> k_workbench_cells{{{-1, 0, 0}}};

class Builder {
public:
    Builder(Canvas& canvas, const House& house, int ground)
        : canvas_(canvas),
          house_(house),
          floor_(ground + 1),
          x1_(house.x + house.width - 1),
          z1_(house.z + house.length - 1) {}

    void build() {
        base();
        walls();
        windows();
        roof();
        entrance();
        furnish();
    }

private:
    [[nodiscard]] int top() const { return floor_ + k_wall_height; }

    void base() {
        const auto cobble = canvas_.block("Rock_Stone_Cobble");
        canvas_.fill(house_.x, floor_ - 4, house_.z, x1_, floor_, z1_, cobble);
        canvas_.fill(house_.x - 1, floor_ + 1, house_.z - 1, x1_ + 1, top() + 8, z1_ + 1, Block{0});
        canvas_.fill(house_.x + 1, floor_, house_.z + 1, x1_ - 1, floor_, z1_ - 1,
                     canvas_.block(house_.style->planks));
    }

    void walls() {
        const auto wall = canvas_.block(house_.style->wall);
        const auto beam = canvas_.block(house_.style->beam);
        for (int y = floor_ + 1; y <= top(); ++y) {
            for (int x = house_.x; x <= x1_; ++x)
                for (const int z : {house_.z, z1_}) canvas_.set(x, y, z, wall);
            for (int z = house_.z; z <= z1_; ++z)
                for (const int x : {house_.x, x1_}) canvas_.set(x, y, z, wall);
            for (const int x : {house_.x, x1_})
                for (const int z : {house_.z, z1_}) canvas_.set(x, y, z, beam);
        }
    }

    void windows() {
        const int y = floor_ + 2;
        for (int x = house_.x + 2; x <= x1_ - 2; x += 3) {
            canvas_.set(x, y, house_.z, "Furniture_Village_Window");
            canvas_.set(x, y, z1_, "Furniture_Village_Window", Facing::south);
        }
        for (int z = house_.z + 2; z <= z1_ - 2; z += 3) {
            canvas_.set(house_.x, y, z, "Furniture_Village_Window", Facing::west);
            canvas_.set(x1_, y, z, "Furniture_Village_Window", Facing::east);
        }
    }

    /// Two slopes that meet over the middle of the shorter side, one block wider than the walls.
    void roof() {
        const bool along_x = house_.width >= house_.length;
        const int low = (along_x ? house_.z : house_.x) - 1;
        const int high = (along_x ? z1_ : x1_) + 1;
        const int from = (along_x ? house_.x : house_.z) - 1;
        const int to = (along_x ? x1_ : z1_) + 1;
        const auto tile = canvas_.block(house_.style->roof);
        const auto planks = canvas_.block(house_.style->planks);
        const auto put = [&](int across, int y, int along, Block block, Facing facing = Facing::north) {
            along_x ? canvas_.set(along, y, across, block, facing)
                    : canvas_.set(across, y, along, block, facing);
        };
        for (int i = 0; low + i <= high - i; ++i) {
            const int y = top() + i;
            for (int along = from; along <= to; ++along) {
                if (low + i == high - i) {
                    put(low + i, y, along, planks);
                    continue;
                }
                put(low + i, y, along, tile, along_x ? Facing::south : Facing::east);
                put(high - i, y, along, tile, along_x ? Facing::north : Facing::west);
                // The gables are closed with planks.
                if (along == from + 1 || along == to - 1)
                    for (int across = low + i + 1; across < high - i; ++across)
                        if (y > top()) put(across, y, along, planks);
            }
        }
        if ((high - low) % 2 != 0) // an even width leaves the ridge without a cap
            for (int along = from; along <= to; ++along)
                for (const int across : {(low + high) / 2, (low + high) / 2 + 1})
                    put(across, top() + (high - low) / 2 + 1, along,
                        canvas_.block(std::string(house_.style->roof) + "_Flat"));
    }

    void entrance() {
        const auto facing = house_.door;
        const int dx = step_x(facing);
        const int dz = step_z(facing);
        door_x_ = dx > 0 ? x1_ : dx < 0 ? house_.x : house_.x + house_.width / 2;
        door_z_ = dz > 0 ? z1_ : dz < 0 ? house_.z : house_.z + house_.length / 2;
        put_door(canvas_, door_x_, floor_ + 1, door_z_, "Furniture_Village_Door", facing);
        const auto inwards = turned(facing, 2);
        for (int side = -1; side <= 1; ++side)
            canvas_.set(door_x_ + dx + side * dz, floor_, door_z_ + dz + side * dx, house_.style->stairs,
                        inwards);
        canvas_.set(door_x_ + dx + dz, floor_ + 2, door_z_ + dz + dx, "Wood_Torch_Wall", inwards);
    }

    void furnish() {
        const int y = floor_ + 1;
        const int x0 = house_.x + 1;
        const int z0 = house_.z + 1;
        canvas_.set((house_.x + x1_) / 2, top() - 1, (house_.z + z1_) / 2, "Deco_Lantern_Ceiling");
        canvas_.set((house_.x + x1_) / 2, top(), (house_.z + z1_) / 2, canvas_.block(house_.style->beam));
        switch (house_.use) {
        case Use::home: {
            bed(x0, y, z0);
            table(x1_ - 3, y, z1_ - 3);
            small_chest(x1_ - 1, y, z0,
                        std::array<Item, 4>{{{"Food_Bread", 3},
                                             {"Ingredient_Fabric_Scrap_Linen", 6},
                                             {"Plant_Fruit_Apple", 5},
                                             {"Tool_Hatchet_Crude", 1, 80}}});
            break;
        }
        case Use::tavern:
            for (int x = x0 + 1; x + 2 < x1_ - 1; x += 4) table(x, y, z0 + 2);
            for (int x = x0; x < x1_; x += 2)
                canvas_.set(x, y, z1_ - 1, "Furniture_Tavern_Barrel", Facing::north);
            canvas_.set(x0, y, z0, "Furniture_Tavern_Shelf", Facing::south);
            small_chest(x1_ - 1, y, z0,
                        std::array<Item, 3>{{{"Food_Pie_Apple", 2}, {"Food_Cheese", 4}, {"Food_Bread", 12}}});
            break;
        case Use::workshop:
            canvas_.set_large(x0 + 2, y, z0, "Bench_WorkBench", Facing::north, k_workbench_cells);
            canvas_.attach(x0 + 2, y, z0, bench());
            canvas_.set(x1_ - 2, y, z1_ - 2, "Bench_Campfire");
            canvas_.attach(x1_ - 2, y, z1_ - 2,
                           processing_bench(std::array<Item, 1>{{{"Food_Wildmeat_Raw", 3}}},
                                            std::array<Item, 1>{{{"Wood_Oak_Trunk", 4}}}));
            small_chest(x1_ - 1, y, z0,
                        std::array<Item, 4>{{{"Ingredient_Bar_Iron", 7},
                                             {"Ingredient_Bar_Copper", 14},
                                             {"Tool_Pickaxe_Copper", 1, 200},
                                             {"Weapon_Sword_Iron", 1, 240}}});
            break;
        case Use::store:
            for (int x = x0; x < x1_; x += 2) crate(x, y, z0);
            for (int x = x0; x < x1_; x += 3) canvas_.set(x, y, z1_ - 1, "Plant_Hay_Bundle");
            small_chest(
                x1_ - 1, y, z1_ - 2,
                std::array<Item, 3>{
                    {{"Plant_Seeds_Wheat", 24}, {"Plant_Crop_Wheat_Item", 40}, {"Tool_Hoe_Copper", 1, 150}}});
            break;
        }
    }

    void bed(int x, int y, int z) {
        canvas_.set_large(x, y, z, "Furniture_Crude_Bed", Facing::north, k_bed_cells);
        canvas_.attach(x, y, z, respawn());
    }

    void table(int x, int y, int z) {
        canvas_.set_large(x, y, z, "Furniture_Crude_Table", Facing::north, k_table_cells);
        canvas_.set(x - 1, y, z, "Furniture_Village_Stool");
        canvas_.set(x + 2, y, z + 1, "Furniture_Village_Stool", Facing::south);
    }

    void small_chest(int x, int y, int z, std::span<const Item> items) {
        canvas_.set(x, y, z, "Furniture_Village_Chest_Small", house_.door);
        canvas_.attach(x, y, z, chest(18, items));
    }

    void crate(int x, int y, int z) {
        canvas_.set(x, y, z, "Furniture_Village_Crate");
        canvas_.attach(x, y, z, chest(20, std::array<Item, 1>{{{"Plant_Crop_Potato_Item", 30}}}));
    }

    Canvas& canvas_;
    const House& house_;
    int floor_;
    int x1_;
    int z1_;
    int door_x_ = 0;
    int door_z_ = 0;
};

} // namespace

void put_door(Canvas& canvas, int x, int y, int z, std::string_view key, Facing facing) {
    canvas.set_large(x, y, z, key, facing, k_door_cells);
}

void build_house(Canvas& canvas, const House& house, int ground) { Builder(canvas, house, ground).build(); }

} // namespace orbis::world::sample
