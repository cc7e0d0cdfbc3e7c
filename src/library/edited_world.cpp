#include "library/edited_world.hpp"

#include "chunk/block_cells.hpp"
#include "world/assets.hpp"

#include <optional>
#include <string>

namespace orbis {

Result<chunk::Chunk*> EditedWorld::chunk(ChunkPos pos) {
    if (removed_.contains(pos)) return fail(world_->no_such_chunk(pos));
    if (const auto found = chunks_.find(pos); found != chunks_.end()) return found->second.get();
    const auto& store = change_->store();
    TRY(const auto document, store.read(pos, context_));
    if (!document) return fail(world_->no_such_chunk(pos));
    auto decoded = chunk::Chunk::decode(Buffer(document->begin(), document->end()));
    if (!decoded) return fail(std::move(decoded).error().in_file(store.file_of(pos)).at(pos));
    auto& kept = chunks_[pos] = std::make_unique<chunk::Chunk>(*std::move(decoded));
    return kept.get();
}

Result<void> EditedWorld::placed(ChunkPos pos, Result<void> done) const {
    if (done) return done;
    return fail(std::move(done).error().in_file(world_->path).at(pos));
}

/// Everything that is written with a changed block must have been read.
Result<void> EditedWorld::check(BlockPos pos) {
    TRY(auto* chunk, this->chunk(pos.chunk()));
    TRY_DO(chunk->edit_section(pos.section().y));
    TRY_DO(chunk->edit_heights());
    TRY_DO(chunk->edit_block_components());
    return {};
}

Result<void> EditedWorld::put(BlockPos pos, const chunk::BlockState& block) {
    TRY(auto* chunk, this->chunk(pos.chunk()));
    TRY_DO(chunk->set_block(pos, block));
    if (chunk->block_components_state() == chunk::PartState::decoded) {
        TRY(auto* components, chunk->edit_block_components());
        if (components->find(chunk::BlockIndex(pos))) components->remove(chunk::BlockIndex(pos));
    }
    // A damaged list of healths stays as it is: a wrong one does no harm.
    if (chunk->health_state() == chunk::PartState::decoded) {
        TRY(auto* health, chunk->edit_health());
        health->forget(pos);
    }
    if (chunk->support(pos) != 0) TRY_DO(chunk->set_support(pos, 0));
    return {};
}

Result<void> EditedWorld::set_block(BlockPos pos, const chunk::BlockState& block) {
    if (pos.y < 0 || pos.y >= k_world_height)
        return fail(Errc::out_of_range, "y must be from 0 to {}, not {}", k_world_height - 1, pos.y);
    if (block.key.empty()) return fail(Errc::usage, "a block needs a key; Empty is air");
    TRY(const auto* chunk, this->chunk(pos.chunk()));
    const auto before = chunk->block(pos);
    if (before == block) return {};
    const std::string key(before.key);
    const auto cells = chunk::cells_of_block(
        pos, {key, before.rotation, before.filler}, [&](BlockPos cell) -> std::optional<Filler> {
            const auto found = this->chunk(cell.chunk());
            if (!found) return std::nullopt;
            const auto there = (*found)->block(cell);
            return there.key == key ? std::optional(there.filler) : std::nullopt;
        });
    for (const auto cell : cells) TRY_DO(placed(cell.chunk(), check(cell)));
    for (const auto cell : cells)
        TRY_DO(placed(cell.chunk(), put(cell, cell == pos ? block : chunk::BlockState{})));
    return {};
}

Result<void> EditedWorld::remove(ChunkPos pos) {
    TRY(const bool is_there, change_->store().contains(pos));
    if (!is_there || removed_.contains(pos)) return fail(world_->no_such_chunk(pos));
    chunks_.erase(pos);
    removed_.insert(pos);
    return {};
}

std::size_t EditedWorld::changed_chunks() const {
    auto count = removed_.size();
    for (const auto& [pos, chunk] : chunks_) count += chunk->changed() ? 1U : 0U;
    return count;
}

Result<void> EditedWorld::write(ChunkPos pos, chunk::Chunk& chunk) {
    const auto& assets = world::Assets::built_in();
    TRY_DO(chunk.update_heights([&assets](std::string_view key) { return assets.is_transparent(key); }));
    Buffer out;
    TRY(const auto encoded, chunk.encode(out));
    // Read it as the game would, before anything is replaced.
    TRY(const auto again, chunk::Chunk::decode(encoded));
    if (again.problems().size() > chunk.problems().size())
        return fail(Errc::mismatch, "the changed chunk would not be readable: {}",
                    again.problems().back().text());
    return change_->write_document(pos, encoded);
}

Result<SavedEdit> EditedWorld::save() {
    for (const auto& [pos, chunk] : chunks_)
        if (chunk->changed()) TRY_DO(placed(pos, write(pos, *chunk)));
    for (const auto pos : removed_) TRY_DO(change_->remove(pos));
    TRY(const auto report, change_->finish());
    change_.reset(); // unlocks the files
    chunks_.clear();
    if (auto opened = world_->reopen(); !opened)
        world_->note(std::move(opened).error()); // what is saved is saved
    return SavedEdit{report.chunks_written, report.chunks_removed, report.archive.string()};
}

} // namespace orbis
