#include "chunk/cell_words.hpp"

#include <bit>

namespace orbis::chunk {

#if defined(__x86_64__)

namespace {

/// With the instruction that nearly every processor has: without it each word takes a call.
[[gnu::target("popcnt")]] std::size_t count_fast(ConstCellWords words) {
    std::size_t sum = 0;
    for (const auto word : words) sum += static_cast<std::size_t>(__builtin_popcountll(word));
    return sum;
}

} // namespace

#endif

std::size_t count_cells(ConstCellWords words) {
#if defined(__x86_64__)
    static const bool has_count = __builtin_cpu_supports("popcnt") != 0;
    if (has_count) return count_fast(words);
#endif
    std::size_t sum = 0;
    for (const auto word : words) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
}

} // namespace orbis::chunk
