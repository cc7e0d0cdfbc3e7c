#include "inspect/rates.hpp"

#include "capture/record_decoder.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace orbis::inspect {

void Rates::add(const capture::Record& record) {
    if (auto* bucket = bucket_at(record.time)) add_to(*bucket, {kind_of(record), 1, record.length});
}

std::uint32_t Rates::kind_of(const capture::Record& record) {
    const Kind kind{capture::packet_name(record), record.to, record.channel};
    if (const auto known = numbers_.find(kind); known != numbers_.end()) return known->second;
    if (kinds_.size() > settings_.kinds) return 0;
    kinds_.push_back(kind);
    return numbers_[kind] = static_cast<std::uint32_t>(kinds_.size() - 1);
}

Rates::Bucket* Rates::bucket_at(std::int64_t time) {
    if (!start_) start_ = time;
    if (time < *start_) time = *start_; // of clocks that went back, and of damaged files
    for (;;) {
        // In unsigned numbers: the times of a damaged file may be anything.
        const auto passed = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(*start_);
        const auto index = passed / static_cast<std::uint64_t>(width_);
        if (index < settings_.buckets) {
            if (buckets_.size() <= index) buckets_.resize(index + 1);
            return &buckets_[index];
        }
        if (settings_.widens) {
            if (width_ > std::numeric_limits<std::int64_t>::max() / 4) return nullptr;
            widen();
            continue;
        }
        const auto gone = index - settings_.buckets + 1;
        if (gone >= buckets_.size())
            buckets_.clear();
        else
            buckets_.erase(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(gone));
        start_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(*start_)
                                           + gone * static_cast<std::uint64_t>(width_));
    }
}

void Rates::widen() {
    std::deque<Bucket> wide((buckets_.size() + 1) / 2);
    for (std::size_t at = 0; at < buckets_.size(); ++at)
        for (const auto& sum : buckets_[at]) add_to(wide[at / 2], sum);
    buckets_ = std::move(wide);
    width_ *= 2;
}

void Rates::add_to(Bucket& bucket, const Sum& sum) {
    const auto at = std::ranges::lower_bound(bucket, sum.kind, {}, &Sum::kind);
    if (at == bucket.end() || at->kind != sum.kind) {
        bucket.insert(at, sum);
        return;
    }
    at->frames += sum.frames;
    at->bytes += sum.bytes;
}

Rates::Table Rates::table(std::size_t most_series) const {
    Table table{start_.value_or(0), width_, buckets_.size(), {}};
    std::vector<std::uint64_t> bytes(kinds_.size());
    for (const auto& bucket : buckets_)
        for (const auto& sum : bucket) bytes[sum.kind] += sum.bytes;
    std::vector<std::uint32_t> order(kinds_.size() - 1);
    std::iota(order.begin(), order.end(), 1);
    std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t kind) { return bytes[kind]; });
    std::erase_if(order, [&](std::uint32_t kind) { return bytes[kind] == 0; });
    std::vector<std::size_t> place(kinds_.size(), std::min(order.size(), most_series));
    for (std::size_t at = 0; at < std::min(order.size(), most_series); ++at) {
        place[order[at]] = at;
        const auto& kind = kinds_[order[at]];
        table.series.push_back({kind.packet, kind.to, kind.channel});
    }
    const bool has_others = order.size() > most_series || bytes[0] > 0;
    if (has_others) table.series.emplace_back();
    for (auto& series : table.series) {
        series.frames.resize(buckets_.size());
        series.bytes.resize(buckets_.size());
    }
    for (std::size_t at = 0; at < buckets_.size(); ++at)
        for (const auto& sum : buckets_[at]) {
            if (place[sum.kind] >= table.series.size()) continue; // frames without a byte
            auto& series = table.series[place[sum.kind]];
            series.frames[at] += sum.frames;
            series.bytes[at] += sum.bytes;
            series.all_bytes += sum.bytes;
        }
    return table;
}

} // namespace orbis::inspect
