#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Questions about many labels of a palette at once.
namespace orbis::map {

/// Some of the 256 labels: bit h & 7 of `halves[h >> 3][l]` stands for the label with the high digit h and
/// the low digit l, which is how a vector of bytes can be looked up at once.
struct LabelSet {
    std::array<std::array<std::uint8_t, 16>, 2> halves{};
    void add(std::size_t label) {
        auto& bits = halves[label >> 7][label & 15];
        bits = static_cast<std::uint8_t>(bits | 1U << (label >> 4 & 7));
    }
    void remove(std::size_t label) {
        auto& bits = halves[label >> 7][label & 15];
        bits = static_cast<std::uint8_t>(bits & ~(1U << (label >> 4 & 7)));
    }
    [[nodiscard]] bool contains(std::size_t label) const {
        return (halves[label >> 7][label & 15] >> (label >> 4 & 7) & 1) != 0;
    }
};

#if defined(__x86_64__)
/// Which of 32 labels are in the set.
[[gnu::target("avx2")]] inline std::uint32_t members_avx2(const std::uint8_t* labels, const LabelSet& set) {
    const auto* first = reinterpret_cast<const __m128i*>(set.halves[0].data());
    const auto* second = reinterpret_cast<const __m128i*>(set.halves[1].data());
    const auto half_0 = _mm256_broadcastsi128_si256(_mm_loadu_si128(first));
    const auto half_1 = _mm256_broadcastsi128_si256(_mm_loadu_si128(second));
    const auto digit = _mm256_set1_epi8(15);
    const auto all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(labels));
    const auto low = _mm256_and_si256(all, digit);
    const auto high = _mm256_and_si256(_mm256_srli_epi16(all, 4), digit);
    // The highest bit of a label chooses between the halves.
    const auto bits =
        _mm256_blendv_epi8(_mm256_shuffle_epi8(half_0, low), _mm256_shuffle_epi8(half_1, low), all);
    const auto one =
        _mm256_shuffle_epi8(_mm256_set1_epi64x(static_cast<long long>(0x8040'2010'0804'0201ULL)), high);
    return static_cast<std::uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(bits, one), one)));
}
#endif

} // namespace orbis::map
