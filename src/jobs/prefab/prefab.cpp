#include "jobs/prefab/prefab.hpp"

#include <algorithm>
#include <tuple>

namespace orbis::jobs::prefab {

namespace {

auto game_order(BlockPos pos) { return std::tuple(pos.x, pos.z, pos.y); }

template <typename Cell>
bool comes_before(const Cell& a, const Cell& b) {
    return game_order(a.at) < game_order(b.at);
}

template <typename Cell>
bool is_strictly_sorted(const std::vector<Cell>& cells) {
    return std::ranges::adjacent_find(cells, [](const Cell& a, const Cell& b) { return !comes_before(a, b); })
           == cells.end();
}

template <typename Cell>
Result<void> check_distinct(const std::vector<Cell>& cells, std::string_view what) {
    if (is_strictly_sorted(cells)) return {};
    std::vector<std::int64_t> places;
    places.reserve(cells.size());
    for (const auto& cell : cells) places.push_back(cell.at.packed());
    std::ranges::sort(places);
    const auto twice = std::ranges::adjacent_find(places);
    if (twice == places.end()) return {};
    return fail(Errc::overlap, "expected one {} per cell, found two at {:n}", what, BlockPos::unpack(*twice));
}

template <typename Cell>
void widen(const std::vector<Cell>& cells, std::optional<Bounds>& bounds) {
    for (const auto& cell : cells) {
        if (!bounds) bounds = Bounds{cell.at, cell.at};
        auto& [least, most] = *bounds;
        least = {std::min(least.x, cell.at.x), std::min(least.y, cell.at.y), std::min(least.z, cell.at.z)};
        most = {std::max(most.x, cell.at.x), std::max(most.y, cell.at.y), std::max(most.z, cell.at.z)};
    }
}

} // namespace

std::uint32_t Names::id_of(std::string_view name) {
    if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    ids_.emplace(name, id);
    return id;
}

std::optional<Bounds> bounds_of(const Prefab& prefab) {
    std::optional<Bounds> bounds;
    widen(prefab.blocks, bounds);
    widen(prefab.fluids, bounds);
    return bounds;
}

Result<void> check_cells(const Prefab& prefab) {
    TRY_DO(check_distinct(prefab.blocks, "block"));
    return check_distinct(prefab.fluids, "fluid");
}

void sort_cells(Prefab& prefab) {
    if (!is_strictly_sorted(prefab.blocks)) std::ranges::sort(prefab.blocks, comes_before<Prefab::Block>);
    if (!is_strictly_sorted(prefab.fluids)) std::ranges::sort(prefab.fluids, comes_before<Prefab::Fluid>);
}

} // namespace orbis::jobs::prefab
