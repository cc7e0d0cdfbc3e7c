#pragma once

#include "bytes/sha256.hpp"
#include "chunk/chunk.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace orbis::game {

/// A block in a cell; the key is one of the table of ids, or `Empty`, and lives as long as that.
struct CellEdit {
    BlockPos pos;
    chunk::BlockState block;
    std::uint64_t number = 0; ///< of the edit that it belongs to
};

/// What a cell holds, with a key of its own.
struct FoundBlock {
    std::string key{chunk::k_empty_key};
    chunk::Rotation rotation;
    chunk::Filler filler;
    friend bool operator==(const FoundBlock&, const FoundBlock&) = default;
};

/// A chunk that players change: the thread of the game changes it, that of the saver writes it, those of the
/// chunks read it. Knows which changes are not on the disk yet, so that they can be made again on another
/// content.
class EditedChunk {
public:
    /// `stored` is the hash of what was read (jobs::stored_hash).
    static Result<std::shared_ptr<EditedChunk>> read(ChunkPos pos, Buffer document, const Sha256& stored);

    [[nodiscard]] ChunkPos pos() const { return pos_; }
    [[nodiscard]] FoundBlock block(BlockPos pos) const;
    /// Whether the cell can be changed: nothing that has to be written with it is damaged.
    Result<void> can_set(BlockPos pos);
    /// Changes cells for which `can_set`, all by one edit: an encoder that runs meanwhile sees all of them or
    /// none. What belongs to the blocks that were there, such as the content of a chest, goes with them; the
    /// fluid stays.
    Result<void> set(std::span<const CellEdit> edits);
    /// Calls `look` with the chunk as it is now; it does not change meanwhile.
    template <typename Look>
    auto look(Look&& look) const {
        const std::lock_guard lock(mutex_);
        return look(static_cast<const chunk::Chunk&>(chunk_));
    }

    /// The document with all changes, and the number of the last one in it.
    struct Content {
        Buffer document;
        std::uint64_t number = 0;
    };
    Result<Content> encode(const chunk::IsTransparent& is_transparent);

    /// What is on the disk, as far as is known.
    [[nodiscard]] Sha256 stored() const;
    /// The first edit that may not be on the disk; nothing if all are.
    [[nodiscard]] std::optional<std::uint64_t> first_unsaved() const;
    /// Edits up to this one are on the disk, as `stored`.
    void mark_saved(std::uint64_t number, const Sha256& stored);
    /// Makes the unsaved changes again, on what another program has written. Nothing changes if that fails.
    Result<void> rebase(Buffer document, const Sha256& stored);
    /// The unsaved changes are lost, because the chunk is gone: forgets them, and takes no others. How many
    /// cells that were.
    std::size_t give_up();
    [[nodiscard]] bool is_given_up() const;

private:
    EditedChunk(ChunkPos pos, chunk::Chunk chunk, const Sha256& stored)
        : pos_(pos), chunk_(std::move(chunk)), stored_(stored) {}

    static Result<void> check(chunk::Chunk& chunk, BlockPos pos);
    static Result<void> put(chunk::Chunk& chunk, const CellEdit& edit);

    ChunkPos pos_;
    mutable std::mutex mutex_; ///< guards all that follows
    chunk::Chunk chunk_;
    Sha256 stored_;
    std::map<chunk::BlockIndex, CellEdit> unsaved_; ///< the last change of each cell
    std::uint64_t first_unsaved_ = 0;               ///< 0 if there is none
    std::uint64_t last_edit_ = 0;
    bool is_given_up_ = false;
};

/// The chunks in memory that players change. From any thread; only that of the game adds and removes.
class EditedChunks {
public:
    using Ptr = std::shared_ptr<EditedChunk>;

    /// Null if it is not in memory.
    [[nodiscard]] Ptr find(ChunkPos pos) const;
    void add(Ptr chunk);
    void remove(ChunkPos pos);
    /// Lets chunks go whose changes are all on the disk, until `most` of those are left: the one that was
    /// looked for longest ago first.
    void let_go(std::size_t most);

    /// Those with changes that are not on the disk, by position.
    [[nodiscard]] std::vector<Ptr> unsaved() const;
    [[nodiscard]] std::size_t size() const;

    /// The last edit that is in its chunks, to count what is saved; set after it was made.
    void note_edit(std::uint64_t number) { last_edit_.store(number); }
    [[nodiscard]] std::uint64_t last_edit() const { return last_edit_.load(); }

private:
    struct Entry {
        Ptr chunk;
        mutable std::uint64_t looked_for = 0;
    };
    mutable std::mutex mutex_; ///< guards the next two
    std::unordered_map<ChunkPos, Entry> chunks_;
    mutable std::uint64_t looks_ = 0;
    std::atomic<std::uint64_t> last_edit_ = 0;
};

} // namespace orbis::game
