#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

/// Numbers of entries to which entries of other registries point (docs/formats/registries.md).
namespace orbis::game {

/// No entry: what the game says where a number is left out.
inline constexpr std::int32_t k_no_entry = std::numeric_limits<std::int32_t>::min();

inline constexpr std::int32_t k_full_hitbox = 0;
inline constexpr std::int32_t k_silence = 0; ///< sound event, sound sets of blocks and items
inline constexpr std::int32_t k_common_quality = 0;
inline constexpr std::int32_t k_plain_reticle = 0;
inline constexpr std::int32_t k_all_sounds = 0; ///< audio category

/// Effects of being in a fluid.
enum class FluidLook : std::int32_t { none, water, lava, slime };

/// What is drawn above entities: a bar of their health, and the damage that they take.
inline constexpr std::int32_t k_ui_components = 2;
/// How players push each other.
inline constexpr std::int32_t k_soft_collision = 0;

/// A stat of an entity, as every entity begins with it.
struct StatFacts {
    std::string_view id;
    float value = 0;
    float least = 0;
    float most = 0;
    bool resets_to_most = false;
};
/// The stats of the game by their numbers; the first is built in.
inline constexpr std::array<StatFacts, 13> k_stats{{{"Unknown"},
                                                    {"Health", 100, 0, 100, true},
                                                    {"Oxygen", 100, 0, 100},
                                                    {"Stamina", 10, -4, 10},
                                                    {"Mana", 0, 0, 0, true},
                                                    {"SignatureEnergy"},
                                                    {"SignatureCharges", 0, 0, 100},
                                                    {"Ammo"},
                                                    {"MagicCharges"},
                                                    {"Immunity", 0, 0, 100},
                                                    {"DeployablePreview", 0, 0, 1},
                                                    {"GlidingActive", 0, 0, 1},
                                                    {"StaminaRegenDelay", 0, -60, 0}}};
inline constexpr std::int32_t k_health = 1;

} // namespace orbis::game
