#pragma once

#include "protocol/value.hpp"

#include <cstddef>
#include <vector>

namespace orbis::wire {

/// What packets that are gone leave to the next ones of the same thread. Most packets are small and gone
/// soon, so their memory need not go through the allocator each time. Each thread keeps a few kilobytes until
/// it ends.
class PacketMemory {
public:
    /// Room for what copies of a packet share.
    static constexpr std::size_t k_block = 128;
    /// The fields of larger packets are not kept.
    static constexpr std::size_t k_most_fields = 64;

    /// `k_block` bytes.
    static void* take_block();
    static void give_block(void* block) noexcept;
    /// Gives an empty list room for about that many fields, if there is some.
    static void take_fields(std::vector<protocol::Value>& fields, std::size_t count) noexcept;
    static void give_fields(std::vector<protocol::Value>&& fields) noexcept;
};

/// Lets `std::allocate_shared` use these blocks.
template <typename T>
struct PacketAllocator {
    using value_type = T;
    PacketAllocator() = default;
    template <typename Other>
    PacketAllocator(const PacketAllocator<Other>&) {} // NOLINT: what an allocator must be
    static T* allocate(std::size_t) {
        static_assert(sizeof(T) <= PacketMemory::k_block && alignof(T) <= alignof(std::max_align_t));
        return static_cast<T*>(PacketMemory::take_block());
    }
    static void deallocate(T* block, std::size_t) noexcept { PacketMemory::give_block(block); }
    friend bool operator==(const PacketAllocator&, const PacketAllocator&) { return true; }
};

} // namespace orbis::wire
