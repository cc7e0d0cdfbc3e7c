#pragma once

#include <cstdint>
#include <limits>

/// Numbers of entries to which entries of other registries point (docs/formats/registries.md).
namespace orbis::game {

/// No entry: what the game says where a number is left out.
inline constexpr std::int32_t k_no_entry = std::numeric_limits<std::int32_t>::min();

inline constexpr std::int32_t k_full_hitbox = 0;
inline constexpr std::int32_t k_silence = 0; ///< sound event, sound sets of blocks and items
inline constexpr std::int32_t k_common_quality = 0;
inline constexpr std::int32_t k_plain_reticle = 0;
inline constexpr std::int32_t k_all_sounds = 0; ///< audio category

/// Entries of the interactions; the root interaction of the same number does just that.
enum class DoneWith : std::int32_t { nothing, breaking, placing, picking, using_it };
inline constexpr std::int32_t k_interactions = 5;

/// Effects of being in a fluid.
enum class FluidLook : std::int32_t { none, unknown, water, lava, slime };

/// The stats that every player has.
enum class Stat : std::int32_t { health, oxygen, stamina, mana, signature_energy, ammo };

} // namespace orbis::game
