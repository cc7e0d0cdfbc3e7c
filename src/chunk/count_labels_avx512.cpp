#include "chunk/count_labels_avx512.hpp"

#include "bytes/bytes.hpp"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <bit>
#if !defined(__clang__) // g++ 12 warns of its own header's undefined vectors
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

// Eight labels at a time. A table turns each cell into a byte with one bit, the one of its label; what
// remains is to count how often each bit of a byte is set. That is done for 64 bytes at once with adders made
// of two instructions: of three vectors one gives the sum of each bit, the other what is carried over.

#define ORBIS_AVX512 [[gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi")]]

namespace orbis::chunk {

namespace {

constexpr std::size_t k_vector = 64;
constexpr std::size_t k_group = 8;

/// How often each of the eight bits was set in the bytes that were added: `ones` + 2 · `twos` + …
struct BitSums {
    __m512i ones{};
    __m512i twos{};
    __m512i fours{};
    __m512i eights{};
    __m512i sixteens[k_group]{}; ///< a byte per place; a section adds 32 at most
};

ORBIS_AVX512 [[gnu::always_inline]] inline __m512i carry_of(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0xE8);
}
ORBIS_AVX512 [[gnu::always_inline]] inline __m512i sum_of(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

// Each adds this many vectors, which `source` gives one after the other, and gives what is carried over.

template <typename Source>
ORBIS_AVX512 [[gnu::always_inline]] inline __m512i add_two(BitSums& sums, Source& source) {
    const auto a = source.even();
    const auto b = source.odd();
    const auto carry = carry_of(sums.ones, a, b);
    sums.ones = sum_of(sums.ones, a, b);
    return carry;
}

template <typename Source>
ORBIS_AVX512 [[gnu::always_inline]] inline __m512i add_four(BitSums& sums, Source& source) {
    const auto a = add_two(sums, source);
    const auto b = add_two(sums, source);
    const auto carry = carry_of(sums.twos, a, b);
    sums.twos = sum_of(sums.twos, a, b);
    return carry;
}

template <typename Source>
ORBIS_AVX512 [[gnu::always_inline]] inline __m512i add_eight(BitSums& sums, Source& source) {
    const auto a = add_four(sums, source);
    const auto b = add_four(sums, source);
    const auto carry = carry_of(sums.fours, a, b);
    sums.fours = sum_of(sums.fours, a, b);
    return carry;
}

template <typename Source>
ORBIS_AVX512 [[gnu::always_inline]] inline void add_sixteen(BitSums& sums, Source& source) {
    const auto a = add_eight(sums, source);
    const auto b = add_eight(sums, source);
    const auto carry = carry_of(sums.eights, a, b);
    sums.eights = sum_of(sums.eights, a, b);
    const auto bit = _mm512_set1_epi8(1);
    auto places = carry;
    for (auto& sum : sums.sixteens) {
        sum = _mm512_add_epi8(sum, _mm512_and_si512(places, bit));
        places = _mm512_srli_epi16(places, 1);
    }
}

ORBIS_AVX512 [[gnu::always_inline]] inline std::uint32_t set_in(__m512i vector, __m512i mask) {
    return static_cast<std::uint32_t>(std::popcount(_mm512_test_epi8_mask(vector, mask)));
}

ORBIS_AVX512 [[gnu::always_inline]] inline std::uint32_t total(const BitSums& sums, unsigned bit) {
    const auto mask = _mm512_set1_epi8(static_cast<char>(1U << bit));
    const auto many = _mm512_reduce_add_epi64(_mm512_sad_epu8(sums.sixteens[bit], _mm512_setzero_si512()));
    return set_in(sums.ones, mask) + 2 * set_in(sums.twos, mask) + 4 * set_in(sums.fours, mask)
           + 8 * set_in(sums.eights, mask) + 16 * static_cast<std::uint32_t>(many);
}

/// Turns the labels of a group into their bits.
using LabelTable = std::array<std::uint8_t, k_vector>;

LabelTable table_of(std::span<const std::uint8_t> group) {
    LabelTable table{};
    for (std::size_t i = 0; i < group.size(); ++i) table[group[i]] = static_cast<std::uint8_t>(1U << i);
    return table;
}

/// The bits of cells that are a byte each.
struct ByteCells {
    static constexpr std::size_t k_cells_per_byte = 1;
    static int label_of(std::uint8_t byte) { return byte; }

    const std::uint8_t* at;
    __m512i table{};

    ORBIS_AVX512 ByteCells(const std::uint8_t* cells, const LabelTable& bits)
        : at(cells), table(_mm512_loadu_si512(bits.data())) {}
    ORBIS_AVX512 [[gnu::always_inline]] __m512i even() {
        const auto labels = _mm512_loadu_si512(at);
        at += k_vector;
        return _mm512_permutexvar_epi8(labels, table);
    }
    ORBIS_AVX512 [[gnu::always_inline]] __m512i odd() { return even(); }
};

/// The bits of cells that are half a byte each. Which half comes first does not matter to a count.
struct NibbleCells {
    static constexpr std::size_t k_cells_per_byte = 2;
    /// Of a byte whose cells are the same; else -1.
    static int label_of(std::uint8_t byte) { return byte >> 4 == (byte & 15) ? byte & 15 : -1; }

    const std::uint8_t* at;
    __m512i table{};
    __m512i pairs{};

    ORBIS_AVX512 NibbleCells(const std::uint8_t* cells, const LabelTable& bits)
        : at(cells),
          table(_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bits.data())))) {}
    ORBIS_AVX512 [[gnu::always_inline]] __m512i even() {
        pairs = _mm512_loadu_si512(at);
        at += k_vector;
        return _mm512_shuffle_epi8(table, _mm512_and_si512(pairs, _mm512_set1_epi8(15)));
    }
    ORBIS_AVX512 [[gnu::always_inline]] __m512i odd() {
        return _mm512_shuffle_epi8(table,
                                   _mm512_and_si512(_mm512_srli_epi16(pairs, 4), _mm512_set1_epi8(15)));
    }
};

/// Whether all bytes of a block are the same as its first.
ORBIS_AVX512 [[gnu::always_inline]] inline bool is_filled(const std::uint8_t* at, std::size_t size) {
    const auto first = _mm512_set1_epi8(static_cast<char>(*at));
    if (_mm512_cmpneq_epi8_mask(_mm512_loadu_si512(at), first) != 0) return false;
    __m512i differs{};
    for (std::size_t i = k_vector; i < size; i += k_vector) // 0xF6: a | (b ^ c)
        differs = _mm512_ternarylogic_epi64(differs, _mm512_loadu_si512(at + i), first, 0xF6);
    return _mm512_test_epi8_mask(differs, differs) == 0;
}

template <typename Source>
ORBIS_AVX512 [[gnu::always_inline]] inline void
count_groups(Bytes cells, std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts) {
    // What `add_sixteen` takes at once is a block. Those of a single label need no counting: most are in air,
    // in rock and in all that is sparse.
    constexpr std::size_t k_at_once = 16 * k_vector / Source::k_cells_per_byte;
    std::array<std::uint16_t, k_cells / (16 * k_vector)> mixed;
    std::size_t blocks = 0;
    std::array<std::uint32_t, 256> alike;
    std::ranges::fill(alike, 0U);
    for (std::size_t at = 0; at < cells.size(); at += k_at_once) {
        const auto label = Source::label_of(cells[at]);
        if (label >= 0 && is_filled(&cells[at], k_at_once))
            alike[static_cast<std::size_t>(label)] += 16 * k_vector;
        else
            mixed[blocks++] = static_cast<std::uint16_t>(at);
    }
    for (std::size_t i = 0; i < labels.size(); ++i) counts[i] += alike[labels[i]];
    for (std::size_t first = 0; blocks > 0 && first < labels.size(); first += k_group) {
        const auto group = labels.subspan(first, std::min(k_group, labels.size() - first));
        Source source(cells.data(), table_of(group));
        BitSums sums;
        for (std::size_t i = 0; i < blocks; ++i) {
            source.at = cells.data() + mixed[i];
            add_sixteen(sums, source);
        }
        for (unsigned i = 0; i < group.size(); ++i) counts[first + i] += total(sums, i);
    }
}

} // namespace

ORBIS_AVX512 bool count_byte_labels_avx512(std::span<const std::uint8_t, k_cells> cells,
                                           std::span<const std::uint8_t> labels,
                                           std::span<std::uint32_t> counts) {
    // The table look-up takes the lower six bits only.
    if (std::ranges::any_of(labels, [](std::uint8_t label) { return label >= k_vector; })) return false;
    __m512i seen{};
    for (std::size_t i = 0; i < cells.size(); i += k_vector)
        seen = _mm512_or_si512(seen, _mm512_loadu_si512(&cells[i]));
    if (set_in(seen, _mm512_set1_epi8(static_cast<char>(0xC0))) != 0) return false;
    count_groups<ByteCells>(cells, labels, counts);
    return true;
}

ORBIS_AVX512 void count_nibble_labels_avx512(std::span<const std::uint8_t, k_cells / 2> cells,
                                             std::span<const std::uint8_t> labels,
                                             std::span<std::uint32_t> counts) {
    count_groups<NibbleCells>(cells, labels, counts);
}

} // namespace orbis::chunk

#endif
