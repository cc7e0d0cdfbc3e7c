#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <cstdint>

namespace orbis::chunk {

/// Makes the global light of some sections stale in an encoded chunk: a bit for each, from the lowest. Only
/// their counters change, in place. The sections must have a `Block` of today's version whose global light is
/// valid.
Result<void> mark_global_light(MutableBytes document, std::uint32_t sections);

} // namespace orbis::chunk
