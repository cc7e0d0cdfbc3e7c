#pragma once

#include "chunk/block_cells.hpp"
#include "game/edits/edited_chunk.hpp"
#include "protocol/types.hpp"

#include <deque>
#include <functional>
#include <set>
#include <unordered_set>

namespace orbis::game {

/// What became of an edit.
struct EditOutcome {
    std::uint64_t number = 0;          ///< 0 if nothing was changed
    std::optional<Error> refusal{};    ///< why not
    std::vector<CellEdit> cells{};     ///< that were changed, with what they hold now
    std::optional<FoundBlock> found{}; ///< what the cell holds now; nothing if unknown
    /// After a refusal: what the other cells hold that would have changed, as far as that is known.
    std::vector<std::pair<BlockPos, FoundBlock>> others{};
};

/// A change of one block that a player wants: `Empty` breaks what is there.
struct Edit {
    BlockPos pos;
    chunk::BlockState block;        ///< the key is one of the table of ids
    std::optional<Error> refusal{}; ///< decided already: the edit only asks what the cell holds
    std::move_only_function<void(const EditOutcome&)> done; ///< called later, or at once
    protocol::Uuid player{};                                ///< whose it is
    chunk::BlockExtent extent{};                            ///< of the block
};

/// Changes the blocks of one world, one edit after another, in the thread of the game. Chunks that are not in
/// memory are asked for, and edits wait for theirs; all that come later wait too, so that the order stays.
///
/// Players share the room for edits that wait. If there is none left, the newest edit of the player who
/// has the most gives way to that of one who has fewer.
class EditQueue {
public:
    /// Edits that may wait, and chunks that may have unsaved changes; what comes beyond is refused.
    static constexpr std::size_t k_most_waiting = 4096;
    static constexpr std::size_t k_most_unsaved = 512;
    /// Chunks without unsaved changes that stay in memory.
    static constexpr std::size_t k_most_idle = 64;

    /// Begins to load a chunk; `loaded` is to be called with what came of it, from the same thread.
    using Load = std::function<void(ChunkPos)>;

    EditQueue(EditedChunks& chunks, Load load) : chunks_(chunks), load_(std::move(load)) {}

    void submit(Edit edit);
    /// Null if there is no such chunk.
    void loaded(ChunkPos pos, Result<EditedChunks::Ptr> chunk);
    /// Others have written these chunks: copies without unsaved changes are forgotten. The saver sees to the
    /// others.
    void changed_by_others(std::span<const ChunkPos> chunks);
    /// After a save: drops chunks that are not needed, and those that were given up.
    void after_save();

    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] std::uint64_t last_edit() const { return last_edit_; }

private:
    void go_on();
    /// Takes the newest edit of the player who has the most out of the queue, if that is not this player too.
    bool make_room_for(const protocol::Uuid& player);
    /// The edit is not made, because too many wait.
    void refuse(Edit edit);
    Edit take(std::deque<Edit>::iterator at);
    /// Nothing if a chunk has to be waited for: it is in `needs_` then.
    std::optional<EditOutcome> apply(const Edit& edit);
    /// Whether the cells that the new block needs besides those of the old one are empty. Chunks that have to
    /// be waited for are in `needs_`.
    Result<void> check_room(const Edit& edit, std::span<const BlockPos> old_cells);
    /// What the cells hold that a refused edit would have changed, besides the one at `edit.pos`.
    std::vector<std::pair<BlockPos, FoundBlock>> other_cells(const Edit& edit);
    /// Makes the cells of a block empty, and those from `edit.pos` on what the edit wants.
    Result<std::vector<CellEdit>> change(const Edit& edit, const std::vector<BlockPos>& cells);
    /// What a cell holds; nothing if its chunk is not there, or not there yet.
    std::optional<FoundBlock> block_at(BlockPos pos);
    /// Null if there is no such chunk, and where it is not in memory.
    EditedChunks::Ptr look(ChunkPos pos);
    void ask_for(ChunkPos pos);

    EditedChunks& chunks_;
    Load load_;
    std::deque<Edit> waiting_;
    std::map<protocol::Uuid, std::size_t> shares_; ///< of `waiting_`, by player; none is 0
    std::unordered_set<ChunkPos> asked_;
    std::set<ChunkPos> needs_;         ///< of the edit that is first
    std::map<ChunkPos, Error> absent_; ///< chunks that cannot be had, for the edit that is first
    std::uint64_t last_edit_ = 0;
    bool is_going_on_ = false;
};

} // namespace orbis::game
