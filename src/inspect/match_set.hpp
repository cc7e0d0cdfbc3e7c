#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace orbis::inspect {

/// Numbers that were added in ascending order, one bit each, with their ranks: the first has rank 0. Numbers
/// that are forgotten keep theirs.
class MatchSet {
public:
    /// Larger than all before.
    void add(std::uint64_t number);
    /// Forgets numbers below this, as far as whole blocks of them are.
    void forget_before(std::uint64_t number);

    [[nodiscard]] std::uint64_t first_rank() const { return first_rank_; } ///< of those that are still there
    [[nodiscard]] std::uint64_t end_rank() const { return end_rank_; }
    /// The number with a rank; nothing if it is forgotten, or not there yet.
    [[nodiscard]] std::optional<std::uint64_t> number(std::uint64_t rank) const;
    /// The rank of the first number that is not below this; `end_rank` if there is none.
    [[nodiscard]] std::uint64_t rank(std::uint64_t number) const;
    /// What it takes in memory.
    [[nodiscard]] std::size_t bytes() const;

    static constexpr std::uint64_t k_block = 4096; ///< numbers

private:
    using Bits = std::array<std::uint64_t, k_block / 64>;
    struct Block {
        std::uint64_t rank = 0;          ///< of its first number
        std::unique_ptr<Bits> bits = {}; ///< null where there is none
    };

    std::deque<Block> blocks_;
    std::uint64_t first_block_ = 0; ///< how many were forgotten before
    std::uint64_t first_rank_ = 0;
    std::uint64_t end_rank_ = 0;
    std::size_t filled_ = 0; ///< blocks that have bits
};

} // namespace orbis::inspect
