#include "jobs/snapshot/block_cache.hpp"

namespace orbis::jobs::snapshot {

std::shared_ptr<BlockCache::Entry> BlockCache::entry(std::uint64_t number, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (const auto* kept = kept_.find(number)) return *kept;
    return kept_.put(number, std::make_shared<Entry>(), size);
}

Result<std::shared_ptr<const Buffer>> BlockCache::get(std::uint64_t number, std::size_t size,
                                                      const Load& load) {
    const auto wanted = entry(number, size);
    const std::lock_guard lock(wanted->mutex);
    if (!wanted->block) {
        TRY(wanted->block, load()); // a failure is not kept: the next caller gets it again
    }
    return wanted->block;
}

} // namespace orbis::jobs::snapshot
