#include "net/lazy_pages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace orbis::net {
namespace {

TEST(LazyPages, BlocksDoNotOverlapAndZerosAreZeros) {
    LazyPages pages;
    std::mt19937_64 random(1);
    struct Block {
        unsigned char* start;
        std::size_t size;
        unsigned char mark;
    };
    std::vector<Block> blocks;
    for (int turn = 0; turn < 20'000; ++turn) {
        const auto choice = random() % 5;
        if (choice < 2 || blocks.empty()) {
            const auto size = 1 + random() % 20'000;
            const bool zeros = random() % 2 == 0;
            auto* start =
                static_cast<unsigned char*>(zeros ? pages.allocate_zeros(size) : pages.allocate(size));
            ASSERT_NE(start, nullptr);
            if (zeros) {
                ASSERT_TRUE(std::all_of(start, start + size, [](unsigned char byte) { return byte == 0; }));
            }
            blocks.push_back({start, size, static_cast<unsigned char>(random())});
        } else {
            const auto at = random() % blocks.size();
            auto& block = blocks[at];
            ASSERT_EQ(block.start[0], block.mark);
            ASSERT_EQ(block.start[block.size - 1], block.mark);
            if (choice == 2) {
                const auto size = 1 + random() % 20'000;
                const auto kept = std::min(size, block.size);
                block.start = static_cast<unsigned char*>(pages.resize(block.start, size));
                ASSERT_EQ(block.start[0], block.mark);
                ASSERT_EQ(block.start[kept - 1], block.mark);
                block.size = size;
            } else {
                pages.release(block.start);
                blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
                continue;
            }
        }
        auto& block = choice == 2 && !blocks.empty() ? blocks[0] : blocks.back();
        std::memset(block.start, block.mark, block.size);
        if (choice == 2)
            for (auto& each : blocks) std::memset(each.start, each.mark, each.size);
    }
    for (const auto& block : blocks) pages.release(block.start);
    pages.release(nullptr);
}

} // namespace
} // namespace orbis::net
