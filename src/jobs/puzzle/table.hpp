#pragma once

#include "jobs/puzzle/assemble.hpp"
#include "storage/region_files.hpp"
#include "storage/store.hpp"

#include <deque>
#include <set>

namespace orbis::jobs {

/// The pieces of a puzzle, with the edges that are looked at.
class PuzzleTable {
public:
    void add(const chunk::Chunk& chunk, std::optional<ChunkPos> place, std::uint64_t content);
    /// All chunks of a region file that have an entry and can be read, but for those whose place is not to be
    /// trusted.
    void add_chunks_in_use(const storage::Region& region, const std::set<ChunkPos>& without);
    /// Chunks of the four files around that touch this region.
    void add_chunks_around(const storage::RegionFiles& files, RegionPos here);

    [[nodiscard]] std::span<const PuzzlePiece> pieces() const { return pieces_; }

private:
    void add_stored(const storage::Region& region, ChunkPos pos);

    std::deque<ChunkEdges> edges_;
    std::vector<PuzzlePiece> pieces_;
    storage::ReadContext context_;
    chunk::Chunk chunk_;
};

} // namespace orbis::jobs
