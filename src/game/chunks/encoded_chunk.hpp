#pragma once

#include "bytes/position.hpp"
#include "game/entities/entity_state.hpp"
#include "net/outgoing_frame.hpp"

#include <memory>
#include <vector>

namespace orbis::game {

/// One packet of a chunk, ready to be sent.
struct ChunkPart {
    std::int8_t section = -1; ///< -1 for packets of the whole chunk
    net::OutgoingFrame frame;
};

/// Everything that a client gets of a chunk, made once for all of them. Never changes: a holder may keep
/// it while the chunk changes and is encoded again.
struct EncodedChunk {
    ChunkPos pos;
    std::uint64_t version = 0;      ///< of the chunk, as its source counts
    std::vector<ChunkPart> parts{}; ///< in the order in which they are sent
    /// The bytes of `SetChunkEnvironments`, on which the weather at a place depends, from `environments_at`
    /// on; those of one column of blocks where all are the same, else the payload that a part has too.
    std::shared_ptr<const Buffer> environments{};
    std::size_t environments_at = 0;
    bool has_same_environments = false;
    /// What the chunk has stored and players can see.
    std::vector<EntityState> entities{};

    /// Memory that it takes; frames that are shared with an older state of the chunk count in both.
    [[nodiscard]] std::size_t bytes() const;
};

using EncodedChunkPtr = std::shared_ptr<const EncodedChunk>;

/// The parts of `after` that `before` does not have like that: what brings a client from one to the other.
std::vector<const ChunkPart*> changed_parts(const EncodedChunk& before, const EncodedChunk& after);

/// Which environment a place of a chunk has, as its number on the wire; 0, which is `Unknown`, where the
/// chunk says nothing.
std::int32_t environment_at(const EncodedChunk& encoded, BlockPos pos);

} // namespace orbis::game
