#pragma once

/// Which parts of a block follow it in a `.lpf` file, in the order in which they are stored.
namespace orbis::jobs::prefab::lpf_mask {

inline constexpr unsigned k_chance = 1;
inline constexpr unsigned k_components = 2;
inline constexpr unsigned k_support = 8;
inline constexpr unsigned k_filler = 16;
inline constexpr unsigned k_rotation = 32;
inline constexpr unsigned k_fluid = 4;
inline constexpr unsigned k_all = 63;

} // namespace orbis::jobs::prefab::lpf_mask
