#pragma once

#include "bytes/progress.hpp"
#include "orbis/block_counts.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

#include <vector>

namespace orbis::jobs {

using orbis::BlockCount;

struct BlockCounts : orbis::BlockCounts {
    std::vector<Error> problems; ///< chunks and sections that could not be read; the rest was counted
};

/// Counts the cells of every block key, `Empty` too. Each cell of a block that takes several counts. Keys of
/// old sections count without their attributes.
BlockCounts count_blocks(const storage::Store& store, bool by_y, std::size_t threads, Progress& progress);

} // namespace orbis::jobs
