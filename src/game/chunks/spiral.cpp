#include "game/chunks/spiral.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace orbis::game {

Spiral::Spiral(int radius) : radius_(radius) {
    const auto add = [this](int x, int z) {
        if (is_inside({x, z}, {0, 0}, radius_)) steps_.push_back({x, z});
    };
    rings_.push_back(0);
    add(0, 0);
    // (1,0) (1,1) (0,1) (-1,1) (-1,0) (-1,-1) (0,-1) (1,-1), then (2,-1) and so on: each ring begins beside
    // the end of the one before.
    for (int ring = 1; ring <= radius; ++ring) {
        rings_.push_back(steps_.size());
        for (int z = 1 - ring; z <= ring; ++z) add(ring, z);
        for (int x = ring - 1; x >= -ring; --x) add(x, ring);
        for (int z = ring - 1; z >= -ring; --z) add(-ring, z);
        for (int x = 1 - ring; x <= ring; ++x) add(x, -ring);
    }
}

std::shared_ptr<const Spiral> Spiral::of(int radius) {
    static std::mutex mutex;
    static std::map<int, std::shared_ptr<const Spiral>> made;
    const std::lock_guard lock(mutex);
    auto& spiral = made[radius];
    if (!spiral) spiral = std::make_shared<const Spiral>(radius);
    return spiral;
}

std::size_t Spiral::first_of_ring(int ring) const {
    if (ring > radius_) return steps_.size();
    return rings_[static_cast<std::size_t>(std::max(ring, 0))];
}

} // namespace orbis::game
