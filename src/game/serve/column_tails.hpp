#pragma once

#include "game/serve/block_changes.hpp"
#include "game/serve/column.hpp"

#include <unordered_map>

namespace orbis::game {

/// The tails of all columns of a world. A tail goes back to the oldest column that anybody still has to send:
/// so it must hear of every column that is made.
class ColumnTails {
public:
    void note_made(const ColumnPtr& column);
    void set_block(BlockPos pos, const WireBlock& block, std::uint64_t edit) {
        columns_[pos.chunk()].tail.set_block(pos, block, edit);
    }

    /// What is to be sent behind the frames of the column.
    Result<std::span<const net::OutgoingFrame>> frames_behind(const Column& column, ServerTools& tools);

    [[nodiscard]] bool has(ChunkPos pos) const {
        const auto found = columns_.find(pos);
        return found != columns_.end() && found->second.tail.size() > 0;
    }
    /// Chunks with a tail: their columns may be made again, and will know what is in it.
    [[nodiscard]] std::vector<ChunkPos> chunks() const;
    /// Forgets what nobody needs any more: no column is left that was made before, and those that will be
    /// made know all edits up to this one.
    void forget(std::uint64_t known_to_all);
    /// How many chunks it knows something of: at most about twice as many as have a column or a tail.
    [[nodiscard]] std::size_t known() const { return columns_.size(); }

private:
    struct Entry {
        std::vector<std::weak_ptr<const Column>> alive;
        ColumnTail tail;
    };
    /// Forgets what all columns that are left know.
    static void trim(Entry& entry);
    void sweep();

    static constexpr std::size_t k_least_sweep = 1024;
    std::unordered_map<ChunkPos, Entry> columns_;
    std::size_t sweep_at_ = k_least_sweep; ///< chunks
};

} // namespace orbis::game
