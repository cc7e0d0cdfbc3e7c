#include "inspect/ring_book.hpp"

#include "protocol/frame.hpp"

#include <algorithm>
#include <vector>

namespace orbis::inspect {

namespace {

/// Packets that are taken out under one lock.
constexpr std::size_t k_taken_at_once = 64;

} // namespace

std::uint64_t RingBook::add(const capture::Record& record) {
    const auto kept = std::make_shared<Kept>();
    kept->record = record;
    const auto size = record.frame.size() > most_bytes_ / 4
                          ? std::min(record.frame.size(), protocol::k_frame_header)
                          : record.frame.size();
    kept->frame.assign(record.frame.begin(), record.frame.begin() + static_cast<std::ptrdiff_t>(size));
    kept->build_name = record.build_name;
    kept->record.frame = kept->frame;
    kept->record.build_name = kept->build_name;

    std::vector<std::shared_ptr<const Kept>> gone; // freed after the lock
    const std::lock_guard lock(mutex_);
    if (!extent_.start) extent_.start = record.time;
    extent_.bytes += record.length;
    kept_.push_back(kept);
    cost_ += size + k_packet_cost;
    while (cost_ > most_bytes_ && kept_.size() > 1) {
        cost_ -= kept_.front()->frame.size() + k_packet_cost;
        gone.push_back(std::move(kept_.front()));
        kept_.pop_front();
        ++extent_.first;
        ++extent_.forgotten;
    }
    return extent_.end++;
}

void RingBook::note_dropped(std::uint64_t count) {
    const std::lock_guard lock(mutex_);
    extent_.dropped += count;
}

void RingBook::finish() {
    const std::lock_guard lock(mutex_);
    extent_.is_complete = true;
}

BookExtent RingBook::extent() const {
    const std::lock_guard lock(mutex_);
    return extent_;
}

Result<void> RingBook::read(std::uint64_t from, const Take& take) const {
    std::vector<std::shared_ptr<const Kept>> taken;
    for (;;) {
        taken.clear();
        {
            const std::lock_guard lock(mutex_);
            from = std::max(from, extent_.first);
            for (auto at = from - extent_.first; at < kept_.size() && taken.size() < k_taken_at_once; ++at)
                taken.push_back(kept_[at]);
        }
        if (taken.empty()) return {};
        for (const auto& each : taken)
            if (!take(from++, each->record)) return {};
    }
}

} // namespace orbis::inspect
