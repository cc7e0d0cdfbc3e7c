#include "inspect/match_set.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace orbis::inspect {

void MatchSet::add(std::uint64_t number) {
    const auto index = number / k_block;
    if (blocks_.empty() && index > first_block_) first_block_ = index;
    while (first_block_ + blocks_.size() <= index) blocks_.push_back({.rank = end_rank_});
    auto& block = blocks_.back();
    if (!block.bits) {
        block.bits = std::make_unique<Bits>();
        ++filled_;
    }
    const auto bit = number % k_block;
    (*block.bits)[bit / 64] |= std::uint64_t{1} << (bit % 64);
    ++end_rank_;
}

void MatchSet::forget_before(std::uint64_t number) {
    while (!blocks_.empty() && (first_block_ + 1) * k_block <= number) {
        if (blocks_.front().bits) --filled_;
        blocks_.pop_front();
        ++first_block_;
    }
    first_rank_ = blocks_.empty() ? end_rank_ : blocks_.front().rank;
}

std::optional<std::uint64_t> MatchSet::number(std::uint64_t rank) const {
    if (rank < first_rank_ || rank >= end_rank_) return std::nullopt;
    // The last block that begins at or before it: those without bits begin where the next does.
    const auto after = std::ranges::upper_bound(blocks_, rank, {}, &Block::rank);
    const auto block = std::prev(after);
    auto left = rank - block->rank;
    for (std::size_t word = 0; word < block->bits->size(); ++word) {
        auto bits = (*block->bits)[word];
        const auto count = static_cast<std::uint64_t>(std::popcount(bits));
        if (left >= count) {
            left -= count;
            continue;
        }
        for (; left > 0; --left) bits &= bits - 1;
        const auto index = first_block_ + static_cast<std::uint64_t>(block - blocks_.begin());
        return index * k_block + word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
    }
    return std::nullopt;
}

std::uint64_t MatchSet::rank(std::uint64_t number) const {
    const auto index = number / k_block;
    if (index < first_block_) return first_rank_;
    if (index - first_block_ >= blocks_.size()) return end_rank_;
    const auto& block = blocks_[index - first_block_];
    if (!block.bits) return block.rank;
    auto rank = block.rank;
    const auto bit = number % k_block;
    for (std::size_t word = 0; word < bit / 64; ++word)
        rank += static_cast<std::uint64_t>(std::popcount((*block.bits)[word]));
    const auto below = (std::uint64_t{1} << (bit % 64)) - 1;
    return rank + static_cast<std::uint64_t>(std::popcount((*block.bits)[bit / 64] & below));
}

std::size_t MatchSet::bytes() const { return blocks_.size() * sizeof(Block) + filled_ * sizeof(Bits); }

} // namespace orbis::inspect
