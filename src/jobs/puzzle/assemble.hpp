#pragma once

#include "jobs/puzzle/chunk_edges.hpp"

#include <optional>
#include <span>
#include <vector>

namespace orbis::jobs {

/// A chunk of which it is known what it looks like, and perhaps where it belongs.
struct PuzzlePiece {
    const ChunkEdges* edges = nullptr;
    std::optional<ChunkPos> place;
    /// Equal numbers are equal chunks: it does not matter which of them is where.
    std::uint64_t content = 0;
};

/// Where a piece belongs, as its neighbours say.
struct PuzzleAnswer {
    std::size_t piece = 0;
    ChunkPos place;
    double chance = 0; ///< that it belongs there, of 1
};

struct Assembly {
    std::vector<PuzzleAnswer> sure;
    /// Where that is uncertain: the best place of each of the others that has neighbours to compare with.
    std::vector<PuzzleAnswer> likely;
};

/// Finds the places of those pieces that have none, beside those that have one. `is_open` says which places
/// may be taken. A place is sure when this piece and no other fits there, and this piece fits nowhere else;
/// then it helps to find the next. Without pieces whose place is known nothing is found.
Assembly assemble(std::span<const PuzzlePiece> pieces, const std::vector<ChunkPos>& open);

} // namespace orbis::jobs
