#pragma once

#include "map/map_state.hpp"
#include "map/tile.hpp"

#include <set>
#include <span>
#include <vector>

namespace orbis::map {

/// The tiles that must be made again, level by level.
class StaleTiles {
public:
    /// `stale` are those of level 0. Above them everything is stale that has a stale child; and where `old`
    /// has no such level yet, everything that has a child at all.
    StaleTiles(std::set<TilePos> stale, int levels, const MapState* old);

    [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
    [[nodiscard]] const std::set<TilePos>& level(int level) const {
        return levels_[static_cast<std::size_t>(level)];
    }
    [[nodiscard]] bool contains(int level, TilePos pos) const { return this->level(level).contains(pos); }
    /// How many of the four children of a tile are stale.
    [[nodiscard]] int stale_children(int level, TilePos pos) const;

    /// The stale tiles of level 0 region by region, in an order in which neighbours come soon after each
    /// other and a parent is complete as early as can be.
    [[nodiscard]] std::vector<std::vector<TilePos>> by_region() const;

private:
    std::vector<std::set<TilePos>> levels_;
};

/// The four tiles below one.
[[nodiscard]] constexpr std::array<TilePos, 4> children_of(TilePos pos) {
    return {{{pos.x * 2, pos.z * 2},
             {pos.x * 2 + 1, pos.z * 2},
             {pos.x * 2, pos.z * 2 + 1},
             {pos.x * 2 + 1, pos.z * 2 + 1}}};
}

} // namespace orbis::map
