#pragma once

#include "chunk/chunk.hpp"

#include <string>
#include <vector>

namespace orbis::jobs {

/// One thing that was done to a chunk.
struct ChunkFix {
    std::string part;   ///< such as `section 3, Block`
    std::string what;   ///< such as `recalculated 12 heights`
    bool loses = false; ///< something that could not be read is not in the new document
};

struct FixedParts {
    std::vector<ChunkFix> steps;
    std::vector<std::string> left; ///< what cannot be repaired here, and why
    bool only_too_new = true;      ///< all of that is of versions that this program does not know
    Buffer document;               ///< the new document; empty if nothing changed
};

/// Replaces the parts of a chunk that cannot be read: by what can still be read of them, else by the same
/// part of `donor` (an older copy of this chunk, may be null), else by the empty default, so that the game
/// can load the chunk again. Components of versions that are too new are not touched.
Result<FixedParts> fix_parts(const chunk::Chunk& chunk, const chunk::Chunk* donor);

} // namespace orbis::jobs
