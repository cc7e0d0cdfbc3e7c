#pragma once

#include "jobs/compare/diff_chunks.hpp"

/// The parts of a comparison that look at holders of components.
namespace orbis::jobs {

/// The block of a cell of section `y`. Positions at the end of their range wrap around.
BlockPos block_in(ChunkPos chunk, int y, CellIndex cell);
BlockPos block_in(ChunkPos chunk, chunk::BlockIndex index);

/// Keys that only one of the documents has, and those whose values differ, sorted.
std::vector<std::string> differing_names(const bson::Document& a, const bson::Document& b);

void diff_block_components(ChunkPos pos, const chunk::BlockComponents& a, const chunk::BlockComponents& b,
                           std::size_t most_details, ChunkDiff& out);

/// Entities are the same one where they have the same UUID; those without are the same when all is.
void diff_entities(const chunk::Entities& a, const chunk::Entities& b, std::size_t most_details,
                   ChunkDiff& out);

/// The bytes of the UUID of an entity; empty for one that has none.
std::string_view entity_id(const bson::Document& holder);

/// What an entity is and where, without a kind of change.
EntityChange describe_entity(const bson::Document& holder);

} // namespace orbis::jobs
