#include "chunk/environment_words.hpp"

#include "chunk/avx2.hpp"

namespace orbis::chunk {

namespace {

std::int32_t word_at(Bytes words, std::size_t i) { return load_be<std::int32_t>(words.data() + i * 4); }

} // namespace

EnvironmentWords::EnvironmentWords(Bytes words, const Ids& ids) {
    judge_words(words, ids, judge_groups(words, ids));
}

void EnvironmentWords::judge_words(Bytes words, const Ids& ids, std::size_t first) {
    const auto count = words.size() / 4;
    const auto set = [](Flags& flags, std::size_t i, bool value) {
        auto& byte = flags[i / 8];
        if (i % 8 == 0) byte = 0;
        byte = static_cast<std::uint8_t>(byte | unsigned{value} << i % 8);
    };
    for (auto i = first; i < count; ++i) {
        const auto word = word_at(words, i);
        set(ascending_, i, i + 1 < count && word < word_at(words, i + 1));
        set(known_, i, ids.contains(word));
    }
}

#if defined(__x86_64__)

namespace {

ORBIS_AVX2 inline __m256i load_words(const std::uint8_t* at) {
    const auto order = _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, //
                                        3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    return _mm256_shuffle_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), order);
}
ORBIS_AVX2 inline std::uint8_t flags_of(__m256i comparison) {
    return static_cast<std::uint8_t>(_mm256_movemask_ps(_mm256_castsi256_ps(comparison)));
}

/// `groups` times eight words, after which there is at least one more.
ORBIS_AVX2 void judge_with_avx2(const std::uint8_t* at, std::size_t groups, const EnvironmentWords::Ids& ids,
                                std::uint8_t* ascending, std::uint8_t* known) {
    const auto known_ids = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids.words().data()));
    for (std::size_t group = 0; group < groups; ++group, at += 32) {
        const auto words = load_words(at);
        ascending[group] = flags_of(_mm256_cmpgt_epi32(load_words(at + 4), words));
        const auto eight_bits = _mm256_cmpeq_epi32(_mm256_srli_epi32(words, 8), _mm256_setzero_si256());
        const auto set = _mm256_permutevar8x32_epi32(known_ids, _mm256_srli_epi32(words, 5));
        const auto found = _mm256_sllv_epi32(set, _mm256_and_si256(words, _mm256_set1_epi32(31)));
        known[group] = flags_of(_mm256_and_si256(found, eight_bits));
    }
}

} // namespace

std::size_t EnvironmentWords::judge_groups(Bytes words, const Ids& ids) {
    if (!has_avx2() || words.empty()) return 0;
    const auto groups = (words.size() / 4 - 1) / 8;
    judge_with_avx2(words.data(), groups, ids, ascending_.data(), known_.data());
    return groups * 8;
}

#else

std::size_t EnvironmentWords::judge_groups(Bytes, const Ids&) { return 0; }

#endif

} // namespace orbis::chunk
