#pragma once

#include "chunk/chunk.hpp"
#include "jobs/compare/diff_cells.hpp"
#include "jobs/select/block_box.hpp"
#include "world/assets.hpp"

#include <optional>

namespace orbis::jobs {

/// Which parts of a chunk are taken over.
struct MergeParts {
    bool blocks = true; ///< with rotation, filler, support, ticking, and the components of changed blocks
    bool fluids = true;
    bool components = true; ///< of blocks
    bool entities = true;
    bool tints = true;
    bool environments = true;
    bool health = true;
    bool other = true; ///< components of the chunk that have no model

    /// Names with commas between them: `blocks,fluids`.
    static Result<MergeParts> parse(std::string_view names);
    [[nodiscard]] bool all() const {
        return blocks && fluids && components && entities && tints && environments && health && other;
    }
};

/// How much of a chunk was changed.
struct ChunkMerge {
    std::uint64_t blocks = 0;
    std::uint64_t fluids = 0;
    std::uint64_t components = 0;
    std::uint64_t entities = 0; ///< added, removed and replaced ones
    std::uint64_t columns = 0;  ///< with another tint or environment
    std::uint64_t other = 0;    ///< health and components without a model
    /// Cells of blocks whose base is outside the box: at least this many blocks were cut in two.
    std::uint64_t cut = 0;
};

/// Makes `to` like `from` in the chosen parts, inside the box if there is one. Both must have been read
/// whole. Heights are right afterwards, and light around changed blocks is stale. An error if a part that
/// is needed is damaged, or where the two store their keys so that they cannot be mixed; then `to` may be
/// half changed and must not be used.
/// An error that is about the other chunk has `k_other_world` as its file.
inline constexpr std::string_view k_other_world = "the other world";
Result<ChunkMerge> merge_chunk(ChunkPos pos, chunk::Chunk& to, const chunk::Chunk& from,
                               const MergeParts& parts, const std::optional<BlockBox>& box,
                               const world::Assets& assets, CellComparer& cells);

} // namespace orbis::jobs
