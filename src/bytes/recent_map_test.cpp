#include "bytes/recent_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orbis {
namespace {

TEST(RecentMap, KeepsWhatWasAskedForLastUpToItsLimit) {
    RecentMap<int, int> map(10);
    map.put(1, 100, 5);
    map.put(2, 200, 5);
    EXPECT_EQ(map.cost(), 10U) << "as much as it may";
    EXPECT_EQ(map.size(), 2U);
    ASSERT_TRUE(map.find(1));
    map.put(3, 300, 1);
    EXPECT_FALSE(map.find(2)) << "1 was asked for since";
    EXPECT_EQ(*map.find(1), 100);
    map.put(1, 101, 2); // in place of the old one
    EXPECT_EQ(*map.find(1), 101);
    EXPECT_EQ(map.cost(), 3U);
    map.put(4, 400, 50);
    EXPECT_EQ(map.size(), 1U);
    EXPECT_EQ(*map.find(4), 400) << "the last one stays, whatever it costs";
    map.erase(4);
    map.erase(4);
    EXPECT_EQ(map.cost(), 0U);
}

TEST(RecentMap, TellsOfAllThatGoesForANewOne) {
    RecentMap<int, std::string, std::map> map(100, 2);
    std::vector<std::string> gone;
    const auto put = [&](int key, std::string value, std::size_t cost) {
        map.put(key, std::move(value), cost, [&](const std::string& dropped) { gone.push_back(dropped); });
    };
    put(1, "one", 1);
    put(1, "another one", 1);
    EXPECT_EQ(gone, (std::vector<std::string>{"one"})) << "of the same key";
    put(2, "two", 1);
    put(3, "three", 1);
    EXPECT_EQ(gone.back(), "another one") << "more than two";
    put(4, "four", 100);
    EXPECT_EQ(gone, (std::vector<std::string>{"one", "another one", "two", "three"}));
    EXPECT_EQ(map.cost(), 100U);
}

TEST(RecentMap, RemovesTheOldestThatMayGoUntilThereAreFewEnough) {
    RecentMap<int, int> map;
    for (int key = 0; key < 6; ++key) map.put(key, 10 * key);
    ASSERT_TRUE(map.find(0)); // now the latest
    std::vector<int> asked;
    map.erase_if(
        [&](int key, int& value) {
            asked.push_back(key);
            ++value;
            return key % 2 == 0;
        },
        4);
    EXPECT_EQ(asked, (std::vector<int>{1, 2, 3, 4})) << "from the oldest on, and no more than needed";
    std::vector<std::pair<int, int>> left;
    map.for_each([&](int key, int value) { left.emplace_back(key, value); });
    EXPECT_EQ(left, (std::vector<std::pair<int, int>>{{0, 0}, {5, 50}, {3, 31}, {1, 11}}));
    map.erase_if([](int, int) { return true; });
    EXPECT_EQ(map.size(), 0U);
    EXPECT_EQ(map.cost(), 0U);
}

} // namespace
} // namespace orbis
