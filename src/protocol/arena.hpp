#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace orbis::protocol {

/// Memory for the lists of decoded packets. Nothing is freed one by one: `reset` makes all of it free again
/// and keeps the blocks, so that decoding packet after packet soon allocates nothing. Not for use by several
/// threads at once.
class Arena {
public:
    /// Room for `count` objects that the caller fills in.
    template <typename T>
    T* take(std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        return static_cast<T*>(take(count * sizeof(T), alignof(T)));
    }

    void* take(std::size_t size, std::size_t alignment) {
        const auto start = (next_ + alignment - 1) & ~(alignment - 1);
        if (start + size > end_ || start + size < start) [[unlikely]]
            return take_from_next_block(size);
        next_ = start + size;
        return reinterpret_cast<void*>(start); // NOLINT(performance-no-int-to-ptr)
    }

    /// Everything taken before is invalid from here on.
    void reset() {
        if (used_ == 1 && end_ - first_ <= k_largest_kept) [[likely]]
            next_ = first_;
        else if (used_ > 0)
            let_go();
    }

    /// Bytes that are held, used or not.
    [[nodiscard]] std::size_t capacity() const;

private:
    static constexpr std::size_t k_largest_kept = 4 << 20; ///< one huge packet holds no memory for good

    void let_go();
    void* take_from_next_block(std::size_t size);

    struct Block {
        std::unique_ptr<std::byte[]> memory;
        std::size_t size;
    };
    std::vector<Block> blocks_;
    std::size_t used_ = 0;     ///< blocks that were begun
    std::uintptr_t first_ = 0; ///< of the block in use
    std::uintptr_t next_ = 0;
    std::uintptr_t end_ = 0;
};

} // namespace orbis::protocol
