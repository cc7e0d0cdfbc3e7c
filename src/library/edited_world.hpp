#pragma once

#include "chunk/chunk.hpp"
#include "jobs/undo/change.hpp"
#include "library/world_state.hpp"
#include "orbis/edit.hpp"

#include <map>
#include <memory>
#include <set>

namespace orbis {

/// The chunks that an `Edit` has looked at, in memory until they are saved.
class EditedWorld {
public:
    EditedWorld(std::shared_ptr<WorldState> world, std::unique_ptr<jobs::Change> change)
        : world_(std::move(world)), change_(std::move(change)) {}

    [[nodiscard]] bool is_over() const { return change_ == nullptr; }
    /// An error if the world does not have it, or not any more.
    Result<chunk::Chunk*> chunk(ChunkPos pos);
    /// Says of an error about a chunk where it is.
    [[nodiscard]] Result<void> placed(ChunkPos pos, Result<void> done) const;

    Result<void> set_block(BlockPos pos, const chunk::BlockState& block);
    Result<void> remove(ChunkPos pos);
    [[nodiscard]] std::size_t changed_chunks() const;
    Result<SavedEdit> save();

private:
    Result<void> check(BlockPos pos);
    Result<void> put(BlockPos pos, const chunk::BlockState& block);
    Result<void> write(ChunkPos pos, chunk::Chunk& chunk);

    std::shared_ptr<WorldState> world_;
    std::unique_ptr<jobs::Change> change_;
    storage::ReadContext context_;
    std::map<ChunkPos, std::unique_ptr<chunk::Chunk>> chunks_;
    std::set<ChunkPos> removed_;
};

} // namespace orbis
