#include "game/edits/edit_queue.hpp"

#include "chunk/block_cells.hpp"

#include <algorithm>

namespace orbis::game {

void EditQueue::submit(Edit edit) {
    if (waiting_.size() >= k_most_waiting && !make_room_for(edit.player)) return refuse(std::move(edit));
    const auto pos = edit.pos.chunk();
    ++shares_[edit.player];
    waiting_.push_back(std::move(edit));
    if (!chunks_.find(pos)) ask_for(pos); // it comes while the edits before this one are made
    go_on();
}

bool EditQueue::make_room_for(const protocol::Uuid& player) {
    const auto own = shares_.find(player);
    const auto most = std::ranges::max_element(shares_, {}, [](const auto& share) { return share.second; });
    if (most->second <= (own == shares_.end() ? 0 : own->second) + 1) return false;
    // Nothing of that player's comes after its newest edit, so the order of what is made stays.
    const auto newest = std::ranges::find(waiting_.rbegin(), waiting_.rend(), most->first, &Edit::player);
    refuse(take(std::prev(newest.base())));
    return true;
}

void EditQueue::refuse(Edit edit) {
    const auto chunk = chunks_.find(edit.pos.chunk());
    edit.done({.refusal = error(Errc::busy, "{} edits are already waiting", k_most_waiting),
               .found = chunk ? std::optional(chunk->block(edit.pos)) : std::nullopt,
               .others = other_cells(edit)});
}

Edit EditQueue::take(std::deque<Edit>::iterator at) {
    auto edit = std::move(*at);
    waiting_.erase(at);
    const auto share = shares_.find(edit.player);
    if (--share->second == 0) shares_.erase(share);
    return edit;
}

void EditQueue::loaded(ChunkPos pos, Result<EditedChunks::Ptr> chunk) {
    asked_.erase(pos);
    if (!chunk)
        absent_.insert_or_assign(pos, std::move(chunk).error());
    else if (*chunk == nullptr)
        absent_.insert_or_assign(pos, error(Errc::not_found, "there is no {}", pos));
    else if (!chunks_.find(pos))
        chunks_.add(*std::move(chunk));
    // Those who only asked what a cell holds leave nothing to save, after which chunks are let go.
    chunks_.let_go(k_most_idle);
    go_on();
}

void EditQueue::changed_by_others(std::span<const ChunkPos> chunks) {
    for (const auto pos : chunks)
        if (const auto chunk = chunks_.find(pos); chunk && !chunk->first_unsaved()) chunks_.remove(pos);
}

void EditQueue::after_save() { chunks_.let_go(k_most_idle); }

void EditQueue::ask_for(ChunkPos pos) {
    if (asked_.insert(pos).second) load_(pos);
}

/// `loaded` may be called from within `load_`, and `submit` from within `done`: neither begins a second
/// round.
void EditQueue::go_on() {
    if (is_going_on_) return;
    is_going_on_ = true;
    while (!waiting_.empty()) {
        needs_.clear();
        const auto outcome = apply(waiting_.front());
        if (!outcome) {
            for (const auto pos : needs_) ask_for(pos);
            if (std::ranges::any_of(needs_, [&](ChunkPos pos) { return asked_.contains(pos); })) break;
            continue;
        }
        absent_.clear();
        take(waiting_.begin()).done(*outcome);
    }
    is_going_on_ = false;
}

EditedChunks::Ptr EditQueue::look(ChunkPos pos) {
    if (auto chunk = chunks_.find(pos)) {
        if (!chunk->is_given_up()) return chunk;
        chunks_.remove(pos); // what is there now has to be read again
    }
    if (!absent_.contains(pos)) needs_.insert(pos);
    return nullptr;
}

std::optional<FoundBlock> EditQueue::block_at(BlockPos pos) {
    const auto chunk = look(pos.chunk());
    return chunk ? std::optional(chunk->block(pos)) : std::nullopt;
}

std::optional<EditOutcome> EditQueue::apply(const Edit& edit) {
    EditOutcome outcome;
    outcome.found = block_at(edit.pos);
    if (!needs_.empty()) return std::nullopt;
    outcome.refusal = edit.refusal;
    if (!outcome.found && !outcome.refusal) outcome.refusal = absent_.at(edit.pos.chunk());
    if (outcome.refusal) {
        outcome.others = other_cells(edit);
        return outcome;
    }
    const auto& [key, rotation, filler] = *outcome.found;
    if (edit.block == chunk::BlockState{key, rotation, filler}) return outcome;

    const auto cells = chunk::cells_of_block(
        edit.pos, {key, rotation, filler}, [this, &key](BlockPos cell) -> std::optional<chunk::Filler> {
            const auto there = block_at(cell);
            return there && there->key == key ? std::optional(there->filler) : std::nullopt;
        });
    auto room = check_room(edit, cells);
    if (!needs_.empty()) return std::nullopt;
    auto changed = room ? change(edit, cells) : fail(std::move(room).error());
    if (!changed) {
        outcome.refusal = std::move(changed).error();
        outcome.others = other_cells(edit);
        return outcome;
    }
    outcome.number = last_edit_;
    outcome.cells = *std::move(changed);
    outcome.found = {std::string(edit.block.key), edit.block.rotation, edit.block.filler};
    return outcome;
}

Result<void> EditQueue::check_room(const Edit& edit, std::span<const BlockPos> old_cells) {
    std::optional<Error> problem;
    for (const auto filler : chunk::fillers_of(edit.extent, edit.block.rotation)) {
        const auto cell = filler.cell(edit.pos);
        if (!filler || std::ranges::binary_search(old_cells, cell)) continue;
        if (cell.y < 0 || cell.y >= k_world_height)
            return fail(Errc::out_of_range, "the block would reach outside of the world, to y {}", cell.y);
        const auto there = block_at(cell);
        if (problem) continue; // all chunks are asked for at once
        if (!there && absent_.contains(cell.chunk()))
            problem =
                error(Errc::not_found, "the block would reach into {}, which is not there", cell.chunk());
        else if (there && there->key != chunk::k_empty_key)
            problem = error(Errc::exists, "the block needs the cell {} {} {}, which holds {}", cell.x, cell.y,
                            cell.z, there->key);
    }
    if (problem) return fail(*std::move(problem));
    return {};
}

std::vector<std::pair<BlockPos, FoundBlock>> EditQueue::other_cells(const Edit& edit) {
    const auto known = [this](BlockPos cell) -> std::optional<FoundBlock> {
        const auto chunk = chunks_.find(cell.chunk());
        return chunk ? std::optional(chunk->block(cell)) : std::nullopt;
    };
    std::set<BlockPos> cells;
    for (const auto filler : chunk::fillers_of(edit.extent, edit.block.rotation))
        if (const auto cell = filler.cell(edit.pos); cell.y >= 0 && cell.y < k_world_height)
            cells.insert(cell);
    if (const auto old = known(edit.pos))
        for (const auto cell : chunk::cells_of_block(edit.pos, {old->key, old->rotation, old->filler},
                                                     [&](BlockPos part) -> std::optional<chunk::Filler> {
                                                         const auto there = known(part);
                                                         return there && there->key == old->key
                                                                    ? std::optional(there->filler)
                                                                    : std::nullopt;
                                                     }))
            cells.insert(cell);
    cells.erase(edit.pos);
    std::vector<std::pair<BlockPos, FoundBlock>> held;
    for (const auto cell : cells)
        if (auto there = known(cell)) held.emplace_back(cell, *std::move(there));
    return held;
}

Result<std::vector<CellEdit>> EditQueue::change(const Edit& edit, const std::vector<BlockPos>& cells) {
    if (!edit.block.rotation.valid())
        return fail(Errc::out_of_range, "rotation {}, expected 0 to 63", edit.block.rotation.index);
    std::map<BlockPos, chunk::BlockState> wanted;
    for (const auto cell : cells) wanted[cell] = {};
    for (const auto filler : chunk::fillers_of(edit.extent, edit.block.rotation))
        wanted[filler.cell(edit.pos)] = {edit.block.key, edit.block.rotation, filler};
    struct Part {
        EditedChunks::Ptr chunk;
        std::vector<CellEdit> cells;
    };
    std::map<ChunkPos, Part> parts;
    // All of them are asked before the first is changed: a block goes as a whole or not at all.
    bool needs_room = false;
    for (const auto& [cell, block] : wanted) {
        auto& [chunk, edits] = parts[cell.chunk()];
        if (!chunk) chunk = look(cell.chunk());
        if (!chunk) return fail(Errc::not_found, "somebody else has just removed a chunk of the block");
        TRY_DO(chunk->can_set(cell));
        needs_room = needs_room || !chunk->first_unsaved();
        edits.push_back({cell, block, last_edit_ + 1});
    }
    if (needs_room && chunks_.unsaved().size() >= k_most_unsaved)
        return fail(Errc::busy, "{} changed chunks wait to be saved", k_most_unsaved);
    std::vector<CellEdit> changed;
    std::optional<Error> problem;
    for (const auto& [pos, part] : parts) {
        if (auto set = part.chunk->set(part.cells); set)
            changed.insert(changed.end(), part.cells.begin(), part.cells.end());
        else
            problem = std::move(set).error(); // the saver has just given it up: its cells went with it
    }
    if (changed.empty()) return fail(problem.value_or(error(Errc::not_found, "there is nothing to change")));
    chunks_.note_edit(++last_edit_);
    return changed;
}

} // namespace orbis::game
