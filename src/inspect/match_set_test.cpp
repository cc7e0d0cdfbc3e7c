#include "inspect/match_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace orbis::inspect {
namespace {

/// Asks for everything, and compares it with the list.
void expect_same(const MatchSet& set, const std::vector<std::uint64_t>& numbers) {
    ASSERT_EQ(set.end_rank(), numbers.size());
    for (auto rank = set.first_rank(); rank < set.end_rank(); ++rank) {
        ASSERT_EQ(set.number(rank), numbers[rank]) << rank;
        ASSERT_EQ(set.rank(numbers[rank]), rank);
        ASSERT_EQ(set.rank(numbers[rank] + 1), rank + 1);
    }
    EXPECT_FALSE(set.number(set.end_rank()));
}

TEST(MatchSet, FindsEachNumberByItsRankAndBack) {
    std::mt19937_64 random(7);
    for (const auto gap : std::initializer_list<std::uint64_t>{1, 2, 63, 1000, 20'000}) {
        MatchSet set;
        std::vector<std::uint64_t> numbers;
        std::uint64_t number = 1;
        for (int i = 0; i < 3000; ++i) {
            set.add(number);
            numbers.push_back(number);
            number += 1 + random() % gap;
        }
        expect_same(set, numbers);
        EXPECT_EQ(set.rank(0), 0U);
        EXPECT_EQ(set.rank(number + 1'000'000), numbers.size());
    }
}

TEST(MatchSet, KeepsRanksOfOthersWhenItForgets) {
    MatchSet set;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = 3; number < 100'000; number += 7) {
        set.add(number);
        numbers.push_back(number);
    }
    const auto before = set.bytes();
    set.forget_before(50'000);
    EXPECT_LT(set.bytes(), before);
    const auto first = set.number(set.first_rank()).value();
    EXPECT_LE(first, 50'000U);
    EXPECT_GT(first, 50'000U - MatchSet::k_block - 7);
    EXPECT_FALSE(set.number(set.first_rank() - 1));
    EXPECT_EQ(set.rank(1), set.first_rank());
    expect_same(set, numbers);
    set.forget_before(1'000'000);
    EXPECT_EQ(set.first_rank(), set.end_rank());
    set.add(2'000'000);
    numbers.push_back(2'000'000);
    expect_same(set, numbers);
}

TEST(MatchSet, TakesLittleForLongStretchesWithoutAny) {
    MatchSet set;
    set.add(1);
    set.add(100'000'000);
    EXPECT_LT(set.bytes(), 1U << 20);
    EXPECT_EQ(set.number(1), 100'000'000U);
    EXPECT_EQ(set.rank(5'000), 1U);
}

} // namespace
} // namespace orbis::inspect
