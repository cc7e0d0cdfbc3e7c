#pragma once

#include "bytes/bytes.hpp"
#include "bytes/reader.hpp"

#include <array>
#include <cstdint>

namespace orbis::chunk {

/// Judges the stored columns of environments all at once: every word as if it were a bound and as if it were
/// an id, a bit each. What a word really is decides afterwards which bit counts; that takes no decision per
/// word, of which a column has fifteen (docs/design/chunk-model.md).
class EnvironmentWords {
public:
    static constexpr std::size_t k_most_words = 65536;
    static constexpr std::int32_t k_highest_id = 255;
    /// Bits that one look can take.
    static constexpr std::size_t k_most_bits = 56;

    /// A set of ids from 0 to `k_highest_id`; 0 is always in it.
    class Ids {
    public:
        Ids() { insert(0); }
        void insert(std::int32_t id) { bits_[static_cast<std::size_t>(id) / 32] |= bit(id); }
        [[nodiscard]] bool contains(std::int32_t id) const {
            return id >= 0 && id <= k_highest_id && (bits_[static_cast<std::size_t>(id) / 32] & bit(id)) != 0;
        }
        /// The first id of a word in its highest bit.
        [[nodiscard]] const std::array<std::uint32_t, 8>& words() const { return bits_; }

    private:
        static std::uint32_t bit(std::int32_t id) { return 0x8000'0000U >> (id % 32); }
        std::array<std::uint32_t, 8> bits_{};
    };

    /// At most `k_most_words` whole words.
    EnvironmentWords(Bytes words, const Ids& ids);

    /// Whether each of `count` words from `first` on is smaller than the one after it.
    [[nodiscard]] bool ascend(std::size_t first, std::size_t count) const {
        return are_set(ascending_, first, count);
    }
    /// Whether each of `count` words from `first` on is one of the ids, or 0.
    [[nodiscard]] bool are_ids(std::size_t first, std::size_t count) const {
        return are_set(known_, first, count);
    }

private:
    using Flags = std::array<std::uint8_t, k_most_words / 8 + 8>;

    static bool are_set(const Flags& flags, std::size_t first, std::size_t count) {
        const auto wanted = (std::uint64_t{1} << count) - 1;
        const auto bits = load_le<std::uint64_t>(flags.data() + first / 8) >> first % 8;
        return (bits & wanted) == wanted;
    }
    void judge_words(Bytes words, const Ids& ids, std::size_t first);
    /// As many whole groups of eight as possible; how many words that were.
    std::size_t judge_groups(Bytes words, const Ids& ids);

    Flags ascending_;
    Flags known_;
};

} // namespace orbis::chunk
