#pragma once

#include "chunk/chunk_reader.hpp"
#include "jobs/verify/check_chunk.hpp"
#include "storage/store.hpp"

#include <list>

namespace orbis::jobs {

/// Chunks beside the one that is looked at, of which only blocks and shapes are read. Few are kept: a walk
/// asks for the same ones again soon or never. Keep one per thread.
class Neighbours {
public:
    explicit Neighbours(const storage::Store& store) : store_(store) {}

    /// What is at a place in one of them.
    NeighbourBlock block(BlockPos pos);

private:
    static constexpr std::size_t k_kept = 6;

    struct Kept {
        ChunkPos pos;
        bool present = false;
        bool readable = false;
        chunk::ChunkReader reader;
    };

    const Kept* find(ChunkPos pos);

    const storage::Store& store_;
    std::list<Kept> kept_;
};

} // namespace orbis::jobs
