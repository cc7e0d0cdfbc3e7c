#include "bytes/joined.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace orbis {
namespace {

TEST(Joined, TheSeparatorStandsOnlyBetweenTexts) {
    EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
    EXPECT_EQ(joined(std::vector<std::string>{"one"}, ", "), "one");
    EXPECT_EQ(joined(std::vector<std::string_view>{"one", "", "three"}, ", "), "one, , three");
    EXPECT_EQ(joined(std::array{"", "two"}, "\n"), "\ntwo");
}

} // namespace
} // namespace orbis
