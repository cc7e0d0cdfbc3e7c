#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace orbis {

/// Cells of one block key in a world.
struct BlockCount {
    std::uint64_t cells = 0;         ///< at all heights
    std::vector<std::uint64_t> by_y; ///< for each y, when it was asked for
};

/// The cells of every block key.
struct BlockCounts {
    std::uint64_t chunks = 0;                            ///< that were counted
    std::map<std::string, BlockCount, std::less<>> keys; ///< by block key
};

} // namespace orbis
