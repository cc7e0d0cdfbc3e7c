#include "map/stale_tiles.hpp"

#include <algorithm>
#include <map>

namespace orbis::map {
namespace {

/// Whether a comes before b on the curve that goes through two by two, then through two by two of those.
bool is_before(RegionPos a, RegionPos b) {
    const auto bits = [](std::int32_t value) { return static_cast<std::uint32_t>(value) ^ 0x8000'0000U; };
    const auto x = bits(a.x) ^ bits(b.x);
    const auto z = bits(a.z) ^ bits(b.z);
    const bool z_decides = x < z && x < (x ^ z); // the highest bit that differs is one of z
    return z_decides ? bits(a.z) < bits(b.z) : bits(a.x) < bits(b.x);
}

} // namespace

StaleTiles::StaleTiles(std::set<TilePos> stale, int levels, const MapState* old) {
    levels_.resize(static_cast<std::size_t>(levels));
    if (levels == 0) return;
    levels_[0] = std::move(stale);
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        auto& tiles = levels_[level];
        for (const auto pos : levels_[level - 1]) tiles.insert(pos.parent());
        if (old == nullptr) continue;
        for (const auto& layer : old->layers)
            if (layer.levels.size() == level) // this level is new
                for (const auto& [pos, hash] : layer.levels[level - 1]) tiles.insert(pos.parent());
    }
}

int StaleTiles::stale_children(int level, TilePos pos) const {
    const auto children = children_of(pos);
    return static_cast<int>(
        std::ranges::count_if(children, [&](TilePos child) { return contains(level - 1, child); }));
}

std::vector<std::vector<TilePos>> StaleTiles::by_region() const {
    if (levels_.empty()) return {};
    std::map<RegionPos, std::vector<TilePos>,
             decltype([](RegionPos a, RegionPos b) { return is_before(a, b); })>
        regions;
    for (const auto pos : levels_[0]) regions[pos.region()].push_back(pos);
    std::vector<std::vector<TilePos>> out;
    out.reserve(regions.size());
    for (auto& [region, tiles] : regions) out.push_back(std::move(tiles));
    return out;
}

} // namespace orbis::map
