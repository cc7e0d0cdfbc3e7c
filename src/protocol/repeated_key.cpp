#include "protocol/repeated_key.hpp"

#include "bytes/utf8.hpp"
#include "protocol/replacement.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace orbis::protocol {

namespace {

constexpr std::size_t k_few = 12; ///< so many are compared pair by pair

template <typename Key>
bool repeats_sorted(std::span<Key> keys) {
    if (keys.size() <= k_few) {
        for (std::size_t one = 1; one < keys.size(); ++one)
            for (std::size_t other = 0; other < one; ++other)
                if (keys[one] == keys[other]) return true;
        return false;
    }
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
}

bool is_ascii(Text text) {
    std::uint64_t all = 0;
    for (; text.size() >= 8; text.remove_prefix(8)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), 8);
        all |= word;
    }
    for (const char c : text) all |= static_cast<std::uint8_t>(c);
    return (all & 0x8080808080808080U) == 0;
}

} // namespace

bool repeats(std::span<std::uint64_t> keys) { return repeats_sorted(keys); }

bool repeats(std::span<std::string> keys) { return repeats_sorted(keys); }

bool repeats(std::span<Text> keys) {
    if (std::ranges::all_of(keys, [](Text key) { return is_ascii(key) || is_utf8(key); }))
        return repeats_sorted(keys);
    std::vector<std::string> held;
    held.reserve(keys.size());
    for (const auto key : keys) held.push_back(with_replacements(key));
    return repeats(std::span(held));
}

void append_comparable(std::string& out, Text text) {
    const auto held = is_ascii(text) ? std::string(text) : with_replacements(text);
    const auto size = static_cast<std::uint64_t>(held.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += held;
}

} // namespace orbis::protocol
