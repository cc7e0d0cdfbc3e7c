#pragma once

#include "world/sample/canvas.hpp"
#include "world/sample/holders.hpp"

#include <span>
#include <string_view>

namespace orbis::world::sample {

/// What a house is made of.
struct HouseStyle {
    std::string_view wall;
    std::string_view beam;
    std::string_view planks;
    std::string_view roof;
    std::string_view stairs;
};

enum class Use : std::uint8_t { home, tavern, workshop, store };

/// A house with a gable roof: the corner with the smallest x and z, the outer size, and the side of its door.
struct House {
    int x = 0;
    int z = 0;
    int width = 9;  ///< along x
    int length = 8; ///< along z
    Facing door = Facing::south;
    Use use = Use::home;
    const HouseStyle* style = nullptr;
};

inline constexpr HouseStyle k_white_house{"Wood_Village_Wall_White_Full", "Wood_Oak_Trunk",
                                          "Wood_Softwood_Planks", "Rock_Sandstone_Red_Brick_Roof",
                                          "Wood_Softwood_Stairs"};
inline constexpr HouseStyle k_yellow_house{"Wood_Village_Wall_Yellow_Full", "Wood_Oak_Trunk",
                                           "Wood_Hardwood_Planks", "Wood_Redwood_Roof",
                                           "Wood_Hardwood_Stairs"};
inline constexpr HouseStyle k_blue_house{"Wood_Village_Wall_Blue_Full", "Wood_Birch_Trunk",
                                         "Wood_Lightwood_Planks", "Rock_Shale_Brick_Roof",
                                         "Wood_Lightwood_Stairs"};
inline constexpr HouseStyle k_log_house{"Wood_Softwood_Planks", "Wood_Fir_Trunk", "Wood_Softwood_Planks",
                                        "Wood_Darkwood_Roof", "Wood_Softwood_Stairs"};

/// Builds it with its floor one block above `ground`, furnishes it and puts stairs to its door and a torch
/// beside.
void build_house(Canvas& canvas, const House& house, int ground);

/// A door of two cells; the lower one is at the given place.
void put_door(Canvas& canvas, int x, int y, int z, std::string_view key, Facing facing);

} // namespace orbis::world::sample
