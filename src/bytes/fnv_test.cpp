#include "bytes/fnv.hpp"

#include <gtest/gtest.h>

namespace orbis {
namespace {

TEST(Fnv, IsThatOfItsInventors) {
    EXPECT_EQ(fnv1a_32(""), 0x811C9DC5U);
    EXPECT_EQ(fnv1a_32("foobar"), 0xBF9CF968U);
    EXPECT_EQ(fnv1a_64({}), 0xCBF29CE484222325U);
    EXPECT_EQ(fnv1a_64(as_bytes("foobar")), 0x85944171F73967E8U);
    EXPECT_EQ(fnv1a_64(as_bytes("bar"), fnv1a_64(as_bytes("foo"))), fnv1a_64(as_bytes("foobar")));
}

} // namespace
} // namespace orbis
