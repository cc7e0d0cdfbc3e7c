#include "net/send_queue.hpp"

#include <algorithm>

namespace orbis::net {
namespace {

/// Frames from here on are shared instead of copied.
constexpr std::size_t k_large = 512;
constexpr std::size_t k_block = 4096;
constexpr std::size_t k_small_block = 128;
constexpr std::size_t k_blocks_kept = 64;

} // namespace

void SendQueue::add(const protocol::SharedFrame& frame) {
    if (frame.bytes().size() < k_large) return add_small(frame.bytes());
    blocks_.push_back({frame.memory(), frame.bytes().size(), 0, false});
    added_ += frame.bytes().size();
}

void SendQueue::add(Bytes bytes) {
    if (bytes.size() < k_large) return add_small(bytes);
    add(protocol::SharedFrame(bytes));
}

void SendQueue::add_small(Bytes bytes) {
    if (bytes.empty()) return;
    if (first_ == blocks_.size() || blocks_.back().room < bytes.size()) {
        // Most connections are idle, and small frames between large ones come alone: only where one block was
        // filled is the next a large one.
        const bool comes_after_small = first_ < blocks_.size() && blocks_.back().is_ours;
        const auto size = comes_after_small ? k_block
                          : held() == 0     ? bytes.size()
                                            : std::max(bytes.size(), k_small_block);
        blocks_.push_back({std::shared_ptr<const std::uint8_t[]>(new std::uint8_t[size]), 0, size, true});
    }
    auto& block = blocks_.back();
    // The block is ours alone, and readers stop at its size.
    std::ranges::copy(bytes, const_cast<std::uint8_t*>(block.memory.get()) + block.size);
    block.size += bytes.size();
    block.room -= bytes.size();
    added_ += bytes.size();
}

std::size_t SendQueue::pieces(std::span<Bytes> out, std::size_t enough) const {
    std::size_t count = 0;
    auto skip = sent_ - next_start_;
    std::size_t sum = 0;
    for (auto at = next_; at < blocks_.size() && count < out.size() && sum < enough; ++at) {
        const auto& block = blocks_[at];
        if (block.size > skip) {
            out[count++] = Bytes(block.memory.get(), block.size).subspan(skip);
            sum += out[count - 1].size();
        }
        skip = skip > block.size ? skip - block.size : 0;
    }
    return count;
}

std::size_t SendQueue::reserved() const {
    std::size_t sum = 0;
    for (const auto& block : blocks_) sum += block.size + block.room;
    return sum;
}

void SendQueue::mark_sent(std::size_t count) {
    sent_ += count;
    while (next_ < blocks_.size() && next_start_ + blocks_[next_].size <= sent_ && next_ + 1 < blocks_.size())
        next_start_ += blocks_[next_++].size;
}

void SendQueue::mark_acked(std::uint64_t offset) {
    acked_ = std::max(acked_, std::min(offset, sent_));
    while (first_ < blocks_.size() && start_ + blocks_[first_].size <= acked_) {
        start_ += blocks_[first_].size;
        blocks_[first_++] = {};
    }
    if (next_ < first_) {
        next_ = first_;
        next_start_ = start_;
    }
    forget_acked();
}

void SendQueue::forget_acked() {
    // Seldom, so that no block is moved often.
    if (first_ < blocks_.size() && (first_ < 32 || first_ * 2 < blocks_.size())) return;
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(first_));
    next_ -= first_;
    first_ = 0;
    if (blocks_.empty() && blocks_.capacity() > k_blocks_kept) blocks_.shrink_to_fit();
}

void SendQueue::clear() {
    blocks_.clear();
    start_ = acked_ = sent_ = added_;
    first_ = next_ = 0;
    next_start_ = start_;
}

} // namespace orbis::net
