#include "bytes/content_hash.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace orbis {
namespace {

TEST(ContentHash, ReadsBackFromItsText) {
    const auto hash = content_hash(as_bytes("abc"));
    EXPECT_EQ(parse_hash(hash_text(hash)), hash);
    EXPECT_EQ(hash_text(0x1a), "000000000000001a");
    for (const auto* text : {"", "1a", "000000000000001A", "000000000000001g", "0000000000000001a"})
        EXPECT_FALSE(parse_hash(text)) << text;
    EXPECT_NE(content_hash({}), 0U);
}

TEST(ContentHash, OnlyItsOwnTextIsOne) {
    EXPECT_EQ(hash_text(0xAB), "00000000000000ab");
    EXPECT_EQ(parse_hash("00000000000000ab"), 0xABU);
    EXPECT_EQ(parse_hash("ffffffffffffffff"), ~std::uint64_t{0});
    for (const auto* text : {"", "ab", "00000000000000AB", "00000000000000ag", "000000000000000ab",
                             "0x000000000000ab", "00000000000000a"})
        EXPECT_EQ(parse_hash(text), std::nullopt) << text;
    ContentHasher parts;
    parts.add(as_bytes("some "));
    parts.add({});
    parts.add(as_bytes("bytes"));
    EXPECT_EQ(parts.hash(), content_hash(as_bytes("some bytes")));
    EXPECT_NE(content_hash(as_bytes("a")), content_hash(as_bytes("b")));
}

} // namespace
} // namespace orbis
