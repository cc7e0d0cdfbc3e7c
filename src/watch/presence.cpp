#include "watch/presence.hpp"

#include <algorithm>
#include <limits>

namespace orbis::watch {

namespace {

/// The part of a region that one of its four tiles shows.
RegionChunks quarter(TilePos pos) {
    RegionChunks mask;
    for (int z = 0; z < k_tile_chunks; ++z)
        for (int x = 0; x < k_tile_chunks; ++x)
            mask.set(static_cast<std::size_t>(
                ChunkPos{(pos.x & 1) * k_tile_chunks + x, (pos.z & 1) * k_tile_chunks + z}.slot().value));
    return mask;
}

} // namespace

void Presence::set(RegionPos region, const RegionChunks& chunks) {
    const std::lock_guard lock(mutex_);
    if (chunks.none())
        regions_.erase(region);
    else
        regions_[region] = chunks;
}

RegionChunks Presence::get(RegionPos region) const {
    const std::lock_guard lock(mutex_);
    const auto found = regions_.find(region);
    return found == regions_.end() ? RegionChunks{} : found->second;
}

bool Presence::has(int level, TilePos pos) const {
    if (level == 0) return (get(pos.region()) & quarter(pos)).any();
    const auto side = std::int64_t{1} << (level - 1);
    const auto clamp = [](std::int64_t value) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(
            value, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
    };
    const auto first_z = clamp(pos.z * side);
    const auto last_z = clamp((pos.z + std::int64_t{1}) * side - 1);
    const auto last_x = clamp((pos.x + std::int64_t{1}) * side - 1);
    const std::lock_guard lock(mutex_);
    // Column by column, each found by a search: regions of other columns are not looked at.
    auto at = regions_.lower_bound({clamp(pos.x * side), first_z});
    while (at != regions_.end() && at->first.x <= last_x) {
        if (at->first.z < first_z)
            at = regions_.lower_bound({at->first.x, first_z});
        else if (at->first.z > last_z)
            at = at->first.x == last_x ? regions_.end() : regions_.lower_bound({at->first.x + 1, first_z});
        else
            return true;
    }
    return false;
}

std::uint64_t Presence::chunks() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t count = 0;
    for (const auto& [pos, chunks] : regions_) count += chunks.count();
    return count;
}

std::size_t Presence::regions() const {
    const std::lock_guard lock(mutex_);
    return regions_.size();
}

std::optional<Presence::Bounds> Presence::bounds() const {
    const std::lock_guard lock(mutex_);
    std::optional<Bounds> bounds;
    for (const auto& [region, chunks] : regions_)
        for (int slot = 0; slot < k_columns; ++slot) {
            const auto pos = region.chunk({slot});
            if (!chunks.test(static_cast<std::size_t>(slot)) || !is_drawable(pos)) continue;
            if (!bounds) bounds = Bounds{pos, pos};
            bounds->min = {std::min(bounds->min.x, pos.x), std::min(bounds->min.z, pos.z)};
            bounds->max = {std::max(bounds->max.x, pos.x), std::max(bounds->max.z, pos.z)};
        }
    return bounds;
}

} // namespace orbis::watch
