#include "game/codec/carried_chunk_test.hpp"
#include "support/real_chunks.hpp"
#include "support/shared.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

namespace orbis::game {
namespace {

/// Of one region file each.
class RealColumns : public testing::TestWithParam<std::filesystem::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealColumns);
INSTANTIATE_TEST_SUITE_P(Of, RealColumns, testing::ValuesIn(test::real_region_files()));

TEST_P(RealColumns, ComeBackFromTheWireAsTheyWere) {
    WireIds ids(world::Assets::built_in());
    chunk::Chunk source;
    chunk::Chunk got;
    Buffer out;
    test::for_each_real_chunk(GetParam(), [&](Bytes document) {
        ASSERT_TRUE(source.read(document, k_sent_parts));
        ASSERT_NO_FATAL_FAILURE(test_chunks::carry(source, ids, got));
        ASSERT_NO_FATAL_FAILURE(test_chunks::expect_equal(source, got));
        // What came back is a chunk that can be stored and read again.
        const auto encoded = got.encode(out);
        ASSERT_TRUE(encoded) << encoded.error().text();
        chunk::Chunk stored;
        ASSERT_TRUE(stored.read(*encoded));
        for (const auto& problem : stored.problems()) ADD_FAILURE() << problem.text();
        for (const auto& problem : stored.check()) ADD_FAILURE() << problem.text();
        for (int y = 0; y < k_sections; ++y)
            ASSERT_EQ(stored.section(y).local_light_valid(), source.section(y).local_light_valid());
    });
}

} // namespace
} // namespace orbis::game
