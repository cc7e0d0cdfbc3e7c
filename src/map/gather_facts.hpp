#pragma once

#include "map/colours.hpp"
#include "map/painter.hpp"
#include "map/region_facts.hpp"
#include "storage/hashing_reader.hpp"

#include <array>
#include <vector>

namespace orbis::map {

/// The parts of chunks that facts are taken from.
inline constexpr chunk::Parts k_fact_parts = chunk::k_blocks | chunk::k_shapes | chunk::k_fluids
                                             | chunk::k_column_maps | chunk::k_environments
                                             | chunk::k_block_components | chunk::k_entities;

/// Takes the facts of chunks into the table of a region. Remembers what it found out about names: use one for
/// all chunks of a region.
class FactGatherer {
public:
    FactGatherer(RegionFacts& region, const Colours& colours) : region_(region), colours_(colours) {}

    /// The painter must have read the chunk with `k_fact_parts`.
    void add(ChunkPos pos, const storage::StoredChunk& stored, ChunkPainter& painter,
             std::vector<ProblemFact> problems);
    /// A chunk of which only the stored bytes are known.
    void add_unreadable(ChunkPos pos, const storage::StoredChunk& stored, ProblemFact problem);

private:
    void count_blocks(const chunk::Chunk& chunk, ChunkFacts& out);
    void count_surface(const chunk::Chunk& chunk);
    void add_components(ChunkPos pos, const chunk::Chunk& chunk, ChunkFacts& out);
    void add_entities(const chunk::Chunk& chunk, ChunkFacts& out);
    void add_fluids(ChunkPainter& painter, ChunkFacts& out);
    KeyFact& key_fact(std::string_view key, ChunkFacts& out);
    NameId intern(std::string_view text);
    NameId intern_new(std::string_view text);

    /// A name of the table and its place. The same few keys come again in every section.
    struct Recent {
        std::string_view text;
        NameId id = 0;
    };
    static constexpr unsigned k_recent_bits = 11;

    RegionFacts& region_;
    const Colours& colours_;
    std::array<Recent, 1U << k_recent_bits> recent_{}; ///< by a hash
    std::vector<std::uint32_t> place_; ///< by name: where the chunk in work has it in its keys, plus 1
    std::array<std::size_t, k_sections> first_entry_{}; ///< of each section in `surface_`
    std::vector<std::uint32_t> surface_;     ///< columns whose highest block is that entry of a palette
    std::vector<std::size_t> fact_of_entry_; ///< of the section in work
    std::vector<std::int32_t> cells_;        ///< the highest of each entry of the section in work
    std::vector<std::int8_t> guessed_;       ///< by name: 1 unknown block, 0 known, -1 not asked yet
};

} // namespace orbis::map
