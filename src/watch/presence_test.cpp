#include "support/shared.hpp"
#include "watch/folder_stamps.hpp"
#include "watch/hash_file.hpp"
#include "watch/presence.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace orbis::watch {
namespace {

TEST(Presence, KnowsWhichTilesHaveChunksOnEveryLevel) {
    std::mt19937 random(7);
    Presence presence;
    std::vector<ChunkPos> chunks;
    for (int i = 0; i < 40; ++i) {
        const ChunkPos pos{static_cast<int>(random() % 4000) - 2000,
                           static_cast<int>(random() % 4000) - 2000};
        chunks.push_back(pos);
        auto region = presence.get(pos.region());
        region.set(static_cast<std::size_t>(pos.slot().value));
        presence.set(pos.region(), region);
    }
    for (int level = 0; level < 10; ++level) {
        std::set<TilePos> expected;
        for (const auto pos : chunks) expected.insert({pos.x >> (4 + level), pos.z >> (4 + level)});
        for (int i = 0; i < 2000; ++i) {
            const int side = 300 >> level;
            const auto width = static_cast<unsigned>(2 * side + 3);
            TilePos pos{static_cast<int>(random() % width) - side - 1,
                        static_cast<int>(random() % width) - side - 1};
            ASSERT_EQ(presence.has(level, pos), expected.contains(pos))
                << level << " " << pos.x << " " << pos.z;
        }
        for (const auto pos : expected) ASSERT_TRUE(presence.has(level, pos));
    }
    EXPECT_LE(presence.chunks(), 40U);
    presence.set(chunks[0].region(), {});
    EXPECT_FALSE(presence.has(1, {chunks[0].x >> 5, chunks[0].z >> 5}));
}

TEST(Presence, BoundsAreTheOutermostChunksOfAll) {
    Presence presence;
    const std::vector<ChunkPos> chunks{{-40, 3}, {7, -33}, {65, 2}, {8, 97}};
    for (const auto pos : chunks) {
        auto region = presence.get(pos.region());
        region.set(static_cast<std::size_t>(pos.slot().value));
        presence.set(pos.region(), region);
    }
    ASSERT_TRUE(presence.bounds());
    EXPECT_EQ(presence.bounds()->min, (ChunkPos{-40, -33}));
    EXPECT_EQ(presence.bounds()->max, (ChunkPos{65, 97}));
    EXPECT_EQ(presence.chunks(), 4U);
    EXPECT_EQ(presence.regions(), 4U);
}

TEST(Presence, BoundsAreOfChunksThatCanBeDrawn) {
    EXPECT_FALSE(Presence().bounds());
    Presence far_out;
    far_out.set({1 << 25, 0}, RegionChunks(1));
    EXPECT_FALSE(far_out.bounds()) << "chunks that cannot be drawn do not count";
}

TEST(Presence, ATileHasItsOwnRegionsAndNotThoseBesideIt) {
    Presence presence;
    const auto put = [&](RegionPos region) { presence.set(region, RegionChunks(1)); };
    // A tile of level 3 shows four regions by four: this one from 4,4 to 7,7.
    for (const RegionPos beside : {RegionPos{3, 4}, RegionPos{4, 3}, RegionPos{5, 8}, RegionPos{6, 3},
                                   RegionPos{7, 8}, RegionPos{8, 4}, RegionPos{8, 7}})
        put(beside);
    EXPECT_FALSE(presence.has(3, {1, 1}));
    EXPECT_EQ(presence.regions(), 7U);
    for (const RegionPos corner : {RegionPos{4, 4}, RegionPos{4, 7}, RegionPos{7, 4}, RegionPos{7, 7}}) {
        put(corner);
        EXPECT_TRUE(presence.has(3, {1, 1})) << corner.x << " " << corner.z;
        presence.set(corner, {});
        EXPECT_FALSE(presence.has(3, {1, 1}));
    }
    EXPECT_EQ(presence.regions(), 7U) << "one without chunks is none";
    EXPECT_TRUE(presence.get({4, 4}).none());
    // Of one region each tile of level 0 shows a quarter.
    Presence quarters;
    RegionChunks last;
    last.set(static_cast<std::size_t>(ChunkPos{15, 16}.slot().value));
    quarters.set({-1, 0}, last);
    EXPECT_TRUE(quarters.has(0, {-2, 1}));
    for (const TilePos other : {TilePos{-1, 1}, TilePos{-2, 0}, TilePos{-1, 0}, TilePos{0, 1}})
        EXPECT_FALSE(quarters.has(0, other)) << other.x << " " << other.z;
}

TEST(Presence, TheEndsOfTheWorldAreEnds) {
    constexpr auto k_least = std::numeric_limits<std::int32_t>::min();
    constexpr auto k_most = std::numeric_limits<std::int32_t>::max();
    Presence presence;
    presence.set({k_most, 5}, RegionChunks(1));
    presence.set({k_least, k_least}, RegionChunks(1));
    EXPECT_TRUE(presence.has(1, {k_most, 5}));
    EXPECT_FALSE(presence.has(1, {k_most, 4}));
    EXPECT_FALSE(presence.has(1, {k_most, 6}));
    EXPECT_TRUE(presence.has(1, {k_least, k_least}));
    EXPECT_FALSE(presence.has(1, {k_least, k_most}));
    EXPECT_TRUE(presence.has(2, {k_most >> 1, 2}));
    EXPECT_TRUE(presence.has(32, {-1, -1}));
    EXPECT_TRUE(presence.has(32, {0, 0}));
    EXPECT_FALSE(presence.has(32, {0, -1}));
    EXPECT_FALSE(presence.has(32, {-1, 0}));
}

TEST(Presence, ChunksAtTheEdgeOfWhatCanBeDrawnCount) {
    const auto bounds_with = [](ChunkPos pos) {
        Presence presence;
        RegionChunks chunks;
        chunks.set(static_cast<std::size_t>(pos.slot().value));
        presence.set(pos.region(), chunks);
        return presence.bounds();
    };
    const ChunkPos pos{-33, 1023};
    ASSERT_TRUE(bounds_with(pos));
    EXPECT_EQ(bounds_with(pos)->min, pos);
    EXPECT_EQ(bounds_with(pos)->max, pos);
    Presence presence;
    presence.set({0, 0}, RegionChunks(1));
    presence.set({1 << 25, 0}, RegionChunks(1)); // too far to be drawn
    EXPECT_EQ(presence.bounds()->max, (ChunkPos{0, 0}));
    EXPECT_EQ(presence.chunks(), 2U);
}

TEST(HashFile, GivesBackWhatWasPutLastAndLeavesNoName) {
    const orbis::test::TemporaryFolder folder;
    auto file = HashFile::make(folder.path()).value();
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    const auto filled = [](std::uint64_t value) {
        storage::RegionHashes hashes;
        hashes.fill(value);
        hashes.back() = value + 1;
        return hashes;
    };
    EXPECT_FALSE(file.get({0, 0}));
    ASSERT_TRUE(file.put({0, 0}, filled(1)));
    ASSERT_TRUE(file.put({-1, 7}, filled(10)));
    EXPECT_EQ(file.get({0, 0}), filled(1));
    EXPECT_EQ(file.get({-1, 7}), filled(10));
    ASSERT_TRUE(file.put({0, 0}, filled(100)));
    EXPECT_EQ(file.get({0, 0}), filled(100));
    EXPECT_EQ(file.get({-1, 7}), filled(10)) << "each region has its own place";
    EXPECT_FALSE(file.get({7, -1}));
    const auto refused = HashFile::make(folder / "nowhere");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().file, (folder / "nowhere").string());
}

TEST(FolderStamps, FilesAndFoldersAreToldApartAndAMissingFolderIsEmpty) {
    const orbis::test::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "sub/deep");
    std::ofstream(folder / "file") << "12345";
    std::ofstream(folder / "sub/inner") << "1";
    std::filesystem::create_symlink(folder / "file", folder / "link");
    std::filesystem::create_symlink(folder / "nowhere", folder / "broken");
    FileStamps folders;
    const auto files = stamps_in(folder.path(), &folders).value();
    ASSERT_EQ(files.size(), 2U) << "a link counts as what it leads to";
    EXPECT_EQ(files.at("file").size, 5U);
    EXPECT_EQ(files.at("link"), files.at("file"));
    EXPECT_EQ(folders.size(), 1U);
    EXPECT_TRUE(folders.contains("sub"));
    EXPECT_EQ(folders_in(folder.path()), folders);
    EXPECT_TRUE(stamps_in(folder / "nowhere").value().empty());
    EXPECT_TRUE(folders_in(folder / "nowhere").empty());
    const auto refused = stamps_in(folder / "file");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::not_found);
    EXPECT_EQ(refused.error().file, (folder / "file").string());
    EXPECT_EQ(refused.error().advice, "this is not a folder: move it away, or restore a backup");
}

} // namespace
} // namespace orbis::watch
