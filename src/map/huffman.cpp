#include "map/huffman.hpp"

#include <algorithm>

namespace orbis::map {
namespace {

constexpr std::size_t k_most_symbols = 288;
constexpr std::size_t k_deepest = 64;
constexpr int k_longest = 15;

struct Leaf {
    std::uint32_t frequency;
    std::uint16_t symbol;
};

/// How many leaves have each depth in the tree that always joins the two rarest.
std::array<std::uint32_t, k_deepest> count_depths(std::span<const Leaf> leaves) {
    const auto count = leaves.size();
    std::array<std::uint64_t, k_most_symbols * 2> weight;
    std::array<std::uint16_t, k_most_symbols * 2> parent;
    for (std::size_t i = 0; i < count; ++i) weight[i] = leaves[i].frequency;
    // Leaves ascend, and so do the nodes that are made: the rarest is always at the head of one of the two.
    std::size_t leaf = 0;
    std::size_t node = count;
    for (auto made = count; made < 2 * count - 1; ++made) {
        const auto rarest = [&] {
            const bool take_leaf = leaf < count && (node == made || weight[leaf] <= weight[node]);
            return take_leaf ? leaf++ : node++;
        };
        const auto a = rarest();
        const auto b = rarest();
        weight[made] = weight[a] + weight[b];
        parent[a] = parent[b] = static_cast<std::uint16_t>(made);
    }
    std::array<std::uint8_t, k_most_symbols * 2> depth;
    std::array<std::uint32_t, k_deepest> depths{};
    depth[2 * count - 2] = 0;
    for (auto i = 2 * count - 2; i-- > 0;) {
        depth[i] = static_cast<std::uint8_t>(depth[parent[i]] + 1);
        if (i < count) ++depths[std::min<std::size_t>(depth[i], k_deepest - 1)];
    }
    return depths;
}

/// Makes codes that are too long shorter, and as few others as possible longer in exchange.
void limit_depths(std::array<std::uint32_t, k_deepest>& depths, std::size_t limit) {
    for (auto depth = limit + 1; depth < k_deepest; ++depth) depths[limit] += depths[depth];
    std::uint64_t taken = 0; // of 2^limit places
    for (std::size_t depth = 1; depth <= limit; ++depth)
        taken += std::uint64_t{depths[depth]} << (limit - depth);
    for (; taken > std::uint64_t{1} << limit; --taken) {
        --depths[limit];
        auto depth = limit - 1;
        while (depths[depth] == 0) --depth;
        --depths[depth];
        depths[depth + 1] += 2;
    }
}

} // namespace

void make_code_lengths(std::span<const std::uint32_t> frequencies, int limit,
                       std::span<std::uint8_t> lengths) {
    std::array<Leaf, k_most_symbols> leaves;
    std::size_t count = 0;
    for (std::size_t symbol = 0; symbol < frequencies.size(); ++symbol)
        if (frequencies[symbol] > 0)
            leaves[count++] = {frequencies[symbol], static_cast<std::uint16_t>(symbol)};
    for (std::size_t symbol = 0; count < 2; ++symbol) // symbols that do not occur, to make up two
        if (frequencies[symbol] == 0) leaves[count++] = {1, static_cast<std::uint16_t>(symbol)};
    const std::span used(leaves.data(), count);
    std::ranges::sort(used, [](const Leaf& a, const Leaf& b) {
        return a.frequency != b.frequency ? a.frequency < b.frequency : a.symbol < b.symbol;
    });
    auto depths = count_depths(used);
    limit_depths(depths, static_cast<std::size_t>(limit));
    std::ranges::fill(lengths, std::uint8_t{0});
    std::size_t leaf = 0;
    for (int depth = limit; depth > 0; --depth) // the rarest get the longest
        for (auto left = depths[static_cast<std::size_t>(depth)]; left > 0; --left)
            lengths[leaves[leaf++].symbol] = static_cast<std::uint8_t>(depth);
}

void make_codes(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes) {
    std::array<std::uint32_t, k_longest + 2> next{};
    for (const auto length : lengths) ++next[length + 1U];
    next[1] = 0; // symbols without a code take no place
    for (std::size_t length = 1; length < next.size(); ++length)
        next[length] = (next[length] + next[length - 1]) << 1;
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
        const auto length = lengths[symbol];
        if (length == 0) continue;
        auto code = next[length]++;
        std::uint32_t reversed = 0;
        for (int bit = 0; bit < length; ++bit, code >>= 1) reversed = reversed << 1 | (code & 1);
        codes[symbol] = static_cast<std::uint16_t>(reversed);
    }
}

} // namespace orbis::map
