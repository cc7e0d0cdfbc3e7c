#pragma once

#include "chunk/block_cells.hpp"
#include "chunk/shape.hpp"
#include "game/chunks/chunk_source.hpp"
#include "game/chunks/encoded_chunk.hpp"
#include "game/codec/section_changes.hpp"
#include "protocol/types.hpp"

namespace orbis::game {

/// What a player wants to be at a place.
struct EditRequest {
    protocol::Uuid player{};
    BlockPos pos{};
    std::int32_t block = 0; ///< number on the wire; 0 breaks what is there
    chunk::Rotation rotation{};
    bool may_edit = false;       ///< is in creative mode
    double distance = 0;         ///< from the player, in blocks
    std::uint32_t ticket = 0;    ///< by which the player knows its result; 0: it does not wait for it
    chunk::BlockExtent extent{}; ///< of that block
};

/// What became of a request with a ticket.
struct EditResult {
    protocol::Uuid player{};
    std::uint32_t ticket = 0;
    std::optional<WireBlock> now_there; ///< nothing if that is not known
};

/// For one player: its client thinks that something else is there.
struct BlockAnswer {
    protocol::Uuid player;
    net::OutgoingFrame frame;
};

/// What became of requests in a tick.
struct BlockNews {
    std::vector<ChunkFrames> chunks; ///< for all who have the chunk
    std::vector<BlockAnswer> answers;
    std::vector<EditResult> results;
};

/// Edits since the world was opened.
struct EditCounts {
    std::uint64_t made = 0;
    std::uint64_t saved = 0;
    std::uint64_t refused = 0;
    std::size_t waiting = 0; ///< for chunks that are being read
};

/// How a served world gets at its chunks: a `WorldReader` where they are only shown, a `WorldEditor` where
/// players change them. All functions are for the thread of the game.
class WorldAccess {
public:
    virtual ~WorldAccess() = default;

    /// What encoded chunks are made of.
    [[nodiscard]] virtual std::shared_ptr<ChunkSource> source() const = 0;

    /// Changes the block, or decides not to; `end_tick` reports the result.
    virtual void submit(const EditRequest& request) = 0;
    /// What has changed since the last call.
    virtual BlockNews end_tick(ServerTools& tools) = 0;

    /// To be called for every encoded chunk that is made.
    virtual void note_made(const EncodedChunkPtr&) {}
    /// Whether blocks of the chunk were changed since its frames were made.
    [[nodiscard]] virtual bool has_tail(ChunkPos) const { return false; }
    /// What is to be sent after the frames of a chunk: the changes since they were made.
    virtual std::span<const net::OutgoingFrame> frames_behind(const EncodedChunk&, ServerTools&) {
        return {};
    }

    /// Whether anything can be changed; not after `stop`.
    [[nodiscard]] virtual bool can_edit() const { return false; }
    [[nodiscard]] virtual EditCounts counts() const = 0;
    virtual void save_soon() {}
    /// Saves what is left and closes the world: nothing can be changed any more.
    virtual void stop() = 0;
};

} // namespace orbis::game
