#pragma once

#include "chunk/chunk.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orbis::jobs {

/// A name in a chunk's document that is almost one that the game knows: a letter or two of it were hit. The
/// game takes it for a mod's, and finds nothing under the right name.
struct Misspelt {
    std::size_t offset = 0; ///< of the name, in the document
    std::string part;       ///< such as `section 3`; empty for the chunk itself
    std::string found;
    std::string_view meant;
    bool is_beside = false; ///< the right name is there too, so that it is unclear which of them counts
};

/// Names of components and of their fields. Short names count only where the right one is not there: a mod
/// may well have a `Clock` beside the `Block`.
std::vector<Misspelt> find_misspelt(const chunk::Chunk& chunk);

/// The document with the right names, except for those that are beside them. They are as long as the wrong
/// ones, so all else stays where it is.
Buffer with_right_names(Bytes document, const std::vector<Misspelt>& names);

} // namespace orbis::jobs
