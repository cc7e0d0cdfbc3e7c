#include "query/key_totals.hpp"

#include "bytes/content_hash.hpp"

namespace orbis::query {

void KeyTotals::add(std::string_view key, std::int64_t cells) {
    // Palettes of neighbours list the same keys in the same order: most often this one is known without a
    // hash.
    if (last_ < totals_.size()) {
        const auto guess = totals_[last_].following;
        if (guess < totals_.size() && totals_[guess].key == key) {
            totals_[guess].cells += cells;
            last_ = guess;
            return;
        }
    }
    const auto found = find(key);
    totals_[found].cells += cells;
    totals_[last_].following = found;
    last_ = found;
}

std::size_t KeyTotals::find(std::string_view key) {
    if (totals_.size() * 2 >= slots_.size()) grow();
    const auto hash = content_hash(as_bytes(key));
    const auto mask = slots_.size() - 1;
    for (auto at = static_cast<std::size_t>(hash) & mask;; at = (at + 1) & mask) {
        if (slots_[at] == 0) {
            totals_.push_back({std::string(key), 0, hash, 0});
            slots_[at] = static_cast<std::uint32_t>(totals_.size());
            memory_ += sizeof(Total) + key.size() + 2 * sizeof(std::uint32_t);
            return totals_.size() - 1;
        }
        const auto& total = totals_[slots_[at] - 1];
        if (total.hash == hash && total.key == key) return slots_[at] - 1;
    }
}

void KeyTotals::grow() {
    constexpr std::size_t k_least = 256;
    slots_.assign(std::max(k_least, slots_.size() * 2), 0);
    const auto mask = slots_.size() - 1;
    for (std::size_t i = 0; i < totals_.size(); ++i) {
        auto at = static_cast<std::size_t>(totals_[i].hash) & mask;
        while (slots_[at] != 0) at = (at + 1) & mask;
        slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
}

void KeyTotals::clear() {
    totals_ = {};
    slots_ = {};
    last_ = 0;
    memory_ = 0;
}

} // namespace orbis::query
