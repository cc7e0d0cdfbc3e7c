#include "protocol/arena.hpp"

#include <algorithm>

namespace orbis::protocol {

namespace {

constexpr std::size_t k_first_block = 16 << 10;
constexpr std::size_t k_largest_step = 1 << 20; ///< blocks grow up to here on their own

} // namespace

void* Arena::take_from_next_block(std::size_t size) {
    const auto step = blocks_.empty() ? k_first_block : std::min(2 * blocks_.back().size, k_largest_step);
    const auto room = std::max(size, step);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(room), room});
    used_ = blocks_.size();
    first_ = reinterpret_cast<std::uintptr_t>(blocks_.back().memory.get());
    next_ = first_ + size;
    end_ = first_ + room;
    return reinterpret_cast<void*>(first_); // NOLINT(performance-no-int-to-ptr)
}

void Arena::let_go() {
    // The largest block stays, so that packets of this kind soon find their room in one, unless it is huge.
    std::erase_if(blocks_, [](const Block& block) { return block.size > k_largest_kept; });
    if (!blocks_.empty()) {
        std::swap(blocks_.front(), *std::ranges::max_element(blocks_, {}, &Block::size));
        blocks_.erase(blocks_.begin() + 1, blocks_.end());
    }
    used_ = blocks_.size();
    first_ = used_ > 0 ? reinterpret_cast<std::uintptr_t>(blocks_.front().memory.get()) : 0;
    next_ = first_;
    end_ = used_ > 0 ? first_ + blocks_.front().size : 0;
}

std::size_t Arena::capacity() const {
    std::size_t sum = 0;
    for (const auto& block : blocks_) sum += block.size;
    return sum;
}

} // namespace orbis::protocol
