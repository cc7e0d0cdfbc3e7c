#pragma once

#include "bytes/progress.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace orbis::jobs {

/// Cells of one block key in a world.
struct BlockCount {
    std::uint64_t cells = 0;
    std::vector<std::uint64_t> by_y; ///< for each y, when it was asked for
};

struct BlockCounts {
    std::uint64_t chunks = 0; ///< that were counted
    std::map<std::string, BlockCount, std::less<>> keys;
    std::vector<Error> problems; ///< chunks and sections that could not be read; the rest was counted
};

/// Counts the cells of every block key, `Empty` too. Each cell of a block that takes several counts. Keys of
/// old sections count without their attributes.
BlockCounts count_blocks(const storage::Store& store, bool by_y, std::size_t threads, Progress& progress);

} // namespace orbis::jobs
