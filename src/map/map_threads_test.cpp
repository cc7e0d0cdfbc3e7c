#include "map/map_folder_test.hpp"

namespace orbis::map {
namespace {

using made::few_layers;
using made::referenced;

class MapThreadsTest : public made::MapTest {};

TEST_F(MapThreadsTest, MakeTheSameMap) {
    for (int z = -2; z < 3; ++z)
        for (int x = -2; x < 3; ++x) // one and a half regions each way, and their neighbours
            world_.put({x * 17, z * 13}, static_cast<std::uint32_t>(x * 5 + z + 40));
    world_.put({3, 3}, as_bytes("no document"));
    ASSERT_TRUE(update("one", few_layers(1)));
    const auto expected = referenced(map("one"));
    for (const std::size_t threads : {2U, 4U}) {
        const auto name = fmt::format("threads {}", threads);
        const auto done = update(name, few_layers(threads));
        ASSERT_TRUE(done);
        EXPECT_EQ(done->chunks_unreadable, 1U);
        EXPECT_EQ(referenced(map(name)), expected);
        world_.put({17, 13}, 99); // and what they make again
        ASSERT_TRUE(update(name, few_layers(threads)));
        const auto fresh = name + ", fresh";
        ASSERT_TRUE(update(fresh, few_layers(1)));
        EXPECT_EQ(referenced(map(name)), referenced(map(fresh)));
        world_.put({17, 13}, static_cast<std::uint32_t>(1 * 5 + 1 + 40));
    }
}

} // namespace
} // namespace orbis::map
