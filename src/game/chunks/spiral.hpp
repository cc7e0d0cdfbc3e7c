#pragma once

#include "bytes/position.hpp"

#include <memory>
#include <vector>

namespace orbis::game {

/// The chunks around a player in the order in which they are sent: a square spiral outwards, without those
/// outside the circle (docs/formats/column-packets.md).
class Spiral {
public:
    explicit Spiral(int radius);
    /// Made once for each radius and shared.
    static std::shared_ptr<const Spiral> of(int radius);

    [[nodiscard]] int radius() const { return radius_; }
    /// Offsets from the player's chunk.
    [[nodiscard]] const std::vector<ChunkPos>& steps() const { return steps_; }
    /// The first step that is `ring` chunks away along x or z; the end for rings outside the radius.
    [[nodiscard]] std::size_t first_of_ring(int ring) const;

    [[nodiscard]] static bool is_inside(ChunkPos pos, ChunkPos center, int radius) {
        const std::int64_t x = std::int64_t{pos.x} - center.x;
        const std::int64_t z = std::int64_t{pos.z} - center.z;
        return x * x + z * z <= std::int64_t{radius} * radius;
    }

private:
    int radius_;
    std::vector<ChunkPos> steps_;
    std::vector<std::size_t> rings_; ///< the first step of each
};

} // namespace orbis::game
