#include "game/serve/column_tails.hpp"

#include <algorithm>

namespace orbis::game {

void ColumnTails::trim(Entry& entry) {
    std::erase_if(entry.alive, [](const auto& column) { return column.expired(); });
    auto oldest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& kept : entry.alive)
        if (const auto column = kept.lock()) oldest = std::min(oldest, column->version);
    // Without any, one may be on its way from a worker.
    if (!entry.alive.empty()) entry.tail.forget(oldest);
}

void ColumnTails::note_made(const ColumnPtr& column) {
    auto& entry = columns_[column->pos];
    entry.alive.push_back(column);
    trim(entry);
    if (columns_.size() >= sweep_at_) sweep();
}

/// Lets chunks go whose columns are gone, also where nobody ever edits. So seldom that it costs little.
void ColumnTails::sweep() {
    for (auto& [pos, entry] : columns_) trim(entry);
    std::erase_if(columns_, [](const auto& column) {
        return column.second.alive.empty() && column.second.tail.size() == 0;
    });
    sweep_at_ = std::max(k_least_sweep, 2 * columns_.size());
}

Result<std::span<const net::OutgoingFrame>> ColumnTails::frames_behind(const Column& column,
                                                                       ServerTools& tools) {
    const auto found = columns_.find(column.pos);
    if (found == columns_.end()) return std::span<const net::OutgoingFrame>();
    trim(found->second);
    // What the column knows is not said again: somebody else may have changed it on the disk since.
    return found->second.tail.frames(column.pos, tools, column.version);
}

std::vector<ChunkPos> ColumnTails::chunks() const {
    std::vector<ChunkPos> found;
    for (const auto& [pos, entry] : columns_)
        if (entry.tail.size() > 0) found.push_back(pos);
    std::ranges::sort(found);
    return found;
}

void ColumnTails::forget(std::uint64_t known_to_all) {
    for (auto& [pos, entry] : columns_) {
        trim(entry);
        if (entry.alive.empty()) entry.tail.forget(known_to_all);
    }
    sweep();
}

} // namespace orbis::game
