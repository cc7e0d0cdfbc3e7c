#pragma once

#include "net/time.hpp"

#include <cstddef>

namespace orbis::game {

struct ChunkCacheRules {
    /// Encoded chunks that no player has in view are kept up to this many bytes, all together up to that
    /// many; the least recently used go first.
    std::size_t most_unused_bytes = 256 << 20;
    std::size_t most_bytes = std::size_t{1} << 30;
    /// When a chunk that could not be read is tried again.
    net::Duration retry_after = std::chrono::seconds(10);
};

} // namespace orbis::game
