#include "bytes/shell_quote.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

TEST(ShellQuoted, PlainWordsStayAndOthersCanBePasted) {
    EXPECT_EQ(shell_quoted("worlds/default"), "worlds/default");
    EXPECT_EQ(shell_quoted("Wörld"), "Wörld");
    EXPECT_EQ(shell_quoted("My World"), "'My World'");
    EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
    EXPECT_EQ(shell_quoted(""), "''");
}

} // namespace
} // namespace orbis
