#pragma once

#include "game/chunks/encoded_chunk.hpp"
#include "game/edits/block_changes.hpp"

#include <unordered_map>

namespace orbis::game {

/// The tails of all encoded chunks of a world. A tail goes back to the oldest state of a chunk that any
/// player still has to send: so it must know every chunk that is encoded.
class ChunkTails {
public:
    void note_made(const EncodedChunkPtr& encoded);
    void set_block(BlockPos pos, const WireBlock& block, std::uint64_t edit) {
        chunks_[pos.chunk()].tail.set_block(pos, block, edit);
    }

    /// What is to be sent after the frames of the chunk.
    Result<std::span<const net::OutgoingFrame>> frames_behind(const EncodedChunk& encoded,
                                                              ServerTools& tools);

    [[nodiscard]] bool has(ChunkPos pos) const {
        const auto found = chunks_.find(pos);
        return found != chunks_.end() && found->second.tail.size() > 0;
    }
    /// Chunks with a tail: they may be encoded again, and will know what is in it.
    [[nodiscard]] std::vector<ChunkPos> chunks() const;
    /// Forgets what is not needed any more: nothing is left that was encoded before, and what will be
    /// encoded knows all edits up to this one.
    void forget(std::uint64_t known_to_all);
    /// How many chunks it knows something of: at most about twice as many as are encoded or
    /// have a tail.
    [[nodiscard]] std::size_t known() const { return chunks_.size(); }

private:
    struct Entry {
        std::vector<std::weak_ptr<const EncodedChunk>> alive;
        ChunkTail tail;
    };
    /// Forgets what every encoded state that is left knows.
    static void trim(Entry& entry);
    void sweep();

    static constexpr std::size_t k_least_sweep = 1024;
    std::unordered_map<ChunkPos, Entry> chunks_;
    std::size_t sweep_at_ = k_least_sweep; ///< chunks
};

} // namespace orbis::game
