#include "inspect/filter_view.hpp"

#include "inspect/packet_json.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace orbis::inspect {

namespace {

/// A lock and a look at the clock after so many packets.
constexpr std::size_t k_packets_between_looks = 64;
/// Matches farther apart are looked for one by one, nearer ones in one go.
constexpr std::uint64_t k_near = 256;

} // namespace

FilterView::FilterView(std::optional<capture::Filter> filter) : is_all_(!filter) {
    if (filter) matcher_.emplace(*std::move(filter), PacketJson::k_largest_tree);
}

FilterView::State FilterView::state(const PacketBook& book) const {
    const auto extent = book.extent();
    const auto last = extent.end - 1;
    if (is_all_) return {extent.first - 1, last, last, extent.is_complete};
    const std::lock_guard lock(mutex_);
    return {std::max(matches_.first_rank(), matches_.rank(extent.first)), matches_.end_rank(), scanned_,
            extent.is_complete && scanned_ >= last};
}

bool FilterView::advance(const PacketBook& book, std::chrono::milliseconds time) {
    if (is_all_) return true;
    const std::lock_guard only_one(advance_mutex_);
    const auto until = std::chrono::steady_clock::now() + time;
    std::vector<std::uint64_t> found;
    std::uint64_t seen = 0;
    {
        const std::lock_guard lock(mutex_);
        matches_.forget_before(book.extent().first);
        seen = scanned_;
    }
    const auto put = [&] {
        const std::lock_guard lock(mutex_);
        for (const auto number : found) matches_.add(number);
        scanned_ = seen;
        found.clear();
    };
    bool is_out_of_time = false;
    std::size_t looked = 0;
    // What cannot be read again is left out here, as in the list.
    (void)book.read(seen + 1, [&](std::uint64_t number, const capture::Record& record) {
        if (matcher_->matches(record)) found.push_back(number);
        seen = number;
        if (++looked % k_packets_between_looks != 0) return true;
        put();
        is_out_of_time = std::chrono::steady_clock::now() >= until;
        return !is_out_of_time;
    });
    put();
    return !is_out_of_time;
}

std::optional<std::uint64_t> FilterView::number(std::uint64_t rank) const {
    if (is_all_) return rank + 1;
    const std::lock_guard lock(mutex_);
    return matches_.number(rank);
}

std::uint64_t FilterView::rank(std::uint64_t number) const {
    if (is_all_) return number > 0 ? number - 1 : 0;
    const std::lock_guard lock(mutex_);
    return matches_.rank(number);
}

Result<void> FilterView::read(const PacketBook& book, std::uint64_t from, const Take& take) const {
    auto rank = from;
    if (is_all_)
        return book.read(from + 1, [&](std::uint64_t number, const capture::Record& record) {
            return take(number - 1, number, record);
        });
    auto wanted = number(rank);
    bool is_over = false;
    while (wanted && !is_over) {
        const auto before = rank;
        TRY_DO(book.read(*wanted, [&](std::uint64_t at, const capture::Record& record) {
            while (wanted && *wanted < at) wanted = number(++rank); // gone meanwhile
            if (!wanted) return false;
            if (at == *wanted) {
                if (!take(rank, at, record)) {
                    is_over = true;
                    return false;
                }
                wanted = number(++rank);
            }
            return wanted && *wanted - at < k_near;
        }));
        if (rank == before && !is_over) return {}; // the book ends before it
    }
    return {};
}

} // namespace orbis::inspect
