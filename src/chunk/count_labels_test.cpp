#include "chunk/count_labels.hpp"
#include "chunk/palette.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace orbis::chunk {
namespace {

/// Labels in runs of all lengths, so that rows and blocks of rows are alike or not.
std::vector<std::uint8_t> random_labels(std::mt19937_64& random, unsigned values) {
    std::vector<std::uint8_t> cells;
    while (cells.size() < k_cells) {
        const auto run = 1 + random() % std::array{3U, 40U, 3000U}[random() % 3];
        cells.insert(cells.end(), run, static_cast<std::uint8_t>(random() % values));
    }
    cells.resize(k_cells);
    return cells;
}

Buffer as_nibbles(const std::vector<std::uint8_t>& cells) {
    Buffer out;
    for (std::size_t i = 0; i < cells.size(); i += 2)
        out.push_back(static_cast<std::uint8_t>(cells[i] << 4 | cells[i + 1]));
    return out;
}

/// Distinct labels below `limit` in any order.
std::vector<std::uint8_t> some_labels(std::mt19937_64& random, unsigned limit) {
    std::vector<std::uint8_t> labels(limit);
    std::iota(labels.begin(), labels.end(), std::uint8_t{0});
    std::ranges::shuffle(labels, random);
    labels.resize(random() % (limit + 1));
    return labels;
}

RC_GTEST_PROP(CountLabels, AgreeWithALoopOverTheCells, (std::uint64_t seed, bool half)) {
    std::mt19937_64 random(seed);
    const auto values = half ? *rc::gen::element(1U, 2U, 5U, 16U) : *rc::gen::element(1U, 7U, 40U, 256U);
    const auto cells = random_labels(random, values);
    const auto labels = some_labels(random, half ? 16 : *rc::gen::element(values, 256U));
    std::vector<std::uint32_t> expected(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
        expected[i] = static_cast<std::uint32_t>(std::ranges::count(cells, labels[i]));
    const auto nibbles = as_nibbles(half ? cells : std::vector<std::uint8_t>(k_cells));
    const std::span<const std::uint8_t, k_cells> bytes(cells);
    const std::span<const std::uint8_t, k_cells / 2> pairs(nibbles);
    std::vector<std::uint32_t> found(labels.size());
    half ? count_nibble_labels(pairs, labels, found) : count_byte_labels(bytes, labels, found);
    RC_ASSERT(found == expected);
    std::ranges::fill(found, 0);
    half ? count_nibble_labels_portably(pairs, labels, found)
         : count_byte_labels_portably(bytes, labels, found);
    RC_ASSERT(found == expected);
}

/// Palettes whose cells name labels that no entry has.
RC_GTEST_PROP(Palette, CountsRunsAndComparesCellsThatNameNoEntry, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const int type = *rc::gen::inRange(1, 4);
    const unsigned limit = type == 1 ? 16 : 256;
    const auto cells = random_labels(random, *rc::gen::element(1U, 3U, 16U, limit));
    const auto labels = some_labels(random, limit);
    Buffer stored{static_cast<std::uint8_t>(type), static_cast<std::uint8_t>(labels.size() >> 8),
                  static_cast<std::uint8_t>(labels.size())};
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (type == 3) stored.push_back(0);
        stored.insert(stored.end(), {labels[i], static_cast<std::uint8_t>(i), 0, 0});
    }
    if (type == 1) {
        const auto nibbles = as_nibbles(cells);
        stored.insert(stored.end(), nibbles.begin(), nibbles.end());
    } else {
        for (const auto cell : cells) {
            if (type == 3) stored.push_back(0);
            stored.push_back(cell);
        }
    }
    RotationPalette palette;
    Error problem;
    Reader in(stored);
    RC_ASSERT(palette.read(in, problem));

    std::vector<std::uint32_t> entries;
    for (const auto cell : cells)
        entries.push_back(static_cast<std::uint32_t>(std::ranges::find(labels, cell) - labels.begin()));
    std::vector<std::uint32_t> counts(labels.size() + 1);
    for (const auto entry : entries) ++counts[entry];
    RC_ASSERT(palette.histogram() == counts);

    std::vector<std::uint32_t> by_runs;
    std::uint32_t last = ~0U;
    palette.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
        RC_ASSERT(static_cast<std::size_t>(first.value) == by_runs.size());
        RC_ASSERT(entry != last);
        by_runs.resize(static_cast<std::size_t>(end.value), entry);
        last = entry;
    });
    RC_ASSERT(by_runs == entries);
}

} // namespace
} // namespace orbis::chunk
