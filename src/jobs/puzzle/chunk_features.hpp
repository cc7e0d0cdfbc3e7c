#pragma once

#include "chunk/chunk.hpp"

#include <array>
#include <bitset>
#include <optional>
#include <string>

namespace orbis::jobs {

/// The parts of a chunk that its features are made from.
inline constexpr chunk::Parts k_feature_parts = chunk::k_blocks | chunk::k_column_maps | chunk::k_environments
                                                | chunk::k_health | chunk::k_block_components
                                                | chunk::k_entities;

/// What two versions of one chunk have in common and two chunks have not: half a kilobyte of hashes, so that
/// all chunks of a region file can be kept at once. Light, entities and fluids are left out: they change by
/// themselves.
struct ChunkFeatures {
    /// Heights are compared in tiles of 8 × 8 columns, blocks in slabs of 8 layers: then a few changed blocks
    /// leave most of them equal.
    static constexpr std::size_t k_tiles = 16;
    static constexpr std::size_t k_slabs = k_sections * 4;
    static constexpr std::size_t k_tints = 0;
    static constexpr std::size_t k_environments = 1;
    static constexpr std::size_t k_components = 2; ///< the places of block components
    static constexpr std::size_t k_first_tile = 3;
    static constexpr std::size_t k_first_slab = k_first_tile + k_tiles;
    static constexpr std::size_t k_features = k_first_slab + k_slabs;

    std::array<std::uint64_t, k_features> features{};
    /// Features that differ from column to column. One that does not (air, rock, a flat floor) says nothing
    /// about whose it is.
    std::bitset<k_features> telling;

    friend bool operator==(const ChunkFeatures&, const ChunkFeatures&) = default;
};

ChunkFeatures chunk_features(const chunk::Chunk& chunk);

/// What the world positions inside a chunk say about where it belongs: those of entities and of damaged
/// blocks.
struct PositionEvidence {
    std::optional<ChunkPos> chunk; ///< where most of them are; nothing without a majority
    std::size_t positions = 0;
    bool unanimous = false;
};

PositionEvidence position_evidence(const chunk::Chunk& chunk);

/// The newest game time that a chunk has in it, such as `0001-01-03T05:30:00Z`: it was saved then or later.
/// Nothing if it has none. The text is in the document.
std::optional<std::string_view> newest_game_time(const chunk::Chunk& chunk);

/// Whether one game time is before another; fractions of seconds may have any number of digits.
bool is_earlier(std::string_view a, std::string_view b);

} // namespace orbis::jobs
