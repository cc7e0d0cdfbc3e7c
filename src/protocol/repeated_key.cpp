#include "protocol/repeated_key.hpp"

#include "bytes/reader.hpp"
#include "bytes/utf8.hpp"
#include "protocol/replacement.hpp"

#include <algorithm>
#include <vector>

namespace orbis::protocol {

namespace {

constexpr std::size_t k_few = 8; ///< up to this many are compared pair by pair
constexpr std::uint64_t k_high_bits = 0x8080808080808080U;
constexpr std::uint64_t k_mix = 0x9e3779b97f4a7c15U;

template <typename Key>
bool repeats_pairwise(std::span<Key> keys) {
    for (std::size_t one = 1; one < keys.size(); ++one)
        for (std::size_t other = 0; other < one; ++other)
            if (keys[one] == keys[other]) return true;
    return false;
}

template <typename Key>
bool repeats_sorted(std::span<Key> keys) {
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
}

/// A number that is the same for the same text and rarely for another, from both ends of it and its size.
/// `bytes` collects which bits occur.
std::uint64_t print_of(Text text, std::uint64_t& bytes) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(text.data());
    const auto size = text.size();
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (size >= 8) {
        first = load_le<std::uint64_t>(at);
        last = load_le<std::uint64_t>(at + size - 8);
        for (std::size_t done = 8; done + 8 < size; done += 8) bytes |= load_le<std::uint64_t>(at + done);
    } else if (size >= 4) {
        first = load_le<std::uint32_t>(at);
        last = load_le<std::uint32_t>(at + size - 4);
    } else if (size > 0) {
        first = at[0];
        last = std::uint64_t{at[size / 2]} << 8 | at[size - 1];
    }
    bytes |= first | last;
    return (first + size) * k_mix ^ std::rotl(last * 0xc2b2ae3d27d4eb4fU, 29);
}

} // namespace

bool repeats(Arena& arena, std::span<std::uint64_t> keys) {
    if (keys.size() <= k_few) return repeats_pairwise(keys);

    // A table of twice the size with open addressing. Keys that were chosen to collide make it slow, so
    // that after some more steps than usual sorting takes over.
    const auto size = std::bit_ceil(2 * keys.size());
    const auto shift = 64 - std::countr_zero(size);
    auto* const table = arena.take<std::uint64_t>(size);
    std::fill_n(table, size, 0);
    bool zero = false; // the key that looks like an empty place
    auto steps = 4 * keys.size();
    for (const auto key : keys) {
        if (key == 0) {
            if (zero) return true;
            zero = true;
            continue;
        }
        auto at = key * k_mix >> shift;
        for (; table[at] != 0; at = (at + 1) & (size - 1)) {
            if (table[at] == key) return true;
            if (--steps == 0) return repeats_sorted(keys);
        }
        table[at] = key;
    }
    return false;
}

bool repeats(Arena& arena, std::span<Uuid> keys) {
    auto* const prints = arena.take<std::uint64_t>(keys.size());
    for (std::size_t index = 0; index < keys.size(); ++index) {
        const auto* key = keys[index].data();
        prints[index] = load_le<std::uint64_t>(key) * k_mix ^ load_le<std::uint64_t>(key + 8);
    }
    return repeats(arena, std::span(prints, keys.size())) && repeats_sorted(keys);
}

bool repeats(std::span<std::string> keys) {
    return keys.size() <= k_few ? repeats_pairwise(keys) : repeats_sorted(keys);
}

bool repeats(Arena& arena, std::span<Text> keys) {
    auto* const prints = arena.take<std::uint64_t>(keys.size());
    std::size_t not_ascii = 0;
    bool malformed = false;
    for (std::size_t index = 0; index < keys.size(); ++index) {
        std::uint64_t bytes = 0;
        prints[index] = print_of(keys[index], bytes);
        if ((bytes & k_high_bits) == 0) continue;
        ++not_ascii;
        malformed = malformed || !is_utf8(keys[index]);
    }
    // Only a malformed text can be like another one without having the same bytes.
    if (malformed && not_ascii > 1) {
        std::vector<std::string> held;
        held.reserve(keys.size());
        for (const auto key : keys) held.push_back(with_replacements(key));
        return repeats(std::span(held));
    }
    return repeats(arena, std::span(prints, keys.size())) && repeats_sorted(keys);
}

void append_comparable(std::string& out, Text text) {
    const auto held = with_replacements(text);
    const auto size = static_cast<std::uint64_t>(held.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += held;
}

} // namespace orbis::protocol
