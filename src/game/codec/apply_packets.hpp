#pragma once

#include "bytes/result.hpp"
#include "chunk/chunk.hpp"
#include "game/codec/wire_ids.hpp"
#include "packets/fwd.hpp"

/// Packets of a column put into a chunk (docs/formats/column-packets.md). `Chunk::create()` is what to begin
/// with. A packet is checked as a whole before anything is changed, so a refused one leaves the chunk as it
/// was. Offsets of errors count from the start of the byte array that the error names.
namespace orbis::game {

/// Blocks, fillers and rotations of a section, and its light. A light that was not sent is stale afterwards,
/// and no cell ticks.
Result<void> apply(const packets::SetChunk& packet, const WireIds& ids, chunk::Chunk& chunk);
/// Fluids and levels of a section. Without data it has none.
Result<void> apply(const packets::SetFluids& packet, const WireIds& ids, chunk::Chunk& chunk);

// Without data these change nothing.
Result<void> apply(const packets::SetChunkHeightmap& packet, chunk::Chunk& chunk);
Result<void> apply(const packets::SetChunkTintmap& packet, chunk::Chunk& chunk);
Result<void> apply(const packets::SetChunkEnvironments& packet, const WireIds& ids, chunk::Chunk& chunk);

} // namespace orbis::game
