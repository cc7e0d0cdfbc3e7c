#include "protocol/arena.hpp"

#include <algorithm>

namespace orbis::protocol {

namespace {

constexpr std::size_t k_first_block = 16 * 1024;
constexpr std::size_t k_largest_kept = 4 * 1024 * 1024; ///< one huge packet must not hold memory for good

} // namespace

void* Arena::take_from_next_block(std::size_t size) {
    while (used_ < blocks_.size() && blocks_[used_].size < size) ++used_; // too small for this one: skipped
    if (used_ == blocks_.size()) {
        const auto room = std::max(size, blocks_.empty() ? k_first_block : 2 * blocks_.back().size);
        blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(room), room});
    }
    auto& block = blocks_[used_++];
    next_ = reinterpret_cast<std::uintptr_t>(block.memory.get());
    end_ = next_ + block.size;
    auto* taken = reinterpret_cast<void*>(next_);
    next_ += size;
    return taken;
}

void Arena::reset() {
    // Only the last block stays: it is the largest, as large as the others together.
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    if (!blocks_.empty() && blocks_.front().size > k_largest_kept) blocks_.clear();
    used_ = 0;
    next_ = end_ = 0;
    if (!blocks_.empty()) {
        next_ = reinterpret_cast<std::uintptr_t>(blocks_.front().memory.get());
        end_ = next_ + blocks_.front().size;
        used_ = 1;
    }
}

std::size_t Arena::capacity() const {
    std::size_t sum = 0;
    for (const auto& block : blocks_) sum += block.size;
    return sum;
}

} // namespace orbis::protocol
