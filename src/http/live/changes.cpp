#include "http/live/changes.hpp"

#include <algorithm>
#include <set>

namespace orbis::http {

std::vector<LevelTile> with_parents(std::span<const TilePos> tiles, int levels) {
    std::set<LevelTile> all;
    for (auto pos : tiles)
        for (int level = 0; level < levels; ++level, pos = pos.parent())
            if (!all.insert({level, pos}).second) break; // and so are its parents
    return {all.begin(), all.end()};
}

std::uint64_t Changes::now() const {
    const std::lock_guard lock(mutex_);
    return now_;
}

void Changes::mark(std::span<const LevelTile> tiles) {
    const std::lock_guard lock(mutex_);
    ++now_;
    for (const auto& tile : tiles) last_[tile] = now_;
}

std::uint64_t Changes::last(const LevelTile& tile) const {
    const std::lock_guard lock(mutex_);
    const auto found = last_.find(tile);
    return found == last_.end() ? forgotten_ : found->second;
}

void Changes::forget(std::uint64_t time) {
    const std::lock_guard lock(mutex_);
    forgotten_ = std::max(forgotten_, time);
    std::erase_if(last_, [&](const auto& entry) { return entry.second <= time; });
}

} // namespace orbis::http
