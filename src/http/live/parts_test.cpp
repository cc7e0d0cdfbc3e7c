#include "http/live/cache_folder.hpp"
#include "http/live/changes.hpp"
#include "http/live/search.hpp"
#include "http/live/tile_cache.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <random>
#include <unistd.h>

namespace orbis::http {
namespace {

namespace fs = std::filesystem;

TEST(CacheFolder, OldAndLargeCachesAreThinned) {
    const orbis::test::TemporaryFolder folder;
    const auto take = [&](const char* place, std::size_t bytes, std::chrono::hours age) {
        fs::create_directories(folder / place);
        auto taken = take_cache_folder(folder / place, folder / "cache").value();
        std::ofstream(taken.path / "tile.png") << std::string(bytes, 'x');
        fs::last_write_time(taken.path / "lock", fs::file_time_type::clock::now() - age);
        return taken;
    };
    using namespace std::chrono_literals;
    const auto own = take("own", 1000, 0h);
    const auto used = take("used", 1000, 24h * 200);
    const auto old = take("old", 10, 24h * 100).path;
    const auto large = take("large", 5000, 48h).path;
    const auto small = take("small", 500, 24h).path;
    const auto foreign = folder / "cache/somebody's files";
    fs::create_directories(foreign);
    std::ofstream(foreign / "lock") << "";
    fs::last_write_time(foreign / "lock", fs::file_time_type::clock::now() - 24h * 400);
    const std::atomic<bool> stop = false;
    thin_caches(own.path, stop, 1 << 20);
    EXPECT_FALSE(fs::exists(old)) << "nobody has looked at it for long";
    EXPECT_TRUE(fs::exists(used.path)) << "somebody looks at it now";
    EXPECT_TRUE(fs::exists(large));
    thin_caches(own.path, stop, 3000);
    EXPECT_FALSE(fs::exists(large)) << "the longest unused one makes room";
    EXPECT_TRUE(fs::exists(small));
    thin_caches(own.path, stop, 1);
    EXPECT_FALSE(fs::exists(small));
    EXPECT_TRUE(fs::exists(own.path / "tile.png"));
    EXPECT_TRUE(fs::exists(foreign));
}

TEST(CacheFolder, OneThatCannotBeMadeSaysWhatHelps) {
    const orbis::test::TemporaryFolder folder;
    std::ofstream(folder / "file") << "";
    const auto taken = take_cache_folder(folder.path(), "/proc/no/such");
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().advice.find("--cache"), std::string::npos) << taken.error().text();
}

TEST(Changes, ReachAllLevelsAndAreForgottenTogether) {
    const std::vector<TilePos> tiles{{-3, 5}, {-4, 5}};
    const auto all = with_parents(tiles, 3);
    EXPECT_EQ(all, (std::vector<LevelTile>{{0, {-4, 5}}, {0, {-3, 5}}, {1, {-2, 2}}, {2, {-1, 1}}}));
    Changes changes;
    changes.mark(all);
    changes.mark(std::span(all).first(1));
    EXPECT_EQ(changes.last({0, {-4, 5}}), 2U);
    EXPECT_EQ(changes.last({2, {-1, 1}}), 1U);
    EXPECT_EQ(changes.last({0, {9, 9}}), 0U);
    changes.forget(1);
    EXPECT_EQ(changes.last({0, {-4, 5}}), 2U);
    EXPECT_EQ(changes.last({2, {-1, 1}}), 1U) << "what was made before is still too old";
    EXPECT_EQ(changes.last({0, {9, 9}}), 1U);
    changes.forget(0);
    EXPECT_EQ(changes.last({0, {9, 9}}), 1U) << "what is forgotten stays so";
}

TileKey key_of(int x) { return {{map::LayerKind::surface, 0}, {0, {x, 0}}}; }

TEST(TileCache, StaysBelowItsLimit) {
    const orbis::test::TemporaryFolder folder;
    std::ofstream(folder / "old") << "of an earlier run";
    const auto cache = TileCache::open(folder / "tiles", 10'000).value();
    const Buffer png(1000, 1);
    for (int x = 0; x < 100; ++x) {
        ASSERT_TRUE(cache->put(key_of(x), {7, 0, true, 0}, png));
        ASSERT_TRUE(cache->find(key_of(0)) || x > 50) << "what is asked for stays";
    }
    EXPECT_LE(cache->bytes(), 10'000U);
    EXPECT_FALSE(cache->find(key_of(50)));
    EXPECT_TRUE(cache->find(key_of(99)));
    const auto files = std::distance(fs::directory_iterator(folder / "tiles"), fs::directory_iterator());
    EXPECT_EQ(files, 10);
    auto opened = cache->open_tile(key_of(99));
    ASSERT_TRUE(opened);
    ASSERT_TRUE(cache->put(key_of(99), {8, 0, true, 0}, Buffer(5, 2)));
    Buffer read(1000);
    EXPECT_EQ(::pread(opened->file.number(), read.data(), read.size(), 0), 1000) << "who reads it still can";
    ASSERT_TRUE(cache->put(key_of(98), {0, 0, true, 0}, {}));
    EXPECT_FALSE(cache->open_tile(key_of(98))->file) << "without any pixel there is no file";
    fs::remove_all(folder / "tiles");
    EXPECT_FALSE(cache->open_tile(key_of(99))) << "somebody has cleaned up";
}

TEST(TileCache, ATileThatIsMadeAgainLeavesNothingOfTheOlderOne) {
    const orbis::test::TemporaryFolder folder;
    const auto cache = TileCache::open(folder / "tiles", 10'000).value();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(cache->put(key_of(1), {7, 0, true, 0}, Buffer(1000, 1)));
    ASSERT_TRUE(cache->put(key_of(1), {8, 0, true, 0}, Buffer(5, 2)));
    EXPECT_EQ(cache->bytes(), 5U);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "tiles"), fs::directory_iterator()), 1);
    EXPECT_EQ(cache->open_tile(key_of(1))->entry.hash, 8U);
}

TEST(Search, RanksNamesAsPeopleMeanThem) {
    EXPECT_EQ(rank_of("Ore_Iron", "ore iron"), 0);
    EXPECT_EQ(rank_of("Ore_Iron_Stone", "Ore Ir"), 1);
    EXPECT_EQ(rank_of("Ore_Iron_Stone", "iron"), 2);
    EXPECT_EQ(rank_of("Ore_Iron_Stone", "stone ore"), 2);
    EXPECT_EQ(rank_of("Ore_Iron_Stone", "ron"), 3);
    EXPECT_EQ(rank_of("Ore_Iron_Stone", "gold"), -1);
    EXPECT_EQ(rank_of("Ore_Iron_Stone", " _ "), -1);
    EXPECT_EQ(rank_of("", "iron"), -1);
}

TEST(CacheFolder, IsHeldByOneProcessAndNeverInTheUniverse) {
    const orbis::test::TemporaryFolder folder;
    fs::create_directories(folder / "universe");
    const auto first = take_cache_folder(folder / "universe", folder / "cache");
    ASSERT_TRUE(first);
    const auto second = take_cache_folder(folder / "universe", folder / "cache");
    ASSERT_TRUE(second);
    EXPECT_NE(first->path, second->path);
    EXPECT_EQ(second->path.string(), first->path.string() + "-2");
    EXPECT_NE(take_cache_folder(folder / "other", folder / "cache")->path, first->path);
    fs::create_directory_symlink(folder / "universe", folder / "link");
    for (const auto& inside : {folder / "universe", folder / "universe/cache", folder / "link/cache"}) {
        const auto refused = take_cache_folder(folder / "universe", inside);
        ASSERT_FALSE(refused) << inside;
        EXPECT_EQ(refused.error().code, Errc::usage);
    }
    EXPECT_TRUE(fs::is_empty(folder / "universe"));
}

} // namespace
} // namespace orbis::http
