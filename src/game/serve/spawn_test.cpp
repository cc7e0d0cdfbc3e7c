#include "chunk/chunk.hpp"
#include "game/serve/served_game.hpp"
#include "game/serve/served_world.hpp"
#include "game/serve/spawn.hpp"
#include "net/simulated_loop.hpp"
#include "packets/shared.hpp"
#include "world/made_world_test.hpp"

namespace orbis::game {
namespace {

/// The world's spawn point is in the chunk 0,-1.
class SpawnTest : public testing::Test {
protected:
    [[nodiscard]] SpawnPoints points() const {
        const auto place = world::find_location(folder_.path()).value();
        const auto& world = place.worlds.front();
        return find_spawn(world, *world.open({}).value());
    }
    [[nodiscard]] packets::Position newcomers() const { return points().newcomers; }

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

TEST_F(SpawnTest, IsInTheChunkNearestToTheMiddleOfAll) {
    for (const ChunkPos pos : {ChunkPos{40, 10}, {41, 10}, {50, 30}, {42, 12}}) made_.put(pos, 2);
    const auto found = points();
    EXPECT_TRUE(found.has_land);
    EXPECT_TRUE(found.problems.empty());
    EXPECT_EQ(found.newcomers.x, 42 * 32 + 16.5) << "the middle is 43.25,15.5";
    EXPECT_EQ(found.newcomers.z, 12 * 32 + 16.5);
}

TEST(SpawnOfPlayers, IsWhereEachWasLast) {
    const orbis::test::TemporaryFolder folder;
    {
        world::made::MadeWorld(folder / "worlds/here").put({0, -1}, 1);
    }
    std::filesystem::create_directories(folder / "players");
    std::ofstream(folder / "players/1.json") << R"({"Components":{"Player":{"PlayerData":{"World":"here"}},
        "Transform":{"Position":{"X":10.5,"Y":64.0,"Z":-20.5}},"Nameplate":{"Text":"Ann"}}})";
    GameEvents events;
    const auto loop = net::SimulatedLoop::make().value();
    ServedGame game(*loop, {}, events);
    ASSERT_TRUE(game.open(world::find_location(folder.path()).value().worlds));
    const auto& served = *game.worlds().front();
    const auto known = served.spawn_of("Ann");
    EXPECT_EQ(known.x, 10.5);
    EXPECT_EQ(known.y, 64);
    EXPECT_EQ(known.z, -20.5);
    for (const auto* name : {"ann", "Bob", ""}) {
        const auto other = served.spawn_of(name);
        EXPECT_EQ(other.x, 1.5) << name;
        EXPECT_EQ(other.y, 70) << name;
        EXPECT_EQ(other.z, -3.5) << name;
    }
}

TEST_F(SpawnTest, IsHighUpWhereNothingIsKnown) {
    const auto empty = points();
    EXPECT_FALSE(empty.has_land);
    EXPECT_EQ(empty.newcomers.x, 16.5);
    EXPECT_EQ(empty.newcomers.y, 128);
    EXPECT_EQ(empty.newcomers.z, 16.5);
    EXPECT_TRUE(empty.players.empty());
    made_.put({3, 4}, as_bytes("no chunk at all"));
    const auto unreadable = points();
    EXPECT_TRUE(unreadable.has_land);
    EXPECT_EQ(unreadable.newcomers.x, 3 * 32 + 16.5);
    EXPECT_EQ(unreadable.newcomers.y, 128);
    EXPECT_EQ(unreadable.newcomers.z, 4 * 32 + 16.5);
}

TEST_F(SpawnTest, IsOnTopOfTheHighestBlock) {
    auto chunk = chunk::Chunk::create();
    ASSERT_TRUE(chunk.set_block({16, 77, 16}, {"Rock_Stone", {}, {}}));
    ASSERT_TRUE(chunk.recompute_heights([](std::string_view block) { return block == "Empty"; }));
    Buffer out;
    made_.put({3, 0}, chunk.encode(out).value());
    EXPECT_EQ(newcomers().y, 78);
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
