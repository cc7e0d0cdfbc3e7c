#include "wire/packet_memory.hpp"

#include <array>
#include <bit>
#include <new>
#include <utility>

namespace orbis::wire {

namespace {

struct Spare {
    std::array<void*, 8> blocks{};
    std::size_t block_count = 0;
    /// One of each size, by the number of bits of its capacity.
    std::array<std::vector<protocol::Value>, std::bit_width(PacketMemory::k_most_fields) + 1> fields;

    Spare() = default;
    Spare(const Spare&) = delete;
    Spare& operator=(const Spare&) = delete;
    ~Spare() {
        while (block_count > 0) ::operator delete(blocks[--block_count]);
    }
};

// Plain variables, because packets may be destroyed after everything else of their thread.
constinit thread_local Spare* t_spare = nullptr;
constinit thread_local bool t_is_ending = false;

struct SpareOwner {
    SpareOwner() { t_spare = new Spare; }
    SpareOwner(const SpareOwner&) = delete;
    SpareOwner& operator=(const SpareOwner&) = delete;
    ~SpareOwner() {
        t_is_ending = true;
        delete std::exchange(t_spare, nullptr);
    }
};

/// Null at the end of the thread.
Spare* spare() {
    if (t_spare != nullptr || t_is_ending) return t_spare;
    static thread_local const SpareOwner owner;
    return t_spare;
}

} // namespace

void* PacketMemory::take_block() {
    auto* const kept = spare();
    if (kept != nullptr && kept->block_count > 0) return kept->blocks[--kept->block_count];
    return ::operator new(k_block);
}

void PacketMemory::give_block(void* block) noexcept {
    auto* const kept = t_spare;
    if (kept == nullptr || kept->block_count == kept->blocks.size()) return ::operator delete(block);
    kept->blocks[kept->block_count++] = block;
}

void PacketMemory::take_fields(std::vector<protocol::Value>& fields, std::size_t count) noexcept {
    auto* const kept = t_spare;
    if (kept != nullptr && count <= k_most_fields) kept->fields[std::bit_width(count)].swap(fields);
}

void PacketMemory::give_fields(std::vector<protocol::Value>&& fields) noexcept {
    auto* const kept = t_spare;
    fields.clear();
    if (kept != nullptr && fields.capacity() <= k_most_fields)
        kept->fields[std::bit_width(fields.capacity())].swap(fields);
}

} // namespace orbis::wire
