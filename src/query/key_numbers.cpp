#include "query/key_numbers.hpp"

#include "bytes/bytes.hpp"
#include "bytes/content_hash.hpp"

#include <algorithm>

namespace orbis::query {

std::size_t KeyNumbers::search(std::string_view key) {
    const auto found = find_or_add(key);
    keys_[last_].following = found;
    return last_ = found;
}

std::size_t KeyNumbers::find_or_add(std::string_view key) {
    if (keys_.size() * 2 >= slots_.size()) grow();
    const auto hash = content_hash(as_bytes(key));
    const auto mask = slots_.size() - 1;
    for (auto at = static_cast<std::size_t>(hash) & mask;; at = (at + 1) & mask) {
        if (slots_[at] == 0) {
            keys_.push_back({std::string(key), hash, 0});
            slots_[at] = static_cast<std::uint32_t>(keys_.size());
            memory_ += sizeof(Key) + key.size() + 2 * sizeof(std::uint32_t);
            return keys_.size() - 1;
        }
        const auto& known = keys_[slots_[at] - 1];
        if (known.hash == hash && known.text == key) return slots_[at] - 1;
    }
}

void KeyNumbers::grow() {
    constexpr std::size_t k_least = 256;
    slots_.assign(std::max(k_least, slots_.size() * 2), 0);
    const auto mask = slots_.size() - 1;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        auto at = static_cast<std::size_t>(keys_[i].hash) & mask;
        while (slots_[at] != 0) at = (at + 1) & mask;
        slots_[at] = static_cast<std::uint32_t>(i + 1);
    }
}

} // namespace orbis::query
