#include "bytes/shell_quote.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

TEST(ShellQuoted, EveryCharacterThatAShellActsOnIsQuoted) {
    const std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    for (int c = 1; c < 0x80; ++c) {
        const std::string word{'a', static_cast<char>(c)};
        const bool stays = plain.find(static_cast<char>(c)) != std::string_view::npos;
        EXPECT_EQ(shell_quoted(word) == word, stays) << c;
    }
}

} // namespace
} // namespace orbis
