#include "chunk/relabel.hpp"

#include "chunk/avx2.hpp"

#include <algorithm>

namespace orbis::chunk {

void relabel_cells_portably(PaletteKind from, const std::uint8_t* cells, PaletteKind to, std::uint8_t* out,
                            const NewLabels& new_labels) {
    const bool from_half = from == PaletteKind::half_byte;
    const bool to_half = to == PaletteKind::half_byte;
    if (from_half && to_half) {
        NewLabels pairs;
        for (std::size_t i = 0; i < pairs.size(); ++i)
            pairs[i] = static_cast<std::uint8_t>(new_labels[i >> 4] << 4 | new_labels[i & 15]);
        for (std::size_t i = 0; i < k_cells / 2; ++i) out[i] = pairs[cells[i]];
    } else if (to_half) {
        for (std::size_t i = 0; i < k_cells / 2; ++i)
            out[i] = static_cast<std::uint8_t>(new_labels[cells[i * 2]] << 4 | new_labels[cells[i * 2 + 1]]);
    } else if (from_half) {
        for (std::size_t i = 0; i < k_cells / 2; ++i) {
            out[i * 2] = new_labels[cells[i] >> 4];
            out[i * 2 + 1] = new_labels[cells[i] & 15];
        }
    } else {
        for (std::size_t i = 0; i < k_cells; ++i) out[i] = new_labels[cells[i]];
    }
}

#if defined(__x86_64__)

namespace {

constexpr std::size_t k_looked_up = 16; ///< labels that one look-up knows

ORBIS_AVX2 inline __m256i load_32(const std::uint8_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
ORBIS_AVX2 inline void store_32(std::uint8_t* at, __m256i bytes) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), bytes);
}
ORBIS_AVX2 inline __m256i load_row(const NewLabels& table, std::size_t row) {
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data() + row * k_looked_up)));
}

bool is_zero(const NewLabels& table, std::size_t row) {
    return std::all_of(table.begin() + static_cast<std::ptrdiff_t>(row * k_looked_up),
                       table.begin() + static_cast<std::ptrdiff_t>((row + 1) * k_looked_up),
                       [](auto label) { return label == 0; });
}

ORBIS_AVX2 void relabel_halves(const std::uint8_t* cells, std::uint8_t* out, const NewLabels& new_labels) {
    const auto low = load_row(new_labels, 0);
    const auto high = _mm256_slli_epi16(low, 4); // no label is above 15
    const auto half = _mm256_set1_epi8(15);
    for (std::size_t i = 0; i < k_cells / 2; i += 32) {
        const auto pairs = load_32(cells + i);
        const auto even = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(pairs, 4), half));
        store_32(out + i, _mm256_or_si256(even, _mm256_shuffle_epi8(low, _mm256_and_si256(pairs, half))));
    }
}

/// The new labels of 32 cells. Each row of the table answers for its sixteen labels: the others are moved to
/// where a look-up gives 0.
ORBIS_AVX2 inline __m256i look_up(__m256i labels, const NewLabels& table, std::size_t rows) {
    const auto beyond = _mm256_set1_epi8(0x70);
    const auto step = _mm256_set1_epi8(k_looked_up);
    auto found = _mm256_setzero_si256();
    for (std::size_t row = 0; row < rows; ++row) {
        const auto place = _mm256_adds_epu8(labels, beyond);
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(load_row(table, row), place));
        labels = _mm256_sub_epi8(labels, step);
    }
    return found;
}

ORBIS_AVX2 void relabel_bytes(const std::uint8_t* cells, std::uint8_t* out, const NewLabels& new_labels,
                              std::size_t rows) {
    for (std::size_t i = 0; i < k_cells; i += 32)
        store_32(out + i, look_up(load_32(cells + i), new_labels, rows));
}

ORBIS_AVX2 void pack_bytes(const std::uint8_t* cells, std::uint8_t* out, const NewLabels& new_labels,
                           std::size_t rows) {
    const auto weights = _mm256_set1_epi16(0x0110); // sixteen times the even cell and once the odd one
    for (std::size_t i = 0; i < k_cells; i += 64) {
        const auto first = _mm256_maddubs_epi16(look_up(load_32(cells + i), new_labels, rows), weights);
        const auto second = _mm256_maddubs_epi16(look_up(load_32(cells + i + 32), new_labels, rows), weights);
        // Packing goes by halves of vectors, so the quarters in the middle change places.
        store_32(out + i / 2, _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xD8));
    }
}

} // namespace

void relabel_cells(PaletteKind from, const std::uint8_t* cells, PaletteKind to, std::uint8_t* out,
                   const NewLabels& new_labels) {
    // With more rows than this the plain way is as fast.
    constexpr std::size_t k_most_rows = 12;
    std::size_t rows = new_labels.size() / k_looked_up; // labels beyond the last row become 0
    while (rows > 0 && is_zero(new_labels, rows - 1)) --rows;
    const bool widens = from == PaletteKind::half_byte && to == PaletteKind::byte;
    if (!has_avx2() || widens || rows > k_most_rows)
        return relabel_cells_portably(from, cells, to, out, new_labels);
    if (from == PaletteKind::half_byte) return relabel_halves(cells, out, new_labels);
    to == PaletteKind::half_byte ? pack_bytes(cells, out, new_labels, rows)
                                 : relabel_bytes(cells, out, new_labels, rows);
}

#else

void relabel_cells(PaletteKind from, const std::uint8_t* cells, PaletteKind to, std::uint8_t* out,
                   const NewLabels& new_labels) {
    relabel_cells_portably(from, cells, to, out, new_labels);
}

#endif

} // namespace orbis::chunk
