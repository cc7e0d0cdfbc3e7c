#include "bytes/json_writer.hpp"
#include "bytes/printable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orbis {
namespace {

TEST(Printable, TextStaysAndWhatActsIsShown) {
    EXPECT_EQ(printable("Soil_Grass, größer, 世界 🎲"), "Soil_Grass, größer, 世界 🎲");
    EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
    EXPECT_EQ(printable("a\r\nb\tc\x7f"), "a\\x0d\\nb\\tc\\x7f");
    EXPECT_EQ(printable("a\tb", true), "a\tb");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J"),
              "\\u009b2J")
        << "the same as ESC [";
    EXPECT_EQ(printable("\xe2\x80\xae"
                        "gpj.exe"),
              "\\u202egpj.exe");
    EXPECT_EQ(printable("a\xe2\x80\xa8"
                        "b"),
              "a\\u2028b");
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xc2\xa0\xc3\xa4"), "\xc2\xa0\xc3\xa4");
}

TEST(Printable, JsonHasNothingThatActsEither) {
    EXPECT_EQ(json_quoted("a\x1b[2J\x7f"), "\"a\\u001b[2J\\u007f\"");
    EXPECT_EQ(json_quoted("\xc2\x9b"
                          "2J\xc3\xa4"),
              "\"\\u009b2J\xc3\xa4\"");
}

std::string utf8_of(char32_t code) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
    if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
    return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST(Printable, ExactlyWhatActsIsShown) {
    const std::vector<std::pair<char32_t, char32_t>> acting{
        {0, 0x1F},        {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF}};
    for (char32_t code = 0; code < 0x11000; ++code) {
        if (code >= 0xD800 && code < 0xE000) continue; // surrogates have no form of their own
        const bool acts = std::ranges::any_of(
            acting, [&](const auto& range) { return code >= range.first && code <= range.second; });
        const auto text = utf8_of(code);
        ASSERT_EQ(printable(text) != text, acts) << static_cast<std::uint32_t>(code);
        const bool is_escaped = code < 0x20 || (code >= 0x7F && code < 0xA0) || code == '"' || code == '\\';
        ASSERT_EQ(json_quoted(text) != "\"" + text + "\"", is_escaped) << static_cast<std::uint32_t>(code);
    }
}

} // namespace
} // namespace orbis
