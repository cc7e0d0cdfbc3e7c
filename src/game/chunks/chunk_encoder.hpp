#pragma once

#include "game/chunks/chunk_source.hpp"
#include "game/chunks/encoded_chunk.hpp"
#include "game/codec/chunk_packets.hpp"
#include "net/interpreter.hpp"

#include <memory>
#include <span>
#include <vector>

namespace orbis::game {

class EntityModels;

/// Encodes chunks: from the document in its store to frames. Keeps everything that it needs for that: one
/// per thread.
class ChunkEncoder {
public:
    /// The encoded chunk; null if there is no such chunk. `before` is what was encoded of it earlier, or
    /// null: frames whose payloads are still the same are taken from it. `words` are the builds of those who
    /// get it, null for the usual one, which also no words mean; others can get it too, but what is not the
    /// same for them has to be made then.
    Result<EncodedChunkPtr> make(ChunkSource& source, ChunkPos pos, WireIds& ids,
                                 const EncodedChunkPtr& before, EntityModels* models = nullptr,
                                 std::span<const protocol::Dialect* const> words = {});

private:
    /// What becomes of a payload.
    enum class Form : std::uint8_t {
        frame,             ///< compressed
        frame_and_payload, ///< and kept, for others to read
        payload,           ///< kept only: nobody is to get the frame
    };
    bool holds(const net::OutgoingFrame& frame, Bytes payload);
    template <typename P>
    Result<void> add(const P& packet, int section, Form form, const EncodedChunk* before, EncodedChunk& out);
    Result<void> add_environments(bool is_usual, const EncodedChunk* before, EncodedChunk& out);
    /// Makes what clients get in place of the packets of the whole chunk.
    void render(const protocol::Dialect& words, const EncodedChunk& encoded);

    storage::ReadContext context_;
    chunk::Chunk chunk_;
    ChunkPackets packets_;
    protocol::PayloadWriter writer_;
    protocol::PayloadFramer framer_;
    Decompressor decompressor_;
    std::vector<std::unique_ptr<net::Interpreter>> interpreters_; ///< one for each build that has asked
};

} // namespace orbis::game
