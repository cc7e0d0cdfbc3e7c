#include "chunk/label_set.hpp"

#include "chunk/avx2.hpp"

namespace orbis::chunk {

void LabelSet::keep_members_portably(const std::uint8_t* cells, std::span<std::uint64_t> words) const {
    for (auto& word : words) {
        std::uint64_t members = 0;
        for (unsigned i = 0; i < 64; ++i) {
            const auto label =
                half_ ? static_cast<std::uint8_t>(cells[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15) : cells[i];
            members |= std::uint64_t{contains(label)} << i;
        }
        word &= members;
        cells += half_ ? 32 : 64;
    }
}

bool LabelSet::are_where_levels_are_portably(Bytes labels, Bytes levels) const {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (contains(labels[i] >> 4) != ((levels[i] & 15) != 0)) return false;
        if (contains(labels[i] & 15) != (levels[i] >> 4 != 0)) return false;
    }
    return true;
}

#if defined(__x86_64__)

namespace {

using Table = std::array<std::uint8_t, 16>;

ORBIS_AVX2 inline __m256i load(const std::uint8_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
/// 16 bytes, twice: a look-up takes place in each half of a vector.
ORBIS_AVX2 inline __m256i load_table(const Table& table) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
}
ORBIS_AVX2 inline __m256i high_halves(__m256i bytes) {
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
}
ORBIS_AVX2 inline __m256i low_halves(__m256i bytes) { return _mm256_and_si256(bytes, _mm256_set1_epi8(15)); }

ORBIS_AVX2 void keep_half_bytes(const Table& set, const std::uint8_t* cells, std::span<std::uint64_t> words) {
    const auto flags = load_table(set);
    for (auto& word : words) {
        const auto pairs = load(cells);
        cells += 32;
        if (word == 0) continue;
        const auto even = _mm256_movemask_epi8(_mm256_shuffle_epi8(flags, high_halves(pairs)));
        const auto odd = _mm256_movemask_epi8(_mm256_shuffle_epi8(flags, low_halves(pairs)));
        word &= _pdep_u64(static_cast<std::uint32_t>(even), 0x5555555555555555)
                | _pdep_u64(static_cast<std::uint32_t>(odd), 0xAAAAAAAAAAAAAAAA);
    }
}

/// A bit for each of 32 cells.
ORBIS_AVX2 inline std::uint32_t members(__m256i labels, __m256i lower, __m256i upper) {
    // A table look-up gives 0 if the highest bit of the place is set, so each table sees its labels only.
    const auto keep = _mm256_set1_epi8(static_cast<char>(0x8F));
    const auto flip = _mm256_set1_epi8(static_cast<char>(0x80));
    const auto rows =
        _mm256_or_si256(_mm256_shuffle_epi8(lower, _mm256_and_si256(labels, keep)),
                        _mm256_shuffle_epi8(upper, _mm256_and_si256(_mm256_xor_si256(labels, flip), keep)));
    const auto bit_of = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128, //
                                         1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    const auto bit = _mm256_shuffle_epi8(bit_of, high_halves(labels));
    const auto absent = _mm256_cmpeq_epi8(_mm256_and_si256(rows, bit), _mm256_setzero_si256());
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(absent));
}

ORBIS_AVX2 void keep_bytes(const std::array<Table, 2>& set, const std::uint8_t* cells,
                           std::span<std::uint64_t> words) {
    const auto lower = load_table(set[0]);
    const auto upper = load_table(set[1]);
    for (auto& word : words) {
        if (word != 0)
            word &= members(load(cells), lower, upper)
                    | static_cast<std::uint64_t>(members(load(cells + 32), lower, upper)) << 32;
        cells += 64;
    }
}

ORBIS_AVX2 bool levels_agree(const Table& set, Bytes labels, Bytes levels) {
    const auto flags = load_table(set);
    const auto zero = _mm256_setzero_si256();
    auto agrees = _mm256_set1_epi8(-1);
    for (std::size_t i = 0; i < labels.size(); i += 32) {
        const auto label = load(&labels[i]);
        const auto level = load(&levels[i]);
        const auto even = _mm256_xor_si256(_mm256_shuffle_epi8(flags, high_halves(label)),
                                           _mm256_cmpeq_epi8(low_halves(level), zero));
        const auto odd = _mm256_xor_si256(_mm256_shuffle_epi8(flags, low_halves(label)),
                                          _mm256_cmpeq_epi8(high_halves(level), zero));
        agrees = _mm256_and_si256(agrees, _mm256_and_si256(even, odd));
    }
    return _mm256_movemask_epi8(agrees) == -1;
}

} // namespace

void LabelSet::keep_members(const std::uint8_t* cells, std::span<std::uint64_t> words) const {
    if (!has_avx2()) return keep_members_portably(cells, words);
    half_ ? keep_half_bytes(flags_, cells, words) : keep_bytes(rows_, cells, words);
}

bool LabelSet::are_where_levels_are(Bytes labels, Bytes levels) const {
    return has_avx2() ? levels_agree(flags_, labels, levels) : are_where_levels_are_portably(labels, levels);
}

#else

void LabelSet::keep_members(const std::uint8_t* cells, std::span<std::uint64_t> words) const {
    keep_members_portably(cells, words);
}

bool LabelSet::are_where_levels_are(Bytes labels, Bytes levels) const {
    return are_where_levels_are_portably(labels, levels);
}

#endif

} // namespace orbis::chunk
