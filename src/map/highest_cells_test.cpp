#include "map/highest_cells.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace orbis::map {
namespace {

std::vector<std::int32_t> by_plain_loop(const chunk::KeyPalette& palette, std::vector<std::int32_t> cells) {
    for (std::size_t entry = 0; entry < cells.size(); ++entry) {
        if (cells[entry] != k_cell_wanted) continue;
        cells[entry] = k_no_cell;
        for (int y = k_side - 1; y >= 0 && cells[entry] == k_no_cell; --y)
            for (int i = y << 10; i < (y + 1) << 10 && cells[entry] == k_no_cell; ++i)
                if (palette.entry_at(CellIndex(i)) == entry) cells[entry] = i;
    }
    return cells;
}

TEST(HighestCells, AreThoseOfAPlainLoopForEveryWidthOfLabels) {
    std::mt19937 random(3);
    for (const int keys : {1, 2, 9, 16, 40, 200, 300}) {
        chunk::KeyPalette palette;
        std::vector<std::string> names;
        for (int i = 0; i < keys; ++i) names.push_back("Key_" + std::to_string(i));
        for (const auto& name : names)
            for (auto times = random() % 3 + 1; times > 0; --times)
                palette.set(CellIndex(static_cast<int>(random() % k_cells)), name);
        for (int round = 0; round < 3; ++round) {
            std::vector<std::int32_t> cells(palette.entries().size(), 77);
            for (auto& cell : cells)
                if (random() % 2 == 0) cell = k_cell_wanted;
            const auto expected = by_plain_loop(palette, cells);
            find_highest_cells(palette, cells);
            EXPECT_EQ(cells, expected) << keys << " keys, kind " << static_cast<int>(palette.kind());
        }
    }
}

TEST(HighestCells, AnEntryThatNoCellHoldsHasNone) {
    Buffer stored{1, 0, 2, 0, 0, 5, 'E', 'm', 'p', 't', 'y', 0x7F, 0xFF, 3, 0, 1, 'X', 0, 1};
    stored.resize(stored.size() + 16384);
    Reader in(stored);
    Error problem;
    chunk::KeyPalette palette;
    ASSERT_TRUE(palette.read(in, problem)) << problem.text();
    std::vector<std::int32_t> cells{k_no_cell, k_cell_wanted};
    find_highest_cells(palette, cells);
    EXPECT_EQ(cells, (std::vector<std::int32_t>{k_no_cell, k_no_cell}));
}

} // namespace
} // namespace orbis::map
