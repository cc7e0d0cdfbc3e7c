#pragma once

#include "bytes/position.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace orbis::jobs {

/// Some chunks of a world, ascending by x, then z. Eight bytes each.
class ChunkSet {
public:
    ChunkSet() = default;
    /// In any order; what comes twice counts once.
    explicit ChunkSet(std::vector<ChunkPos> chunks) : chunks_(std::move(chunks)) {
        std::ranges::sort(chunks_);
        chunks_.erase(std::ranges::unique(chunks_).begin(), chunks_.end());
    }

    [[nodiscard]] bool contains(ChunkPos pos) const { return std::ranges::binary_search(chunks_, pos); }
    /// Whether a chunk at most `margin` chunks away on each axis is in it.
    [[nodiscard]] bool near(ChunkPos pos, std::int32_t margin) const {
        const std::int64_t reach = margin;
        for (auto at = first_from(pos.x - reach, pos.z - reach); at != chunks_.end();) {
            if (at->x > pos.x + reach) return false;
            if (at->z > pos.z + reach) {
                at = first_from(std::int64_t{at->x} + 1, pos.z - reach); // the next column
            } else if (at->z < pos.z - reach) {
                at = first_from(at->x, pos.z - reach);
            } else {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::size_t size() const { return chunks_.size(); }
    [[nodiscard]] bool empty() const { return chunks_.empty(); }
    [[nodiscard]] auto begin() const { return chunks_.begin(); }
    [[nodiscard]] auto end() const { return chunks_.end(); }
    [[nodiscard]] std::span<const ChunkPos> chunks() const { return chunks_; }

private:
    /// The first chunk not before the position x, z, which may be outside what a position can be.
    [[nodiscard]] std::vector<ChunkPos>::const_iterator first_from(std::int64_t x, std::int64_t z) const {
        return std::ranges::partition_point(
            chunks_, [x, z](ChunkPos pos) { return pos.x < x || (pos.x == x && pos.z < z); });
    }

    std::vector<ChunkPos> chunks_;
};

} // namespace orbis::jobs
