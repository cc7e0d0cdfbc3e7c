#pragma once

#include "bytes/position.hpp"
#include "bytes/tile_pos.hpp"

#include <bitset>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace orbis::watch {

/// The chunks of a region that there are.
using RegionChunks = std::bitset<k_columns>;

/// Which chunks a world has: 128 bytes for each region. May be asked by any thread.
class Presence {
public:
    /// What the region has now; without any chunk it is forgotten.
    void set(RegionPos region, const RegionChunks& chunks);
    [[nodiscard]] RegionChunks get(RegionPos region) const;

    /// Whether any chunk is on the tile.
    [[nodiscard]] bool has(int level, TilePos pos) const;
    [[nodiscard]] std::uint64_t chunks() const;
    [[nodiscard]] std::size_t regions() const;

    /// In chunks, both inclusive.
    struct Bounds {
        ChunkPos min;
        ChunkPos max;
        friend bool operator==(const Bounds&, const Bounds&) = default;
    };
    /// Of the chunks that can be drawn; nothing for a world without any.
    [[nodiscard]] std::optional<Bounds> bounds() const;

private:
    mutable std::mutex mutex_;
    std::map<RegionPos, RegionChunks> regions_;
};

} // namespace orbis::watch
