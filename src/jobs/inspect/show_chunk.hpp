#pragma once

#include "bytes/result.hpp"
#include "chunk/chunk.hpp"

#include <optional>
#include <string>

namespace orbis::jobs {

struct ShowOptions {
    std::optional<int> section; ///< only this one
    std::string component;      ///< only this component of the chunk, or of the section when one is named
    bool blocks = false;        ///< every cell, as runs
};

/// A chunk as one JSON object (docs/formats/show.md). Parts that cannot be read are listed under `problems`.
/// An error only where the wanted component is not there.
Result<std::string> show_chunk(ChunkPos pos, const chunk::Chunk& chunk, const ShowOptions& options);

} // namespace orbis::jobs
