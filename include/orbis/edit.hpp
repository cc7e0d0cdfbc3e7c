#pragma once

#include "orbis/block.hpp"
#include "orbis/export.hpp"
#include "orbis/world.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace orbis {

/// How a world is changed.
struct EditOptions {
    std::string title = "edit"; ///< what `orbis undo --list` calls the change
    bool keeps_undo = true;     ///< false for a world that can be made again: nothing can be undone then
    bool force = false;         ///< also when another program has the files open, such as a running server
};

/// What `Edit::save` did.
struct SavedEdit {
    std::uint64_t chunks_written = 0; ///< with changes
    std::uint64_t chunks_removed = 0; ///< by `remove_chunk`
    std::string undo_archive; ///< what `orbis undo` takes the change back with; empty if nothing changed
};

/// Changes of a world, which is locked against other writers as long as this exists. Nothing is written
/// before `save`. Chunks that are changed stay in memory until then, about 1 MB each: save large changes in
/// several parts. Not for use by several threads at once.
///
/// A change is refused if what it needs is damaged or missing; what cannot be read is never overwritten.
class ORBIS_API Edit {
public:
    /// `Errc::busy` if another program has the world open for writing, `Errc::read_only` for backups and
    /// snapshots.
    [[nodiscard]] static Result<Edit> begin(const World& world, const EditOptions& options = {});

    /// A block with the changes so far.
    [[nodiscard]] Result<Block> block(BlockPos pos);
    [[nodiscard]] Result<Fluid> fluid(BlockPos pos); ///< a fluid with the changes so far

    /// Sets one cell. The block that was there goes as a whole: all its cells, if it has several, and its
    /// components, such as the content of a chest. Fluids stay. Heights become right when it is saved; the
    /// game computes the light again.
    [[nodiscard]] Result<void> set_block(BlockPos pos, const Block& block);
    /// The same for a block that is not turned.
    [[nodiscard]] Result<void> set_block(BlockPos pos, std::string_view key) {
        return set_block(pos, Block{std::string(key), {}, {}});
    }
    /// Sets all cells between two corners, in any order, both included; how many were not that block already.
    /// Chunks that the world does not have are an error before anything changes.
    [[nodiscard]] Result<std::uint64_t> fill(BlockPos a, BlockPos b, const Block& block);
    /// A level of 0 and "Empty" for none.
    [[nodiscard]] Result<void> set_fluid(BlockPos pos, const Fluid& fluid);
    /// The colour of grass and leaves in the column of a block, as 0xAARRGGBB.
    [[nodiscard]] Result<void> set_tint(BlockPos column, std::uint32_t tint);
    /// One environment for the whole column of a block.
    [[nodiscard]] Result<void> set_environment(BlockPos column, std::string_view environment);
    /// Replaces the components of a block by a JSON object such as `Container::json` gives. An empty text
    /// removes them.
    [[nodiscard]] Result<void> set_components(BlockPos pos, std::string_view json);
    /// Adds an entity to a chunk, from a JSON object such as `Entity::json` gives.
    [[nodiscard]] Result<void> add_entity(ChunkPos chunk, std::string_view json);
    /// Removes an entity by its number in `Chunk::entities()`; those after it move up.
    [[nodiscard]] Result<void> remove_entity(ChunkPos chunk, std::size_t number);
    /// Removes a chunk; the game generates it again when a player comes near.
    [[nodiscard]] Result<void> remove_chunk(ChunkPos chunk);

    /// How many chunks would be written or removed.
    [[nodiscard]] std::size_t changed_chunks() const;
    /// Writes all changes and waits until they are safe on disk. Everything that is replaced is in an undo
    /// archive before, so that `orbis undo` can take it back, also if the program is killed meanwhile. The
    /// world that the edit began with, and its copies, then give the new chunks. The edit is over after this;
    /// begin another one to go on.
    [[nodiscard]] Result<SavedEdit> save();

private:
    struct State;
    explicit Edit(std::shared_ptr<State> state) : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
};

} // namespace orbis
