#pragma once

#include "orbis/block_counts.hpp"
#include "orbis/export.hpp"
#include "orbis/world.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace orbis {

/// How blocks are counted.
struct CountOptions {
    bool by_y = false;       ///< for each height too
    std::size_t threads = 0; ///< 0: one for each core
    /// Told how many chunks are done, of how many; first with 0. By one thread at a time.
    std::function<void(std::uint64_t done, std::uint64_t total)> on_progress{};
};

/// Counts the cells of every block key, "Empty" too. Each cell of a block that takes several counts. Chunks
/// and sections that cannot be read are in `World::problems()`, and the rest is counted.
[[nodiscard]] ORBIS_API BlockCounts count_blocks(const World& world, const CountOptions& options = {});

} // namespace orbis
