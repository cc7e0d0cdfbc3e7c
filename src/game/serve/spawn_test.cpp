#include "game/serve/spawn.hpp"
#include "map/made_world_test.hpp"
#include "packets/shared.hpp"

namespace orbis::game {
namespace {

/// The world's spawn point is in the chunk 0,-1.
class SpawnTest : public testing::Test {
protected:
    [[nodiscard]] packets::Position newcomers() const {
        const auto place = world::find_place(folder_.path()).value();
        const auto& world = place.worlds.front();
        return find_spawn(world, *world.open({}).value()).newcomers;
    }

    orbis::test::TemporaryFolder folder_;
    map::made::MadeWorld made_{folder_.path()};
};

TEST_F(SpawnTest, IsWhereTheConfigurationSays) {
    made_.put({0, -1}, 1);
    made_.put({40, 40}, 2);
    const auto place = newcomers();
    EXPECT_EQ(place.x, 1.5);
    EXPECT_EQ(place.y, 70);
    EXPECT_EQ(place.z, -3.5);
}

TEST_F(SpawnTest, IsOnLandWhereTheConfigurationNamesAPlaceWithout) {
    made_.put({40, 40}, 2);
    const auto place = newcomers();
    EXPECT_EQ(place.x, 40 * 32 + 16.5);
    EXPECT_EQ(place.z, 40 * 32 + 16.5);
    EXPECT_LT(place.y, 40);
}

} // namespace
} // namespace orbis::game
