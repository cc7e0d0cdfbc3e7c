#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace orbis::net {

/// Memory for a library that asks for blocks of pages and uses their beginnings. ngtcp2 takes ten blocks of 4
/// to 12 KiB for each connection, to put up to 64 objects into each; an idle connection has one or two.
/// Blocks from here start at a page, so that what is not touched costs nothing, and what is given back goes
/// back to the system. Small requests go to the usual place. For one thread.
class LazyPages {
public:
    LazyPages() = default;
    ~LazyPages();
    LazyPages(const LazyPages&) = delete;
    LazyPages& operator=(const LazyPages&) = delete;

    void* allocate(std::size_t size);
    /// The same, filled with zeros.
    void* allocate_zeros(std::size_t size);
    void* resize(void* block, std::size_t size);
    void release(void* block);

private:
    static constexpr std::size_t k_page = 4096;
    static constexpr std::size_t k_most_pages = 4; ///< of a block that comes from here
    static constexpr std::size_t k_region = 16 << 20;

    struct Region {
        std::byte* start = nullptr;
        std::size_t pages = 0; ///< of each block in it
        std::size_t used = 0;  ///< bytes handed out so far
    };

    void* take(std::size_t pages);
    [[nodiscard]] const Region* region_of(const void* block) const;

    std::vector<Region> regions_;                           ///< a handful
    std::array<std::vector<void*>, k_most_pages + 1> free_; ///< by pages
};

} // namespace orbis::net
