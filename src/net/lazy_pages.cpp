#include "net/lazy_pages.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace orbis::net {
namespace {

// A sanitizer sees more where every block is its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // as g++ says it
constexpr bool k_is_watched = true;
#elif defined(__has_feature) // as clang says it
constexpr bool k_is_watched = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool k_is_watched = false;
#endif

} // namespace

LazyPages::~LazyPages() {
    for (const auto& region : regions_) munmap(region.start, k_region);
}

const LazyPages::Region* LazyPages::region_of(const void* block) const {
    for (const auto& region : regions_)
        if (block >= region.start && block < region.start + k_region) return &region;
    return nullptr;
}

void* LazyPages::take(std::size_t pages) {
    auto& free = free_[pages];
    if (!free.empty()) {
        auto* block = free.back();
        free.pop_back();
        return block;
    }
    const auto size = pages * k_page;
    auto at = std::ranges::find_if(regions_, [&](const Region& region) {
        return region.pages == pages && region.used + size <= k_region;
    });
    if (at == regions_.end()) {
        auto* start = mmap(nullptr, k_region, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (start == MAP_FAILED) return nullptr;
        madvise(start, k_region, MADV_NOHUGEPAGE); // a huge page would be touched as a whole
        at = regions_.insert(regions_.end(), {static_cast<std::byte*>(start), pages, 0});
    }
    auto* block = at->start + at->used;
    at->used += size;
    return block;
}

void* LazyPages::allocate(std::size_t size) {
    const auto pages = (size + k_page - 1) / k_page;
    if (k_is_watched || size < k_page || pages > k_most_pages) return std::malloc(size);
    return take(pages);
}

void* LazyPages::allocate_zeros(std::size_t size) {
    const auto pages = (size + k_page - 1) / k_page;
    if (k_is_watched || size < k_page || pages > k_most_pages) return std::calloc(1, size);
    return take(pages); // fresh, or given back to the system before
}

void LazyPages::release(void* block) {
    const auto* region = region_of(block);
    if (!region) return std::free(block);
    madvise(block, region->pages * k_page, MADV_DONTNEED);
    free_[region->pages].push_back(block);
}

void* LazyPages::resize(void* block, std::size_t size) {
    if (!block) return allocate(size);
    const auto* region = region_of(block);
    if (!region) return std::realloc(block, size);
    auto* moved = allocate(size);
    if (!moved) return nullptr;
    std::memcpy(moved, block, std::min(size, region->pages * k_page));
    release(block);
    return moved;
}

} // namespace orbis::net
