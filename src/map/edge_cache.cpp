#include "map/edge_cache.hpp"

#include <algorithm>

namespace orbis::map {

EdgeCache::EdgeCache(std::size_t layers, std::size_t most_bytes)
    : layers_(layers), most_(std::max<std::size_t>(1, most_bytes / (layers * sizeof(Edges) + 96))) {}

void EdgeCache::put(ChunkPos pos, std::uint64_t hash, std::span<const Edges> edges) {
    const std::lock_guard lock(mutex_);
    auto found = places_.find(pos);
    if (found == places_.end()) {
        if (entries_.size() < most_) {
            entries_.emplace_back();
            edges_.resize(entries_.size() * layers_);
        } else {
            places_.erase(entries_[next_].pos);
        }
        found = places_.emplace(pos, next_).first;
        next_ = (next_ + 1) % most_;
    }
    entries_[found->second] = {pos, hash};
    std::ranges::copy(edges, edges_.begin() + static_cast<std::ptrdiff_t>(found->second * layers_));
}

std::uint64_t EdgeCache::get(ChunkPos pos, std::span<Edges> edges) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(pos);
    if (found == places_.end()) return 0;
    std::copy_n(edges_.begin() + static_cast<std::ptrdiff_t>(found->second * layers_), layers_,
                edges.begin());
    return entries_[found->second].hash;
}

} // namespace orbis::map
