#pragma once

#include "bytes/position.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace orbis::game {

/// Chunks from corner to corner, both included.
struct ChunkArea {
    ChunkPos least;
    ChunkPos most;
    [[nodiscard]] bool contains(ChunkPos pos) const {
        return pos.x >= least.x && pos.x <= most.x && pos.z >= least.z && pos.z <= most.z;
    }
};

/// The stops from which all of a world is seen, in a spiral around the first. Each stop answers for a square
/// that is wholly in the circle of its view.
///
/// Inside an area every stop is visited, so that islands are found. Without one, stops are visited that
/// are at most two stops from where something was.
class Route {
public:
    /// `radius`: of the view, in chunks, 1 at least.
    Route(ChunkPos start, int radius, std::optional<ChunkArea> area);

    /// The middle of the next stop; nothing when the route is at its end.
    std::optional<ChunkPos> next();
    /// What was seen at the stop that `next` gave last.
    void arrive(bool has_chunks);

    /// The chunks that a stop answers for, those outside the area left out.
    [[nodiscard]] std::vector<ChunkPos> chunks_of(ChunkPos middle) const;
    /// The side of these squares: whatever is not further from something that was seen is seen too.
    [[nodiscard]] int side() const { return 2 * half_ + 1; }
    [[nodiscard]] std::size_t visited() const { return visited_.size(); }
    /// Stops that are known to follow.
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

private:
    struct Stop {
        int x;
        int z;
        auto operator<=>(const Stop&) const = default;
    };
    /// The place of a stop in the spiral.
    static std::pair<int, int> order(Stop stop);
    void add(Stop stop);
    [[nodiscard]] ChunkPos middle_of(Stop stop) const;

    ChunkPos start_;
    int half_; ///< of the square: it reaches so far from the middle
    std::optional<ChunkArea> area_;
    std::map<std::pair<int, int>, Stop> waiting_;
    std::set<Stop> visited_; ///< or waiting
    Stop current_{0, 0};
};

} // namespace orbis::game
