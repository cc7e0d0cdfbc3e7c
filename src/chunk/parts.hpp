#pragma once

#include <cstdint>

namespace orbis::chunk {

/// Which parts of a chunk are wanted: what is not asked for costs no time and cannot be edited.
struct Parts {
    std::uint32_t bits = 0;

    [[nodiscard]] constexpr bool has(Parts wanted) const { return (bits & wanted.bits) == wanted.bits; }
    [[nodiscard]] constexpr bool any(Parts wanted) const { return (bits & wanted.bits) != 0; }
    friend constexpr Parts operator|(Parts a, Parts b) { return {a.bits | b.bits}; }
    friend constexpr bool operator==(Parts, Parts) = default;
};

inline constexpr Parts k_blocks{1};             ///< block keys
inline constexpr Parts k_shapes{2};             ///< ticking cells, fillers, rotations
inline constexpr Parts k_light{4};              ///< both lights and the change counters
inline constexpr Parts k_fluids{8};             ///< fluid keys and levels
inline constexpr Parts k_physics{16};           ///< supports
inline constexpr Parts k_column_maps{32};       ///< heights and tints
inline constexpr Parts k_environments{64};      ///< environments
inline constexpr Parts k_health{128};           ///< block health
inline constexpr Parts k_block_components{256}; ///< containers, benches, crops …
inline constexpr Parts k_entities{512};         ///< creatures, items, markers …
inline constexpr Parts k_everything{1023};
/// What a map needs.
inline constexpr Parts k_map_parts = k_blocks | k_column_maps;

/// What became of a part.
enum class PartState : std::uint8_t {
    absent,  ///< not in the document: it has its empty default
    decoded, ///< there, and readable
    skipped, ///< there, but not asked for
    broken,  ///< there, but damaged: it is kept as it is, and reads as its empty default
};

} // namespace orbis::chunk
