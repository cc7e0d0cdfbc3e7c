#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::query {

/// Numbers for keys, from 0 on in the order in which they are first asked for, so that what is known of a key
/// can be kept in a list.
class KeyNumbers {
public:
    std::size_t of(std::string_view key) {
        // Palettes of neighbours list the same keys in the same order: most often this one is known without
        // a hash.
        if (last_ < keys_.size()) {
            const auto guess = keys_[last_].following;
            if (keys_[guess].text == key) return last_ = guess;
        }
        return search(key);
    }
    [[nodiscard]] std::string_view key(std::size_t number) const { return keys_[number].text; }
    [[nodiscard]] std::size_t size() const { return keys_.size(); }
    /// About the bytes that it takes.
    [[nodiscard]] std::size_t memory() const { return memory_; }

private:
    struct Key {
        std::string text;
        std::uint64_t hash;
        std::size_t following; ///< that came after this one the last time
    };

    std::size_t search(std::string_view key);
    std::size_t find_or_add(std::string_view key);
    void grow();

    std::vector<Key> keys_;
    std::vector<std::uint32_t> slots_; ///< numbers plus 1, by hash; 0 for none
    std::size_t last_ = 0;
    std::size_t memory_ = 0;
};

} // namespace orbis::query
