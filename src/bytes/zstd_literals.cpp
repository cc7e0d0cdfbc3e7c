#include "bytes/zstd_literals.hpp"

#include "bytes/backward_bits.hpp"
#include "bytes/writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace orbis {
namespace {

enum class LiteralKind : std::uint8_t { stored, repeated, compressed };

/// Codes of literals by Huffman, for bytes whose highest is at most `k_highest`: more would need a table that
/// is compressed itself.
class LiteralCodes {
public:
    static constexpr std::size_t k_highest = 128;

    explicit LiteralCodes(const std::array<std::uint32_t, 256>& counts) {
        std::array<Node, (k_highest + 1) * 2> nodes;
        std::size_t leaves = 0;
        for (std::size_t byte = 0; byte <= k_highest; ++byte)
            if (counts[byte] > 0) nodes[leaves++] = {counts[byte], 0, static_cast<std::uint8_t>(byte)};
        std::ranges::sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(leaves), {},
                          &Node::count);
        while (!measure(nodes, leaves))
            for (std::size_t i = 0; i < leaves; ++i) nodes[i].count = nodes[i].count / 2 + 1; // flatter
        for (std::size_t i = 0; i < leaves; ++i) {
            bits_[nodes[i].byte] = nodes[i].depth;
            longest_ = std::max(longest_, nodes[i].depth);
            last_ = std::max(last_, nodes[i].byte);
        }
        // From the longest to the shortest, each in the order of bytes.
        std::array<std::uint16_t, k_most_bits + 2> of_length{};
        for (std::size_t byte = 0; byte <= last_; ++byte) ++of_length[bits_[byte]];
        std::array<std::uint16_t, k_most_bits + 2> next{};
        for (auto length = longest_; length > 1; --length)
            next[length - 1U] = static_cast<std::uint16_t>((next[length] + of_length[length]) >> 1);
        for (std::size_t byte = 0; byte <= last_; ++byte)
            if (bits_[byte] > 0) codes_[byte] = next[bits_[byte]]++;
    }

    std::uint8_t* write_table(std::uint8_t* at) const {
        *at++ = static_cast<std::uint8_t>(127 + last_); // of the last one, a reader knows the rest
        for (std::size_t byte = 0; byte < last_; byte += 2)
            *at++ = static_cast<std::uint8_t>(weight(byte) << 4 | (byte + 1 < last_ ? weight(byte + 1) : 0));
        return at;
    }
    std::uint8_t* write(std::uint8_t* at, Bytes literals) const {
        BackwardBits out(at);
        for (auto i = literals.size(); i-- > 0;) {
            out.put(codes_[literals[i]], bits_[literals[i]]);
            if (i % 4 == 0) out.flush();
        }
        return out.finish();
    }

private:
    static constexpr std::uint8_t k_most_bits = 11;
    struct Node {
        std::uint32_t count;
        std::uint16_t parent;
        std::uint8_t byte;
        std::uint8_t depth = 0;
    };

    /// Sets the depths of the leaves, which go up by their counts; false where one is too deep.
    static bool measure(std::span<Node> nodes, std::size_t leaves) {
        std::size_t leaf = 0;
        std::size_t inner = leaves;
        const auto root = leaves * 2 - 2;
        for (auto made = leaves; made <= root; ++made) {
            const auto least = [&]() -> std::size_t {
                const bool takes_leaf =
                    leaf < leaves && (inner == made || nodes[leaf].count <= nodes[inner].count);
                return takes_leaf ? leaf++ : inner++;
            };
            const auto one = least();
            const auto other = least();
            nodes[one].parent = nodes[other].parent = static_cast<std::uint16_t>(made);
            nodes[made] = {nodes[one].count + nodes[other].count, 0, 0};
        }
        nodes[root].depth = 0;
        for (auto i = root; i-- > 0;) {
            nodes[i].depth = static_cast<std::uint8_t>(nodes[nodes[i].parent].depth + 1);
            if (i < leaves && nodes[i].depth > k_most_bits) return false;
        }
        return true;
    }
    [[nodiscard]] std::uint8_t weight(std::size_t byte) const {
        return bits_[byte] == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(longest_ + 1 - bits_[byte]);
    }

    std::array<std::uint8_t, k_highest + 1> bits_{};
    std::array<std::uint16_t, k_highest + 1> codes_{};
    std::uint8_t longest_ = 0;
    std::uint8_t last_ = 0;
};

constexpr std::size_t k_most_short = 1023;    ///< literals in one stream
constexpr std::size_t k_most_medium = 16'383; ///< in four, with sizes of 14 bits
constexpr std::size_t k_worth_a_table = 48;   ///< literals

std::array<std::uint32_t, 256> count_bytes(Bytes bytes) {
    // Neighbours are alike: each would have to wait for the count of the one before it.
    std::array<std::array<std::uint32_t, 256>, 4> counts{};
    for (std::size_t i = 0; i < bytes.size(); ++i) ++counts[i % 4][bytes[i]];
    for (std::size_t byte = 0; byte < 256; ++byte)
        counts[0][byte] += counts[1][byte] + counts[2][byte] + counts[3][byte];
    return counts[0];
}

std::uint8_t* write_plain_literals(std::uint8_t* at, Bytes literals, LiteralKind kind) {
    const auto size = literals.size();
    const auto head = static_cast<std::size_t>(kind);
    if (size < 32) {
        *at++ = static_cast<std::uint8_t>(size << 3 | head);
    } else if (size < 4'096) {
        store_le(at, static_cast<std::uint16_t>(size << 4 | 1 << 2 | head));
        at += 2;
    } else {
        store_le(at, static_cast<std::uint32_t>(size << 4 | 3 << 2 | head));
        at += 3;
    }
    if (kind == LiteralKind::repeated) literals = literals.first(1);
    if (!literals.empty()) std::memcpy(at, literals.data(), literals.size());
    return at + literals.size();
}

std::uint8_t* write_coded_literals(std::uint8_t* const begin, Bytes literals, const LiteralCodes& codes) {
    const bool is_short = literals.size() <= k_most_short;
    auto* const head_end = begin + (is_short ? 3 : 4);
    auto* at = codes.write_table(head_end);
    if (is_short) {
        at = codes.write(at, literals);
    } else {
        auto* sizes = at;
        at += 6;
        const auto part = (literals.size() + 3) / 4;
        for (int i = 0; i < 4; ++i) {
            auto* const end = codes.write(at, i < 3 ? literals.first(part) : literals);
            if (i < 3) {
                store_le(sizes, static_cast<std::uint16_t>(end - at));
                sizes += 2;
                literals = literals.subspan(part);
            }
            at = end;
        }
    }
    return at;
}

} // namespace

std::uint8_t* write_zstd_literals(std::uint8_t* at, Bytes literals) {
    const auto size = literals.size();
    if (size < k_worth_a_table) return write_plain_literals(at, literals, LiteralKind::stored);
    const auto counts = count_bytes(literals);
    if (counts[literals[0]] == size) return write_plain_literals(at, literals, LiteralKind::repeated);
    const bool is_low = std::all_of(counts.begin() + LiteralCodes::k_highest + 1, counts.end(),
                                    [](auto n) { return n == 0; });
    if (!is_low || size > k_most_medium) return write_plain_literals(at, literals, LiteralKind::stored);
    auto* const end = write_coded_literals(at, literals, LiteralCodes(counts));
    const auto head = static_cast<std::uint64_t>(LiteralKind::compressed);
    if (size <= k_most_short) {
        const auto packed = static_cast<std::uint64_t>(end - at - 3);
        if (packed >= size) return write_plain_literals(at, literals, LiteralKind::stored);
        const auto all = head | size << 4 | packed << 14;
        at[0] = static_cast<std::uint8_t>(all);
        at[1] = static_cast<std::uint8_t>(all >> 8);
        at[2] = static_cast<std::uint8_t>(all >> 16);
    } else {
        const auto packed = static_cast<std::uint64_t>(end - at - 4);
        if (packed >= size) return write_plain_literals(at, literals, LiteralKind::stored);
        store_le(at, static_cast<std::uint32_t>(head | 2 << 2 | size << 4 | packed << 18));
    }
    return end;
}

} // namespace orbis
