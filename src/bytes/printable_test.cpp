#include "bytes/json_writer.hpp"
#include "bytes/printable.hpp"

#include <gtest/gtest.h>

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

} // namespace
} // namespace orbis
