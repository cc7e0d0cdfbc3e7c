#include "support/shared.hpp"
#include "world/spots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::world {
namespace {

namespace fs = std::filesystem;

class SpotsTest : public testing::Test {
protected:
    void put(const fs::path& name, std::string_view text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    [[nodiscard]] World world(const fs::path& name) const {
        return find_location(folder_ / name).value().worlds.at(0);
    }
    static std::vector<BlockPos> blocks(const Spots& spots) {
        std::vector<BlockPos> out;
        for (const auto& spot : spots.spots) out.push_back(spot.block());
        return out;
    }

    test::TemporaryFolder folder_;
};

TEST_F(SpotsTest, EveryKindOfSpawnProviderIsUnderstood) {
    put("a/config.json", R"({"SpawnProvider":{"Id":"Global","SpawnPoint":{"X":-0.5,"Y":10.0,"Z":3}}})");
    EXPECT_EQ(blocks(spawn_points(world("a"))), (std::vector<BlockPos>{{-1, 10, 3}}));
    put("b/config.json", R"({"SpawnProvider":{"Id":"FitToHeightMap","SpawnProvider":{"Id":"Individual",
        "SpawnPoints":[{"X":1.0,"Y":2.0,"Z":3.0},{"X":-40.0,"Y":5.0,"Z":6.0}]}}})");
    EXPECT_EQ(blocks(spawn_points(world("b"))), (std::vector<BlockPos>{{1, 2, 3}, {-40, 5, 6}}));
    put("c/config.json", R"({"Version":1,"SpawnPoint":{"X":7.0,"Y":8.0,"Z":9.0}})");
    EXPECT_EQ(blocks(spawn_points(world("c"))), (std::vector<BlockPos>{{7, 8, 9}}));
}

TEST_F(SpotsTest, AWorldWithoutASpawnPointSaysSo) {
    put("a/config.json", "{}");
    const auto found = spawn_points(world("a"));
    EXPECT_TRUE(found.spots.empty());
    ASSERT_EQ(found.problems.size(), 1U);
    EXPECT_EQ(found.problems[0].code, Errc::not_found);
}

TEST_F(SpotsTest, PlayersAreWhereTheyWereLastInEachWorld) {
    put("u/worlds/here/config.json", "{}");
    put("u/players/1.json", R"({"Components":{"Player":{"PlayerData":{"World":"here","PerWorldData":{}}},
        "Transform":{"Position":{"X":10.5,"Y":64.0,"Z":-20.5}},"Nameplate":{"Text":"Ann"}}})");
    put("u/players/2.json", R"({"Components":{"Player":{"PlayerData":{"World":"elsewhere",
        "PerWorldData":{"here":{"LastPosition":{"X":100.0,"Y":1.0,"Z":2.0}}}}},
        "Transform":{"Position":{"X":1.0,"Y":2.0,"Z":3.0}}}})");
    for (const auto* path : {"u", "u/worlds/here"}) { // also when the world itself is named
        const auto found = player_positions(world(path));
        EXPECT_TRUE(found.problems.empty());
        ASSERT_EQ(blocks(found), (std::vector<BlockPos>{{10, 64, -21}, {100, 1, 2}}));
        EXPECT_EQ(found.spots[0].name, "Ann");
        EXPECT_EQ(found.spots[1].name, "2");
    }
}

TEST_F(SpotsTest, APlayerWhoseFileIsBrokenIsReadFromTheCopyOrReported) {
    put("u/worlds/here/config.json", "{}");
    put("u/players/1.json", "{");
    put("u/players/1.json.bak", R"({"Components":{"Player":{"PlayerData":{"World":"here"}},
        "Transform":{"Position":{"X":5.0,"Y":6.0,"Z":7.0}}}})");
    put("u/players/2.json", "[[[[");
    const auto found = player_positions(world("u"));
    EXPECT_EQ(blocks(found), (std::vector<BlockPos>{{5, 6, 7}}));
    ASSERT_EQ(found.problems.size(), 1U);
    EXPECT_TRUE(found.problems[0].file.ends_with("2.json")) << found.problems[0].file;
}

TEST_F(SpotsTest, AWorldOnItsOwnHasPlayersThatNobodyKnows) {
    put("alone/config.json", "{}");
    EXPECT_EQ(player_positions(world("alone")).problems.size(), 1U);
    put("u/worlds/here/config.json", "{}");
    EXPECT_TRUE(player_positions(world("u")).problems.empty()) << "nobody has joined this one yet";
}

TEST_F(SpotsTest, MarkersOfBlocksAndOfPlayersAreFound) {
    put("a/config.json", "{}");
    put("a/resources/BlockMapMarkers.json",
        R"({"Markers":{"123":{"Position":{"X":1,"Y":2,"Z":3},"Name":"Inn","Icon":"x"}}})");
    put("a/resources/SharedUserMapMarkers.json",
        R"({"UserMarkers":[{"Id":"m","X":-70.5,"Z":9.0,"Name":"Mine"}]})");
    const auto found = map_markers(world("a"));
    EXPECT_EQ(blocks(found), (std::vector<BlockPos>{{1, 2, 3}, {-71, 0, 9}}));
    EXPECT_EQ(found.spots.at(0).name, "Inn");
}

TEST_F(SpotsTest, WarpsAreThoseOfTheirWorld) {
    put("u/worlds/here/config.json", "{}");
    EXPECT_TRUE(warps(world("u")).spots.empty());
    put("u/warps.json", R"({"Warps":[{"Id":"inn","World":"here","X":1.5,"Y":2.0,"Z":-3.5},
        {"Id":"far","World":"there","X":1.0,"Y":2.0,"Z":3.0},{"Id":"lost","World":"here"}]})");
    for (const auto* path : {"u", "u/worlds/here"}) {
        const auto found = warps(world(path));
        ASSERT_EQ(blocks(found), (std::vector<BlockPos>{{1, 2, -4}}));
        EXPECT_EQ(found.spots[0].name, "inn");
    }
    put("u/warps.json", "{");
    EXPECT_EQ(warps(world("u")).problems.size(), 1U);
    put("alone/config.json", "{}");
    EXPECT_TRUE(warps(world("alone")).problems.empty());
}

TEST_F(SpotsTest, PointsOutsideOfAnyWorldAreClamped) {
    EXPECT_EQ((Spot{1e300, -1e300, 0, ""}.block()), (BlockPos{2147483647, -2147483647 - 1, 0}));
}

TEST_F(SpotsTest, SpawnProvidersNestExactlyAsDeepAsTheyMay) {
    std::string provider = R"({"SpawnPoint":{"X":1,"Y":2,"Z":3}})";
    for (int depth = 1; depth <= 9; ++depth) { // the configuration itself is the outermost
        provider = R"({"SpawnProvider":)" + provider + "}";
        put("a/config.json", provider);
        EXPECT_EQ(spawn_points(world("a")).spots.size(), depth <= 8 ? 1U : 0U) << depth;
    }
}

TEST_F(SpotsTest, ThePlayersOwnNameComesFirstAndFilesInTheirOrder) {
    put("u/worlds/here/config.json", "{}");
    const auto player = [&](const char* file, std::string_view names) {
        put(fs::path("u/players") / file,
            std::string(R"({"Components":{)") + std::string(names)
                + R"("Player":{"PlayerData":{"World":"here"}},"Transform":{"Position":{"X":1,"Z":2}}}})");
    };
    player("c.json", R"("DisplayName":{"DisplayName":{"RawText":"Display"}},"Nameplate":{"Text":"Plate"},)");
    player("a.json", R"("Nameplate":{"Text":"Plate"},)");
    player("b.json.bak", "");
    player("d.json", R"("DisplayName":{"DisplayName":{"RawText":""}},)");
    player("d.json.bak", R"("Nameplate":{"Text":"old copy"},)");
    const auto found = player_positions(world("u"));
    EXPECT_TRUE(found.problems.empty());
    std::vector<std::string> names;
    for (const auto& spot : found.spots) {
        names.push_back(spot.name);
        EXPECT_EQ(spot.block(), (BlockPos{1, 0, 2})) << "without a height";
    }
    EXPECT_EQ(names, (std::vector<std::string>{"Plate", "b", "Display", "d"}));
}

TEST_F(SpotsTest, APlayerIsShownHereAndWhereTheyWereLast) {
    put("u/worlds/here/config.json", "{}");
    put("u/players/1.json", R"({"Components":{"Player":{"PlayerData":{"World":"here",
        "PerWorldData":{"here":{"LastPosition":{"X":7,"Y":8,"Z":9}},"there":{"LastPosition":{"X":1,"Y":1,"Z":1}}}}},
        "Transform":{"Position":{"X":-0.1,"Y":64.9,"Z":-32.0}}}})");
    EXPECT_EQ(blocks(player_positions(world("u"))), (std::vector<BlockPos>{{-1, 64, -32}, {7, 8, 9}}));
}

TEST_F(SpotsTest, MarkersThatCannotBeReadAreToldAndTheOthersShown) {
    put("a/config.json", "{}");
    put("a/resources/BlockMapMarkers.json", "{");
    put("a/resources/SharedUserMapMarkers.json",
        R"({"UserMarkers":[5,{"Name":"nowhere"},{"X":1,"Z":2},{"X":3}]})");
    const auto found = map_markers(world("a"));
    EXPECT_EQ(found.problems.size(), 1U);
    EXPECT_EQ(blocks(found), (std::vector<BlockPos>{{1, 0, 2}}));
}

TEST_F(SpotsTest, WhatIsNoNumberIsAtZero) {
    EXPECT_EQ((Spot{std::nan(""), 2147483647.9, -2147483648.0, ""}.block()),
              (BlockPos{0, 2147483647, -2147483647 - 1}));
    EXPECT_EQ((Spot{-0.0, -1.0, -1.0001, ""}.block()), (BlockPos{0, -1, -2}));
}

} // namespace
} // namespace orbis::world
