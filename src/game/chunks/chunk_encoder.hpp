#pragma once

#include "game/chunks/chunk_source.hpp"
#include "game/chunks/encoded_chunk.hpp"
#include "game/codec/chunk_packets.hpp"

namespace orbis::game {

class EntityModels;

/// Encodes chunks: from the document in its store to frames. Keeps everything that it needs for that: one
/// per thread.
class ChunkEncoder {
public:
    /// The encoded chunk; null if there is no such chunk. `before` is what was encoded of it earlier, or
    /// null: frames whose payloads are still the same are taken from it.
    Result<EncodedChunkPtr> make(ChunkSource& source, ChunkPos pos, WireIds& ids,
                                 const EncodedChunkPtr& before, EntityModels* models = nullptr);

private:
    bool holds(const net::OutgoingFrame& frame, Bytes payload);
    template <typename P>
    Result<void> add(const P& packet, int section, const EncodedChunk* before, EncodedChunk& out);

    storage::ReadContext context_;
    chunk::Chunk chunk_;
    ChunkPackets packets_;
    protocol::PayloadWriter writer_;
    protocol::PayloadFramer framer_;
    Decompressor decompressor_;
};

} // namespace orbis::game
