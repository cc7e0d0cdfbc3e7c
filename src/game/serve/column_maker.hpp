#pragma once

#include "game/column_packets.hpp"
#include "game/serve/column.hpp"
#include "game/serve/column_source.hpp"

namespace orbis::game {

/// Makes columns, from the chunk in its store to frames. Keeps everything that it needs for that: one per
/// thread.
class ColumnMaker {
public:
    /// The column of a chunk; null where there is no such chunk. `before` is an older column of the same
    /// chunk or null: its frames are taken over where their payloads are still the same.
    Result<ColumnPtr> make(ColumnSource& source, ChunkPos pos, WireIds& ids, const ColumnPtr& before);

private:
    bool holds(const net::OutgoingFrame& frame, Bytes payload);
    template <typename P>
    Result<void> add(const P& packet, int section, const Column* before, Column& out);

    storage::ReadContext context_;
    chunk::Chunk chunk_;
    ColumnPackets packets_;
    protocol::PayloadWriter writer_;
    protocol::PayloadFramer framer_;
    Decompressor decompressor_;
};

} // namespace orbis::game
