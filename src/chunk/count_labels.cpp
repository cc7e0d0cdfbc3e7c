#include "chunk/count_labels.hpp"

#include "chunk/avx2.hpp"
#include "chunk/count_labels_avx512.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace orbis::chunk {

namespace {

constexpr std::size_t k_row = 32;
constexpr std::size_t k_block = 4 * k_row;
/// Above this many labels a look-up per cell should be faster than a comparison per label; estimated from
/// both at fewer labels, with AVX2.
constexpr std::size_t k_many_labels = 56;

/// 32 cells. The compiler turns these into whatever vectors the target has.
using Row = std::uint8_t __attribute__((vector_size(k_row)));
using WideRow = std::uint16_t __attribute__((vector_size(k_row)));

/// Cells that are not alike, a byte each, as rows; and how many cells of each label stood in the others.
struct Rows {
    alignas(k_row) std::array<std::uint8_t, k_cells> mixed;
    std::size_t count = 0;
    std::array<std::uint32_t, 256> alike{};
};

/// The byte that fills a row of 32, or -1 if there are several. `turn` is 4 where both halves of the byte
/// must be equal too.
[[gnu::always_inline]] inline int filler_of_row(const std::uint8_t* at, int turn) {
    std::array<std::uint64_t, k_row / 8> words;
    std::memcpy(words.data(), at, k_row);
    const auto first = words[0];
    const auto differs =
        (first ^ std::rotl(first, turn)) | (first ^ words[1]) | (first ^ words[2]) | (first ^ words[3]);
    return differs == 0 ? static_cast<int>(first & 255) : -1;
}

/// The same for four rows: most of many palettes is one label, and this is the quickest look at it.
[[gnu::always_inline]] inline bool are_filled(const std::uint8_t* at, std::uint8_t byte) {
    const Row wanted = Row{} + byte;
    Row differs{};
    for (std::size_t i = 0; i < k_block; i += k_row) {
        Row row;
        std::memcpy(&row, at + i, k_row);
        differs |= row ^ wanted;
    }
    std::array<std::uint64_t, k_row / 8> words;
    std::memcpy(words.data(), &differs, k_row);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
}

[[gnu::always_inline]] inline void take_bytes(const std::uint8_t* cells, Rows& rows) {
    for (const auto* const end = cells + k_cells; cells != end; cells += k_block) {
        if (are_filled(cells, *cells)) {
            rows.alike[*cells] += k_block;
            continue;
        }
        for (std::size_t i = 0; i < k_block; i += k_row) {
            if (const int label = filler_of_row(cells + i, 8); label >= 0)
                rows.alike[static_cast<std::size_t>(label)] += k_row;
            else
                std::memcpy(rows.mixed.data() + rows.count++ * k_row, cells + i, k_row);
        }
    }
}

[[gnu::always_inline]] inline void take_nibbles(const std::uint8_t* cells, Rows& rows) {
    for (const auto* const end = cells + k_cells / 2; cells != end; cells += k_block) {
        if (*cells >> 4 == (*cells & 15) && are_filled(cells, *cells)) {
            rows.alike[*cells & 15] += k_block * 2;
            continue;
        }
        for (std::size_t i = 0; i < k_block; i += k_row) {
            if (const int pair = filler_of_row(cells + i, 4); pair >= 0) {
                rows.alike[static_cast<std::size_t>(pair & 15)] += k_row * 2;
                continue;
            }
            // Which half comes first does not matter to a count.
            Row pairs;
            std::memcpy(&pairs, cells + i, k_row);
            const Row low = pairs & 15;
            const Row high = pairs >> 4;
            std::memcpy(rows.mixed.data() + rows.count++ * k_row, &low, k_row);
            std::memcpy(rows.mixed.data() + rows.count++ * k_row, &high, k_row);
        }
    }
}

/// Counts of one label in each of the 32 places of a row.
struct PlaceCounts {
    Row few{}; ///< of at most 255 rows
    WideRow many{};

    [[gnu::always_inline]] void settle() {
        WideRow pairs;
        std::memcpy(&pairs, &few, k_row);
        many += (pairs & 255) + (pairs >> 8);
        few = Row{};
    }
    [[gnu::always_inline]] std::uint32_t sum() const {
        std::uint32_t all = 0;
        for (std::size_t i = 0; i < k_row / 2; ++i) all += many[i];
        return all;
    }
};

/// Four labels at a time: a row is loaded once for all of them, and everything stays in registers.
[[gnu::always_inline]] inline void count_four(const Rows& rows, const std::uint8_t* labels,
                                              std::uint32_t* counts) {
    PlaceCounts a;
    PlaceCounts b;
    PlaceCounts c;
    PlaceCounts d;
    const Row label_a = Row{} + labels[0];
    const Row label_b = Row{} + labels[1];
    const Row label_c = Row{} + labels[2];
    const Row label_d = Row{} + labels[3];
    const auto* at = rows.mixed.data();
    for (std::size_t left = rows.count; left > 0;) {
        const auto some = std::min<std::size_t>(left, 255);
        for (std::size_t i = 0; i < some; ++i, at += k_row) {
            Row row;
            std::memcpy(&row, at, k_row);
            // A comparison gives -1 if it holds.
            a.few -= reinterpret_cast<Row>(row == label_a);
            b.few -= reinterpret_cast<Row>(row == label_b);
            c.few -= reinterpret_cast<Row>(row == label_c);
            d.few -= reinterpret_cast<Row>(row == label_d);
        }
        left -= some;
        a.settle();
        b.settle();
        c.settle();
        d.settle();
    }
    counts[0] += a.sum();
    counts[1] += b.sum();
    counts[2] += c.sum();
    counts[3] += d.sum();
}

/// One cell after the other, into four tables so that equal neighbours do not wait for each other.
void count_many(Rows& rows) {
    std::array<std::array<std::uint32_t, 256>, 3> more{};
    for (std::size_t i = 0; i < rows.count * k_row; i += 4) {
        ++rows.alike[rows.mixed[i]];
        ++more[0][rows.mixed[i + 1]];
        ++more[1][rows.mixed[i + 2]];
        ++more[2][rows.mixed[i + 3]];
    }
    for (std::size_t i = 0; i < 256; ++i) rows.alike[i] += more[0][i] + more[1][i] + more[2][i];
    rows.count = 0;
}

[[gnu::always_inline]] inline void count_rows(Rows& rows, std::span<const std::uint8_t> labels,
                                              std::span<std::uint32_t> counts) {
    if (labels.size() > k_many_labels) count_many(rows);
    std::size_t i = 0;
    if (rows.count > 0) {
        for (; i + 4 <= labels.size(); i += 4) count_four(rows, &labels[i], &counts[i]);
        if (i < labels.size()) { // the first of the rest stands in for those that are missing
            std::array<std::uint8_t, 4> rest;
            rest.fill(labels[i]);
            std::copy(labels.begin() + static_cast<std::ptrdiff_t>(i), labels.end(), rest.begin());
            std::array<std::uint32_t, 4> found{};
            count_four(rows, rest.data(), found.data());
            for (std::size_t k = 0; i + k < labels.size(); ++k) counts[i + k] += found[k];
        }
    }
    for (i = 0; i < labels.size(); ++i) counts[i] += rows.alike[labels[i]];
}

} // namespace

void count_byte_labels_portably(std::span<const std::uint8_t, k_cells> cells,
                                std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts) {
    Rows rows;
    take_bytes(cells.data(), rows);
    count_rows(rows, labels, counts);
}

void count_nibble_labels_portably(std::span<const std::uint8_t, k_cells / 2> cells,
                                  std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts) {
    Rows rows;
    take_nibbles(cells.data(), rows);
    count_rows(rows, labels, counts);
}

#if defined(__x86_64__)

namespace {

// The same code again for processors with vectors of 32 bytes, which take half the time.
ORBIS_AVX2 void count_byte_labels_avx2(std::span<const std::uint8_t, k_cells> cells,
                                       std::span<const std::uint8_t> labels,
                                       std::span<std::uint32_t> counts) {
    Rows rows;
    take_bytes(cells.data(), rows);
    count_rows(rows, labels, counts);
}

ORBIS_AVX2 void count_nibble_labels_avx2(std::span<const std::uint8_t, k_cells / 2> cells,
                                         std::span<const std::uint8_t> labels,
                                         std::span<std::uint32_t> counts) {
    Rows rows;
    take_nibbles(cells.data(), rows);
    count_rows(rows, labels, counts);
}

bool has_avx512() {
    static const bool has =
        __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bw") != 0;
    return has;
}

} // namespace

void count_byte_labels(std::span<const std::uint8_t, k_cells> cells, std::span<const std::uint8_t> labels,
                       std::span<std::uint32_t> counts) {
    if (has_avx512() && count_byte_labels_avx512(cells, labels, counts)) return;
    has_avx2() ? count_byte_labels_avx2(cells, labels, counts)
               : count_byte_labels_portably(cells, labels, counts);
}

void count_nibble_labels(std::span<const std::uint8_t, k_cells / 2> cells,
                         std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts) {
    if (has_avx512()) return count_nibble_labels_avx512(cells, labels, counts);
    has_avx2() ? count_nibble_labels_avx2(cells, labels, counts)
               : count_nibble_labels_portably(cells, labels, counts);
}

#else

void count_byte_labels(std::span<const std::uint8_t, k_cells> cells, std::span<const std::uint8_t> labels,
                       std::span<std::uint32_t> counts) {
    count_byte_labels_portably(cells, labels, counts);
}

void count_nibble_labels(std::span<const std::uint8_t, k_cells / 2> cells,
                         std::span<const std::uint8_t> labels, std::span<std::uint32_t> counts) {
    count_nibble_labels_portably(cells, labels, counts);
}

#endif

} // namespace orbis::chunk
