#include "library/edited_world.hpp"

#include "world/assets.hpp"

#include <cstdlib>
#include <limits>
#include <string>

namespace orbis {
namespace {

/// Beyond this the neighbours of a block may have no coordinates.
constexpr std::int64_t k_edge = std::numeric_limits<std::int32_t>::max() - 64;

} // namespace

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

/// All cells of the block at a position, which touch each other, if only at a corner. Those of a block that
/// has only one, and of a part whose base is gone: the position alone.
std::vector<BlockPos> EditedWorld::cells_of(BlockPos pos) {
    const auto block_at = [this](BlockPos cell) -> chunk::BlockState {
        const auto found = chunk(cell.chunk());
        return found ? (*found)->block(cell) : chunk::BlockState{};
    };
    if (std::abs(std::int64_t{pos.x}) > k_edge || std::abs(std::int64_t{pos.z}) > k_edge) return {pos};
    const auto there = block_at(pos);
    const std::string key(there.key);
    const auto base = there.filler.base(pos);
    if (key == chunk::k_empty_key || base.y < 0 || base.y >= k_world_height) return {pos};
    if (there.filler) {
        const auto first = block_at(base);
        if (first.key != key || first.filler) return {pos};
    }
    std::set<BlockPos> found{base};
    std::vector<BlockPos> to_look_around{base};
    const auto look_at = [&](BlockPos cell) {
        if (cell.y < 0 || cell.y >= k_world_height || !Filler::fits(cell.x - base.x)
            || !Filler::fits(cell.y - base.y) || !Filler::fits(cell.z - base.z) || found.contains(cell))
            return;
        const auto here = block_at(cell);
        if (!here.filler || here.key != key || here.filler.base(cell) != base) return;
        found.insert(cell);
        to_look_around.push_back(cell);
    };
    while (!to_look_around.empty()) {
        const auto at = to_look_around.back();
        to_look_around.pop_back();
        for (int i = 0; i < 27; ++i) look_at({at.x + i % 3 - 1, at.y + i / 3 % 3 - 1, at.z + i / 9 - 1});
    }
    found.insert(pos);
    return {found.begin(), found.end()};
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
    if (chunk->block(pos) == block) return {};
    const auto cells = cells_of(pos);
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
