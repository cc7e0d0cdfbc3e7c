#include "game/edits/edited_chunk.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

Error given_up() { return error(Errc::not_found, "somebody else has removed or replaced the chunk"); }

} // namespace

Result<std::shared_ptr<EditedChunk>> EditedChunk::read(ChunkPos pos, Buffer document, const Sha256& stored) {
    TRY(auto chunk, chunk::Chunk::decode(std::move(document)));
    return std::shared_ptr<EditedChunk>(new EditedChunk(pos, std::move(chunk), stored));
}

FoundBlock EditedChunk::block(BlockPos pos) const {
    const std::lock_guard lock(mutex_);
    const auto found = chunk_.block(pos);
    return {std::string(found.key), found.rotation, found.filler};
}

/// Everything that is written with a changed block must have been read: its section, the heights, and the
/// components of blocks, of which one may have to go.
Result<void> EditedChunk::check(chunk::Chunk& chunk, BlockPos pos) {
    if (pos.y < 0 || pos.y >= k_world_height)
        return fail(Errc::out_of_range, "y {} is outside of the world", pos.y);
    TRY_DO(chunk.edit_section(pos.section().y));
    TRY_DO(chunk.edit_heights());
    TRY_DO(chunk.edit_block_components());
    return {};
}

Result<void> EditedChunk::can_set(BlockPos pos) {
    const std::lock_guard lock(mutex_);
    if (is_given_up_) return fail(given_up());
    return check(chunk_, pos);
}

Result<void> EditedChunk::put(chunk::Chunk& chunk, const CellEdit& edit) {
    TRY_DO(check(chunk, edit.pos));
    TRY_DO(chunk.set_block(edit.pos, edit.block));
    if (chunk.block_components_state() == chunk::PartState::decoded) {
        TRY(auto* components, chunk.edit_block_components());
        if (components->find(chunk::BlockIndex(edit.pos))) components->remove(chunk::BlockIndex(edit.pos));
    }
    // Where these two are damaged they stay as they are: a wrong health does no harm.
    if (chunk.health_state() == chunk::PartState::decoded) {
        TRY(auto* health, chunk.edit_health());
        health->forget(edit.pos);
    }
    if (chunk.support(edit.pos) != 0) TRY_DO(chunk.set_support(edit.pos, 0));
    return {};
}

Result<void> EditedChunk::set(std::span<const CellEdit> edits) {
    const std::lock_guard lock(mutex_);
    if (is_given_up_) return fail(given_up());
    for (const auto& edit : edits) {
        TRY_DO(put(chunk_, edit));
        unsaved_.insert_or_assign(chunk::BlockIndex(edit.pos), edit);
        if (first_unsaved_ == 0) first_unsaved_ = edit.number;
        last_edit_ = edit.number;
    }
    return {};
}

Result<EditedChunk::Content> EditedChunk::encode(const chunk::IsTransparent& is_transparent) {
    const std::lock_guard lock(mutex_);
    TRY_DO(chunk_.update_heights(is_transparent));
    Content content;
    TRY(const auto document, chunk_.encode(content.document));
    if (document.data() != content.document.data()) content.document.assign(document.begin(), document.end());
    content.number = last_edit_;
    return content;
}

Sha256 EditedChunk::stored() const {
    const std::lock_guard lock(mutex_);
    return stored_;
}

std::optional<std::uint64_t> EditedChunk::first_unsaved() const {
    const std::lock_guard lock(mutex_);
    return first_unsaved_ == 0 ? std::nullopt : std::optional(first_unsaved_);
}

void EditedChunk::mark_saved(std::uint64_t number, const Sha256& stored) {
    const std::lock_guard lock(mutex_);
    std::erase_if(unsaved_, [number](const auto& entry) { return entry.second.number <= number; });
    first_unsaved_ = unsaved_.empty() ? 0 : number + 1;
    stored_ = stored;
}

Result<void> EditedChunk::rebase(Buffer document, const Sha256& stored) {
    TRY(auto chunk, chunk::Chunk::decode(std::move(document)));
    const std::lock_guard lock(mutex_);
    // Cells do not depend on each other, so their order does not matter.
    for (const auto& [index, edit] : unsaved_) TRY_DO(put(chunk, edit));
    chunk_ = std::move(chunk);
    stored_ = stored;
    return {};
}

std::size_t EditedChunk::give_up() {
    const std::lock_guard lock(mutex_);
    const auto cells = unsaved_.size();
    unsaved_.clear();
    first_unsaved_ = 0;
    is_given_up_ = true;
    return cells;
}

bool EditedChunk::is_given_up() const {
    const std::lock_guard lock(mutex_);
    return is_given_up_;
}

EditedChunks::Ptr EditedChunks::find(ChunkPos pos) const {
    const std::lock_guard lock(mutex_);
    const auto found = chunks_.find(pos);
    if (found == chunks_.end()) return nullptr;
    found->second.looked_for = ++looks_;
    return found->second.chunk;
}

void EditedChunks::add(Ptr chunk) {
    const std::lock_guard lock(mutex_);
    const auto pos = chunk->pos();
    chunks_.insert_or_assign(pos, Entry{std::move(chunk), ++looks_});
}

void EditedChunks::remove(ChunkPos pos) {
    const std::lock_guard lock(mutex_);
    chunks_.erase(pos);
}

void EditedChunks::let_go(std::size_t most) {
    const std::lock_guard lock(mutex_);
    if (chunks_.size() <= most) return;
    std::vector<std::pair<std::uint64_t, ChunkPos>> clean;
    for (const auto& [pos, entry] : chunks_)
        if (!entry.chunk->first_unsaved()) clean.emplace_back(entry.looked_for, pos);
    if (clean.size() <= most) return;
    std::ranges::sort(clean);
    for (const auto& [looked_for, pos] : std::span(clean).first(clean.size() - most)) chunks_.erase(pos);
}

std::vector<EditedChunks::Ptr> EditedChunks::unsaved() const {
    std::vector<Ptr> found;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [pos, entry] : chunks_)
            if (entry.chunk->first_unsaved()) found.push_back(entry.chunk);
    }
    std::ranges::sort(found, {}, [](const Ptr& chunk) { return chunk->pos(); });
    return found;
}

std::size_t EditedChunks::size() const {
    const std::lock_guard lock(mutex_);
    return chunks_.size();
}

} // namespace orbis::game
