#include "bytes/sha256.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

TEST(Sha256, IsThatOfTheStandard) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PartsAreHashedAsOne) {
    EXPECT_EQ(sha256({as_bytes("a"), {}, as_bytes("bc")}), sha256(as_bytes("abc")));
    EXPECT_NE(sha256({as_bytes("bc"), as_bytes("a")}), sha256(as_bytes("abc")));
}

} // namespace
} // namespace orbis
