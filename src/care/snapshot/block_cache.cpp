#include "care/snapshot/block_cache.hpp"

namespace orbis::care::snapshot {

std::shared_ptr<BlockCache::Entry> BlockCache::entry(std::uint64_t number, std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(number); found != places_.end()) {
        kept_.splice(kept_.begin(), kept_, found->second);
        return kept_.front().entry;
    }
    while (!kept_.empty() && total_ + size > k_limit) {
        total_ -= kept_.back().size;
        places_.erase(kept_.back().number);
        kept_.pop_back();
    }
    kept_.push_front({number, size, std::make_shared<Entry>()});
    places_[number] = kept_.begin();
    total_ += size;
    return kept_.front().entry;
}

Result<std::shared_ptr<const Buffer>> BlockCache::get(std::uint64_t number, std::size_t size,
                                                      const Load& load) {
    const auto wanted = entry(number, size);
    const std::lock_guard lock(wanted->mutex);
    if (!wanted->block) {
        TRY(wanted->block, load()); // a failure is not kept: the next one who asks gets it again
    }
    return wanted->block;
}

} // namespace orbis::care::snapshot
