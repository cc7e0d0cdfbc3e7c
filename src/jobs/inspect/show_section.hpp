#pragma once

#include "bytes/json_writer.hpp"
#include "chunk/chunk.hpp"

namespace orbis::jobs {

/// A section as a JSON object: versions, cells per key, lights and counters; with `blocks` every cell as
/// runs.
void write_section(JsonWriter& json, int y, const chunk::Chunk& chunk, bool blocks);

} // namespace orbis::jobs
