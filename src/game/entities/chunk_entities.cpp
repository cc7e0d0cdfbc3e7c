#include "game/entities/chunk_entities.hpp"

#include <algorithm>

namespace orbis::game {

void ChunkEntities::set(ChunkPos pos, std::span<const EntityState> stored) {
    if (stored.empty() && !shown_.contains(pos)) return;
    auto& place = shown_[pos];

    // Mostly one came or went: what is the same at the start and at the end of the list stays.
    const auto same = [](const EntityState& a, const EntityState& b) { return a == b; };
    const auto first = std::ranges::mismatch(place.stored, stored, same).in1 - place.stored.begin();
    const auto most = std::min(std::ssize(place.stored), std::ssize(stored)) - first;
    std::ptrdiff_t last = 0;
    while (last < most && *(place.stored.end() - 1 - last) == *(stored.end() - 1 - last)) ++last;

    for (auto id = place.ids.begin() + first; id != place.ids.end() - last; ++id) table_.remove(*id);
    std::vector<NetworkId> ids(place.ids.begin(), place.ids.begin() + first);
    for (auto state = stored.begin() + first; state != stored.end() - last; ++state)
        ids.push_back(table_.add(*state));
    ids.insert(ids.end(), place.ids.end() - last, place.ids.end());
    size_ += ids.size() - place.ids.size();
    place.ids = std::move(ids);
    place.stored.assign(stored.begin(), stored.end());
    if (stored.empty()) shown_.erase(pos);
}

} // namespace orbis::game
