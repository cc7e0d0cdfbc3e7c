#include "map/highest_cells.hpp"

#include "map/channels.hpp"
#include "map/label_set.hpp"

#include <algorithm>
#include <bit>

namespace orbis::map {

namespace {

using chunk::KeyPalette;
using chunk::PaletteKind;

/// Which of the 32 rows of a layer may have a wanted cell, bit z for row z.
using RowsOf = std::uint32_t (*)(const std::uint8_t* layer, const LabelSet& wanted);
/// Which of the 32 cells of a row may be wanted, bit x for cell x.
using CellsOf = std::uint32_t (*)(const std::uint8_t* row, const LabelSet& wanted);
/// The highest layer from `y` down that may have one; -1 if none has.
using LayerOf = int (*)(const std::uint8_t* cells, int y, const LabelSet& wanted);

/// A row has `Bytes` bytes: 32 with a label each, or 16 with two.
template <std::ptrdiff_t Bytes>
bool has_wanted(const std::uint8_t* row, const LabelSet& wanted) {
    return std::any_of(row, row + Bytes, [&](std::uint8_t byte) {
        return Bytes == 32 ? wanted.contains(byte) : wanted.contains(byte >> 4) || wanted.contains(byte & 15);
    });
}

template <std::ptrdiff_t Bytes>
std::uint32_t rows_of(const std::uint8_t* layer, const LabelSet& wanted) {
    std::uint32_t rows = 0;
    for (int z = 0; z < k_side; ++z) rows |= std::uint32_t{has_wanted<Bytes>(layer + z * Bytes, wanted)} << z;
    return rows;
}

template <std::ptrdiff_t Bytes>
int layer_of(const std::uint8_t* cells, int y, const LabelSet& wanted) {
    while (y >= 0 && rows_of<Bytes>(cells + y * Bytes * k_side, wanted) == 0) --y;
    return y;
}

template <std::ptrdiff_t Bytes>
std::uint32_t cells_of(const std::uint8_t* row, const LabelSet& wanted) {
    std::uint32_t cells = 0;
    for (int i = 0; i < k_side; ++i) {
        // Of two labels in a byte the first is in the high half.
        const int label = Bytes == 32 ? row[i] : row[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15;
        cells |= std::uint32_t{wanted.contains(static_cast<std::size_t>(label))} << i;
    }
    return cells;
}

#if defined(__x86_64__)
/// Bit 0 of a byte, or any bit, for each wanted label in 32 bytes.
template <std::ptrdiff_t Bytes>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i found_avx2(__m256i all, __m256i half_0,
                                                                      __m256i half_1) {
    const auto digit = _mm256_set1_epi8(15);
    const auto low = _mm256_and_si256(all, digit);
    const auto high = _mm256_and_si256(_mm256_srli_epi16(all, 4), digit);
    if constexpr (Bytes == 16) { // labels up to 15 are bit 0 of the first half
        const auto both =
            _mm256_or_si256(_mm256_shuffle_epi8(half_0, low), _mm256_shuffle_epi8(half_0, high));
        return _mm256_and_si256(both, _mm256_set1_epi8(1));
    } else {
        const auto bits =
            _mm256_blendv_epi8(_mm256_shuffle_epi8(half_0, low), _mm256_shuffle_epi8(half_1, low), all);
        const auto one =
            _mm256_shuffle_epi8(_mm256_set1_epi64x(static_cast<long long>(0x8040'2010'0804'0201ULL)), high);
        return _mm256_and_si256(bits, one);
    }
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i
half_avx2(const std::array<std::uint8_t, 16>& half) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(half.data())));
}

template <std::ptrdiff_t Bytes>
[[gnu::target("avx2")]] std::uint32_t rows_of_avx2(const std::uint8_t* layer, const LabelSet& wanted) {
    const auto half_0 = half_avx2(wanted.halves[0]);
    const auto half_1 = half_avx2(wanted.halves[1]);
    std::uint32_t rows = 0;
    for (std::ptrdiff_t i = 0; i < Bytes * k_side; i += 32) {
        const auto all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(layer + i));
        const auto found = found_avx2<Bytes>(all, half_0, half_1);
        const auto none = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(found, _mm256_setzero_si256())));
        if constexpr (Bytes == 32)
            rows |= std::uint32_t{none != 0xFFFF'FFFF} << (i / 32);
        else
            rows |= (std::uint32_t{(none & 0xFFFF) != 0xFFFF} | std::uint32_t{none >> 16 != 0xFFFF} << 1)
                    << (i / 16);
    }
    return rows;
}

template <std::ptrdiff_t Bytes>
[[gnu::target("avx2")]] int layer_of_avx2(const std::uint8_t* cells, int y, const LabelSet& wanted) {
    const auto half_0 = half_avx2(wanted.halves[0]);
    const auto half_1 = half_avx2(wanted.halves[1]);
    for (; y >= 0; --y) {
        auto found = _mm256_setzero_si256();
        for (std::ptrdiff_t i = 0; i < Bytes * k_side; i += 32) {
            const auto all =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cells + y * Bytes * k_side + i));
            found = _mm256_or_si256(found, found_avx2<Bytes>(all, half_0, half_1));
        }
        if (_mm256_testz_si256(found, found) == 0) break;
    }
    return y;
}
#endif

struct Scan {
    LayerOf layer;
    RowsOf rows;
    CellsOf cells;
    std::ptrdiff_t row_bytes;
};

/// For labels that are not wide.
template <std::ptrdiff_t Bytes>
Scan scan_for() {
#if defined(__x86_64__)
    if (has_avx2())
        return {layer_of_avx2<Bytes>, rows_of_avx2<Bytes>, Bytes == 32 ? members_avx2 : cells_of<Bytes>,
                Bytes};
#endif
    return {layer_of<Bytes>, rows_of<Bytes>, cells_of<Bytes>, Bytes};
}

/// Labels of 16 bits are too many for a set: every row may have one.
Scan scan_all() {
    const auto all = [](const std::uint8_t*, const LabelSet&) { return ~std::uint32_t{0}; };
    return {[](const std::uint8_t*, int y, const LabelSet&) { return y; }, all, all,
            std::ptrdiff_t{2} * k_side};
}

} // namespace

void find_highest_cells(const KeyPalette& palette, std::span<std::int32_t> cells) {
    const auto entries = palette.entries();
    LabelSet wanted;
    std::size_t left = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (cells[i] != k_cell_wanted) continue;
        wanted.add(entries[i].id & 255);
        ++left;
    }
    const auto scan = palette.kind() == PaletteKind::half_byte ? scan_for<16>()
                      : palette.kind() == PaletteKind::byte    ? scan_for<32>()
                                                               : scan_all();
    const auto* stored = palette.stored_cells().data();
    int y = palette.kind() == PaletteKind::empty ? -1 : k_side - 1;
    for (; left > 0 && (y = scan.layer(stored, y, wanted)) >= 0; --y)
        for (auto rows = scan.rows(stored + y * scan.row_bytes * k_side, wanted); rows != 0 && left > 0;
             rows &= rows - 1) {
            const int first = y << 10 | std::countr_zero(rows) << 5;
            const auto* row = stored + first / k_side * scan.row_bytes;
            for (auto some = scan.cells(row, wanted); some != 0; some &= some - 1) {
                const int cell = first + std::countr_zero(some);
                const auto entry = palette.entry_at(CellIndex(cell));
                if (entry == entries.size() || cells[entry] != k_cell_wanted) continue;
                cells[entry] = cell;
                wanted.remove(entries[entry].id & 255);
                --left;
            }
        }
    std::ranges::replace(cells, k_cell_wanted, k_no_cell);
}

} // namespace orbis::map
