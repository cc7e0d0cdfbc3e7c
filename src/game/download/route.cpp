#include "game/download/route.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace orbis::game {

namespace {

/// Beyond this many chunks from the start no world of the game goes.
constexpr int k_furthest = 1 << 25;

int floor_divide(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

} // namespace

Route::Route(ChunkPos start, int radius, std::optional<ChunkArea> area)
    : start_(start), half_(static_cast<int>(std::max(1, radius) / std::sqrt(2.0))), area_(area) {
    if (!area_) {
        add({0, 0});
        return;
    }
    const int side = 2 * half_ + 1;
    const auto stop = [&](int chunk, int from) { return floor_divide(chunk - from + half_, side); };
    for (int x = stop(area_->least.x, start.x); x <= stop(area_->most.x, start.x); ++x)
        for (int z = stop(area_->least.z, start.z); z <= stop(area_->most.z, start.z); ++z) add({x, z});
}

std::pair<int, int> Route::order(Stop stop) {
    const int ring = std::max(std::abs(stop.x), std::abs(stop.z));
    if (ring == 0) return {0, 0};
    // Along the four sides of the ring, each without its last corner.
    if (stop.x == ring && stop.z > -ring) return {ring, stop.z + ring - 1};
    if (stop.z == ring) return {ring, 2 * ring + (ring - 1 - stop.x)};
    if (stop.x == -ring) return {ring, 4 * ring + (ring - 1 - stop.z)};
    return {ring, 6 * ring + (stop.x + ring - 1)};
}

ChunkPos Route::middle_of(Stop stop) const {
    const int side = 2 * half_ + 1;
    return {start_.x + stop.x * side, start_.z + stop.z * side};
}

void Route::add(Stop stop) {
    const int side = 2 * half_ + 1;
    if (std::abs(stop.x) > k_furthest / side || std::abs(stop.z) > k_furthest / side) return;
    if (visited_.insert(stop).second) waiting_.emplace(order(stop), stop);
}

std::optional<ChunkPos> Route::next() {
    if (waiting_.empty()) return {};
    current_ = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    return middle_of(current_);
}

void Route::arrive(bool has_chunks) {
    if (area_ || !has_chunks) return;
    for (int x = -1; x <= 1; ++x)
        for (int z = -1; z <= 1; ++z) add({current_.x + x, current_.z + z});
}

std::vector<ChunkPos> Route::chunks_of(ChunkPos middle) const {
    std::vector<ChunkPos> out;
    for (int x = -half_; x <= half_; ++x)
        for (int z = -half_; z <= half_; ++z) {
            const ChunkPos pos{middle.x + x, middle.z + z};
            if (!area_ || area_->contains(pos)) out.push_back(pos);
        }
    return out;
}

} // namespace orbis::game
