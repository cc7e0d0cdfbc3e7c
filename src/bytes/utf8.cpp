#include "bytes/utf8.hpp"

#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace orbis {

std::size_t utf8_sequence_length(std::string_view text) {
    if (text.empty()) return 0;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto lead = at(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xC0) != 0x80) return 0;
    // The second byte decides about overlong forms, surrogates and the upper end.
    const auto second = at(1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0)) return 0;
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90)) return 0;
    return length;
}

namespace {

/// Most texts are, and to see that is much quicker than anything else.
bool is_ascii(const char* text, std::size_t size) {
    constexpr std::uint64_t k_high_bits = 0x8080808080808080;
    std::uint64_t seen = 0;
    const auto look = [&](const char* at) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, sizeof word);
        seen |= word;
    };
    if (size < 8) {
        for (std::size_t i = 0; i < size; ++i) seen |= static_cast<unsigned char>(text[i]);
        return (seen & k_high_bits) == 0;
    }
    for (std::size_t i = 0; i + 8 < size; i += 8) look(text + i);
    look(text + size - 8);
    return (seen & k_high_bits) == 0;
}

#ifdef __SSE2__

/// A bit for each byte of a text of up to 64 bytes that has some property.
struct ByteClasses {
    std::uint64_t continuation = 0; ///< 80 to BF
    std::uint64_t lead2 = 0;        ///< C0 and above
    std::uint64_t lead3 = 0;        ///< E0 and above
    std::uint64_t lead4 = 0;        ///< F0 and above
    std::uint64_t never = 0;        ///< C0, C1, F5 and above
    std::uint64_t e0 = 0, ed = 0, f0 = 0, f4 = 0;
    std::uint64_t below_90 = 0, below_a0 = 0;
};

ByteClasses classify(const char* text, std::size_t size) {
    ByteClasses classes;
    alignas(16) char padded[16];
    for (std::size_t at = 0; at < size; at += 16) {
        const char* part = text + at;
        if (size - at < 16) {
            std::memset(padded, 0, sizeof padded);
            std::memcpy(padded, part, size - at);
            part = padded;
        }
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(part));
        const auto add = [&](std::uint64_t& mask, __m128i found) {
            mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(found))) << at;
        };
        const auto at_least = [&](int least) { // unsigned, which SSE2 cannot compare by itself
            const auto limit = _mm_set1_epi8(static_cast<char>(least));
            return _mm_cmpeq_epi8(_mm_max_epu8(bytes, limit), bytes);
        };
        const auto is = [&](int value) {
            return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(value)));
        };
        const auto lead2 = at_least(0xC0);
        add(classes.continuation, _mm_andnot_si128(lead2, bytes)); // the sign bit of 80 to BF
        add(classes.lead2, lead2);
        add(classes.lead3, at_least(0xE0));
        add(classes.lead4, at_least(0xF0));
        add(classes.never, _mm_or_si128(_mm_or_si128(is(0xC0), is(0xC1)), at_least(0xF5)));
        add(classes.e0, is(0xE0));
        add(classes.ed, is(0xED));
        add(classes.f0, is(0xF0));
        add(classes.f4, is(0xF4));
        add(classes.below_90, _mm_andnot_si128(at_least(0x90), _mm_set1_epi8(-1)));
        add(classes.below_a0, _mm_andnot_si128(at_least(0xA0), _mm_set1_epi8(-1)));
    }
    return classes;
}

constexpr std::size_t k_short = 61; ///< a lead byte at the end still has its bits

/// Whether a text of up to 61 bytes is well-formed, without a branch for any character.
bool is_short_utf8(const char* text, std::size_t size) {
    const auto c = classify(text, size);
    const auto expected = c.lead2 << 1 | c.lead3 << 2 | c.lead4 << 3; // may reach past the end: then cut off
    const auto special = ((c.e0 << 1) & c.below_a0) | ((c.ed << 1) & ~c.below_a0) | ((c.f0 << 1) & c.below_90)
                         | ((c.f4 << 1) & ~c.below_90);
    return expected == c.continuation && (c.never | special) == 0;
}

#endif

} // namespace

std::size_t utf8_valid_prefix(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        if (text.size() - i >= 8) { // eight ASCII bytes at a time
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + i, sizeof word);
            if ((word & 0x8080808080808080U) == 0) {
                i += 8;
                continue;
            }
        }
        const auto length = utf8_sequence_length(text.substr(i));
        if (length == 0) return i;
        i += length;
    }
    return i;
}

bool is_utf8(std::string_view text) {
    if (is_ascii(text.data(), text.size())) return true;
#ifdef __SSE2__
    while (text.size() > k_short) {
        auto cut =
            k_short; // before a byte that starts a character; soundness is up to the next part if none does
        while (cut > k_short - 4 && (text[cut] & 0xC0) == 0x80) --cut;
        if (!is_short_utf8(text.data(), cut)) return false;
        text.remove_prefix(cut);
    }
    return is_short_utf8(text.data(), text.size());
#else
    return utf8_valid_prefix(text) == text.size();
#endif
}

} // namespace orbis
