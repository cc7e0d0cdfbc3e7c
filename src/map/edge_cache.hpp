#pragma once

#include "bytes/position.hpp"
#include "map/unshaded_chunk.hpp"

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace orbis::map {

/// Edges of chunks that are at the border of what was rendered, for those who render beside them. Has room
/// for a fixed number of bytes: what was put in first goes first. Shared by threads.
class EdgeCache {
public:
    /// `layers` edges for each chunk.
    EdgeCache(std::size_t layers, std::size_t most_bytes);

    void put(ChunkPos pos, std::uint64_t hash, std::span<const Edges> edges);
    /// The hash that the chunk had, and its edges; 0 if it is not in here.
    std::uint64_t get(ChunkPos pos, std::span<Edges> edges);

private:
    struct Entry {
        ChunkPos pos;
        std::uint64_t hash = 0;
    };

    std::mutex mutex_;
    std::size_t layers_;
    std::size_t most_;
    std::size_t next_ = 0;       ///< the place that is taken next
    std::vector<Entry> entries_; ///< a ring
    std::vector<Edges> edges_;   ///< `layers_` for each entry
    std::unordered_map<ChunkPos, std::size_t> places_;
};

} // namespace orbis::map
