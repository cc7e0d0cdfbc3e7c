#include "storage/segment_map.hpp"

#include <algorithm>
#include <limits>

namespace orbis::storage {

namespace {

constexpr std::uint16_t k_most_users = 0xFFFF;

} // namespace

void SegmentMap::use(SegmentRun run) {
    if (run.count == 0) return;
    const std::lock_guard lock(mutex_);
    if (static_cast<std::size_t>(run.first - 1) < users_.size())
        mark(run);
    else
        far_.emplace(run.first, run.count);
    reach(users_.size());
}

bool SegmentMap::take(SegmentRun run) {
    if (run.count == 0) return true;
    const std::lock_guard lock(mutex_);
    const auto begin = static_cast<std::size_t>(run.first - 1);
    const auto end = begin + static_cast<std::size_t>(run.count);
    for (auto i = begin; i < std::min(end, users_.size()); ++i)
        if (users_[i] != 0) return false;
    for (const auto& [first, count] : far_)
        if (static_cast<std::size_t>(first - 1) < end && begin < static_cast<std::size_t>(first - 1) + count)
            return false;
    if (begin < users_.size())
        mark(run);
    else
        far_.emplace(run.first, run.count);
    reach(users_.size());
    return true;
}

SegmentRun SegmentMap::allocate(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    const auto need = static_cast<std::size_t>(count);
    auto begin = first_fit(need);
    while (begin + need > users_.size() && !far_.empty()
           && static_cast<std::size_t>(far_.begin()->first - 1) < begin + need) {
        reach(static_cast<std::size_t>(far_.begin()->first));
        begin = first_fit(need);
    }
    if (begin + need > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) return {};
    if (begin + need > users_.size()) users_.resize(begin + need, 0);
    std::fill_n(users_.begin() + static_cast<std::ptrdiff_t>(begin), need, std::uint16_t{1});
    return {static_cast<std::int32_t>(begin + 1), count};
}

void SegmentMap::mark(SegmentRun run) {
    const auto begin = static_cast<std::size_t>(run.first - 1);
    const auto end = begin + static_cast<std::size_t>(run.count);
    if (end > users_.size()) users_.resize(end, 0);
    for (auto i = begin; i < end; ++i)
        if (users_[i] < k_most_users) ++users_[i];
}

/// Where the lowest run of free segments starts; the last one may go on past the end.
std::size_t SegmentMap::first_fit(std::size_t count) {
    while (lowest_free_ < users_.size() && users_[lowest_free_] != 0) ++lowest_free_;
    auto begin = lowest_free_;
    for (auto i = begin; i < users_.size() && i - begin < count; ++i)
        if (users_[i] != 0) begin = i + 1;
    return begin;
}

/// Lets the counts go up to `size`, and takes in the runs that were after it.
void SegmentMap::reach(std::size_t size) {
    if (size > users_.size()) users_.resize(size, 0);
    while (!far_.empty() && static_cast<std::size_t>(far_.begin()->first - 1) < users_.size()) {
        mark({far_.begin()->first, far_.begin()->second});
        far_.erase(far_.begin());
    }
}

void SegmentMap::release(SegmentRun run) {
    if (run.count == 0) return;
    const std::lock_guard lock(mutex_);
    if (pins_.empty()) {
        subtract(run);
        return;
    }
    waiting_.push_back({run, epoch_});
    ++epoch_; // readers from now on cannot have seen this run
}

std::shared_ptr<const void> SegmentMap::pin() {
    const std::lock_guard lock(mutex_);
    const auto epoch = epoch_;
    ++pins_[epoch];
    return {this, [map = shared_from_this(), epoch](const void*) { map->unpin(epoch); }};
}

std::uint64_t SegmentMap::used() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::uint64_t>(
        std::count_if(users_.begin(), users_.end(), [](auto users) { return users != 0; }));
}

void SegmentMap::subtract(SegmentRun run) {
    const auto begin = static_cast<std::size_t>(run.first - 1);
    if (begin >= users_.size()) {
        const auto [low, high] = far_.equal_range(run.first);
        const auto found = std::find_if(low, high, [&](const auto& far) { return far.second == run.count; });
        if (found != high) far_.erase(found);
        return;
    }
    for (auto i = begin; i < begin + static_cast<std::size_t>(run.count); ++i)
        if (users_[i] < k_most_users) --users_[i];
    lowest_free_ = std::min(lowest_free_, begin);
}

void SegmentMap::reclaim() {
    const auto oldest = pins_.empty() ? epoch_ : pins_.begin()->first;
    while (!waiting_.empty() && waiting_.front().epoch < oldest) {
        subtract(waiting_.front().run);
        waiting_.pop_front();
    }
}

void SegmentMap::unpin(std::uint64_t epoch) {
    const std::lock_guard lock(mutex_);
    const auto found = pins_.find(epoch);
    if (--found->second == 0) pins_.erase(found);
    reclaim();
}

} // namespace orbis::storage
