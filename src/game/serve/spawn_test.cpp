#include "game/serve/spawn.hpp"
#include "packets/shared.hpp"
#include "world/made_world_test.hpp"

namespace orbis::game {
namespace {

/// The world's spawn point is in the chunk 0,-1.
class SpawnTest : public testing::Test {
protected:
    [[nodiscard]] packets::Position newcomers() const {
        const auto place = world::find_location(folder_.path()).value();
        const auto& world = place.worlds.front();
        return find_spawn(world, *world.open({}).value()).newcomers;
    }

    orbis::test::TemporaryFolder folder_;
    world::made::MadeWorld made_{folder_.path()};
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

TEST_F(SpawnTest, IsOnTheGroundWhereTheConfigurationNamesNoHeight) {
    made_.put({0, -1}, 1);
    for (const auto* height : {"0.0", "-1.0", "0.5"}) {
        std::ofstream(folder_ / "config.json") << fmt::format(
            R"({{"Version": 4, "ChunkStorage": {{"Type": "Hytale"}}, "SpawnProvider": {{"Id": "Global",
                "SpawnPoint": {{"X": 1.5, "Y": {}, "Z": -3.5}}}}}})",
            height);
        const auto place = newcomers();
        EXPECT_EQ(place.x, 1.5) << height;
        if (std::string_view(height) == "0.5")
            EXPECT_EQ(place.y, 0.5);
        else
            EXPECT_GT(place.y, 1) << height;
    }
}

} // namespace
} // namespace orbis::game
