#include "storage/rocksdb_store.hpp"
#include "support/power_cut.hpp"
#include "support/wait_for.hpp"
#include "watch/location_watch.hpp"
#include "watch/world_watch.hpp"
#include "world/made_world_test.hpp"

namespace orbis::watch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using world::made::MadeWorld;

class WorldWatchTest : public testing::Test {
protected:
    void open() {
        // As if they were written long ago: fresh ones are not taken for settled.
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / "world"))
            if (entry.is_regular_file())
                fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - 1h);
        place_ = world::find_location(folder_ / "world").value();
        watch_ = WorldWatch::open(place_.worlds.at(0), folder_.path()).value();
    }
    /// What one look finds.
    std::vector<ChunkPos> look() {
        auto changed = watch_->poll();
        std::ranges::sort(changed);
        return changed;
    }
    void settle() {
        EXPECT_TRUE(orbis::test::wait_for([&] {
            EXPECT_TRUE(watch_->poll().empty());
            return watch_->is_settled();
        }));
    }

    orbis::test::TemporaryFolder folder_;
    world::Location place_;
    std::unique_ptr<WorldWatch> watch_;
};

using Chunks = std::vector<ChunkPos>;

TEST_F(WorldWatchTest, FindsChangedChunksByContent) {
    MadeWorld world(folder_ / "world");
    for (int x = -3; x < 3; ++x) world.put({x, 0}, 1);
    open();
    EXPECT_EQ(watch_->presence().chunks(), 6U);
    settle();
    world.put({1, 0}, 2);
    EXPECT_EQ(look(), (Chunks{{1, 0}}));
    world.put({2, 0}, 1); // the same content at another place of the file
    EXPECT_EQ(look(), Chunks{});
    world.remove({-3, 0});
    EXPECT_EQ(look(), (Chunks{{-3, 0}}));
    EXPECT_EQ(watch_->presence().chunks(), 5U);
    world.put({-2, 0}, 5);
    world.put({40, 40}, 1); // a file that was not there
    EXPECT_EQ(look(), (Chunks{{-2, 0}, {40, 40}}));
    storage::ReadContext context;
    EXPECT_TRUE(watch_->store()->read({40, 40}, context).value().has_value());
    fs::remove(folder_ / "world/chunks/1.1.region.bin");
    EXPECT_EQ(look(), (Chunks{{40, 40}}));
}

/// The clock of a file system may be coarse: within one tick of it other content has the same time.
TEST_F(WorldWatchTest, OtherContentWithTheSameSizeAndTimeIsNotMissed) {
    const auto path = folder_ / "world/chunks/0.0.region.bin";
    std::vector<std::string> contents;
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
        const auto made = folder_ / fmt::format("made {}", seed);
        MadeWorld(made).put({0, 0}, seed);
        contents.push_back(orbis::test::read_folder(made / "chunks")["0.0.region.bin"]);
    }
    const MadeWorld world(folder_ / "world"); // with its configuration
    const auto size = std::ranges::max(contents, {}, &std::string::size).size();
    const auto put = [&](std::size_t which) {
        contents[which].resize(size);
        orbis::test::write_folder(path.parent_path(), {{"0.0.region.bin", contents[which]}});
    };
    put(0);
    open();
    settle();
    const auto time = fs::file_time_type::clock::now() + 1h; // it stays fresh however slow this test is
    for (const std::size_t which : {1U, 2U, 1U}) {
        put(which); // written over in place
        fs::last_write_time(path, time);
        EXPECT_EQ(fs::file_size(path), size);
        EXPECT_EQ(look(), (Chunks{{0, 0}})) << which;
    }
    EXPECT_EQ(look(), Chunks{});
}

TEST_F(WorldWatchTest, AChangeRightAfterAnotherIsNotMissed) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    open();
    settle();
    for (std::uint32_t seed = 2; seed < 12; ++seed) {
        world.put({0, 0}, seed); // within one tick of the file system's clock
        EXPECT_EQ(look(), (Chunks{{0, 0}})) << seed;
    }
}

TEST_F(WorldWatchTest, BeforeHashesAreKnownAllChunksOfAFileCountAsChanged) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    world.put({1, 0}, 1);
    world.put({-1, 0}, 1);
    open();
    world.put({0, 0}, 2);
    EXPECT_EQ(look(), (Chunks{{0, 0}, {1, 0}}));
}

TEST_F(WorldWatchTest, BeforeHashesAreKnownARemovedChunkCountsAsChangedToo) {
    MadeWorld world(folder_ / "world");
    for (int x = 0; x < 3; ++x) world.put({x, 0}, 1);
    open();
    world.remove({1, 0});
    EXPECT_EQ(look(), (Chunks{{0, 0}, {1, 0}, {2, 0}}));
    EXPECT_EQ(watch_->presence().chunks(), 2U);
}

TEST_F(WorldWatchTest, AFolderBesideTheOnlyFileIsNobodysConcern) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    fs::create_directories(folder_ / "world/chunks/7.7.region.bin");
    place_ = world::find_location(folder_ / "world/chunks/0.0.region.bin").value();
    watch_ = WorldWatch::open(place_.worlds.at(0), folder_.path()).value();
    watch_->poll();
    EXPECT_TRUE(watch_->problems().empty());
    open(); // the whole world
    EXPECT_EQ(watch_->problems().size(), 1U);
}

TEST_F(WorldWatchTest, AFileThatIsBeingMadeIsTriedAgain) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    open();
    settle();
    MadeWorld other(folder_ / "other");
    other.put({32, 0}, 1);
    std::ifstream whole(folder_ / "other/chunks/1.0.region.bin", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{500}, std::size_t{4200}}) {
        std::ofstream(folder_ / "world/chunks/1.0.region.bin", std::ios::binary) << bytes.substr(0, size);
        for (const auto pos : watch_->poll()) EXPECT_EQ(pos, (ChunkPos{32, 0}));
    }
    std::ofstream(folder_ / "world/chunks/1.0.region.bin", std::ios::binary) << bytes;
    EXPECT_EQ(look(), (Chunks{{32, 0}}));
    EXPECT_TRUE(watch_->presence().has(0, {2, 0}));
}

TEST_F(WorldWatchTest, AFileThatIsBeingMadeAtTheStartIsNoProblemYet) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    const auto file = folder_ / "world/chunks/1.0.region.bin";
    std::ofstream(file) << "half a header";
    place_ = world::find_location(folder_ / "world").value();
    const auto problems_of_age = [&](std::chrono::minutes age) {
        fs::last_write_time(file, fs::file_time_type::clock::now() - age);
        return WorldWatch::open(place_.worlds.at(0), folder_.path()).value()->problems().size();
    };
    EXPECT_EQ(problems_of_age(-60min), 0U) << "as new as can be";
    EXPECT_EQ(problems_of_age(60min), 1U);
}

TEST_F(WorldWatchTest, AFileThatCannotBeReadAnyMoreLosesItsChunksUntilItCan) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    world.put({3, 0}, 1);
    world.put({40, 0}, 1);
    open();
    settle();
    const auto file = folder_ / "world/chunks/0.0.region.bin";
    fs::copy_file(file, folder_ / "whole");
    std::ofstream(file, std::ios::binary | std::ios::trunc) << "noise";
    fs::last_write_time(file, fs::file_time_type::clock::now() - 1min);
    EXPECT_EQ(look(), (Chunks{{0, 0}, {3, 0}}));
    EXPECT_EQ(watch_->presence().chunks(), 1U);
    ASSERT_EQ(watch_->problems().size(), 1U);
    EXPECT_EQ(watch_->problems()[0].region, (RegionPos{0, 0}));
    EXPECT_TRUE(watch_->poll().empty()) << "told once";
    fs::rename(folder_ / "whole", file);
    EXPECT_EQ(look(), (Chunks{{0, 0}, {3, 0}}));
    EXPECT_TRUE(watch_->problems().empty());
    EXPECT_EQ(watch_->presence().chunks(), 3U);
}

TEST_F(WorldWatchTest, AFolderThatCannotBeListedIsToldUntilItCan) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    open();
    settle();
    const auto chunks = folder_ / "world/chunks";
    fs::rename(chunks, folder_ / "aside");
    std::ofstream(chunks) << "no folder";
    EXPECT_EQ(look(), Chunks{}) << "what is known stays";
    ASSERT_EQ(watch_->problems().size(), 1U);
    EXPECT_FALSE(watch_->problems()[0].region);
    EXPECT_EQ(watch_->presence().chunks(), 1U);
    fs::remove(chunks);
    fs::rename(folder_ / "aside", chunks);
    EXPECT_EQ(look(), Chunks{});
    EXPECT_TRUE(watch_->problems().empty());
}

TEST_F(WorldWatchTest, OfOneFileNoOtherIsLookedAt) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    world.put({40, 40}, 1);
    for (const auto& entry : fs::directory_iterator(folder_ / "world/chunks"))
        fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - 1h);
    place_ = world::find_location(folder_ / "world/chunks/0.0.region.bin").value();
    watch_ = WorldWatch::open(place_.worlds.at(0), folder_.path()).value();
    EXPECT_EQ(watch_->presence().chunks(), 1U);
    settle();
    world.put({40, 40}, 2);
    EXPECT_EQ(look(), Chunks{});
    world.put({0, 0}, 2);
    EXPECT_EQ(look(), (Chunks{{0, 0}}));
}

TEST_F(WorldWatchTest, ABareFolderOfChunksIsWatchedToo) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    for (const auto& entry : fs::directory_iterator(folder_ / "world/chunks"))
        fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - 1h);
    place_ = world::find_location(folder_ / "world/chunks").value();
    watch_ = WorldWatch::open(place_.worlds.at(0), folder_.path()).value();
    EXPECT_EQ(watch_->presence().chunks(), 1U);
    settle();
    world.put({0, 0}, 2);
    world.put({40, 40}, 1);
    EXPECT_EQ(look(), (Chunks{{0, 0}, {40, 40}}));
}

TEST_F(WorldWatchTest, AProblemGoesWithItsFile) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    const auto file = folder_ / "world/chunks/3.3.region.bin";
    std::ofstream(file, std::ios::binary) << "noise";
    open();
    ASSERT_EQ(watch_->problems().size(), 1U);
    EXPECT_EQ(watch_->problems()[0].region, (RegionPos{3, 3}));
    settle();
    fs::remove(file);
    EXPECT_EQ(look(), Chunks{});
    EXPECT_TRUE(watch_->problems().empty());
}

TEST_F(WorldWatchTest, AFolderInThePlaceOfAFileIsNamed) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    fs::create_directory(folder_ / "world/chunks/2.1.region.bin");
    open();
    ASSERT_EQ(watch_->problems().size(), 1U);
    EXPECT_EQ(watch_->problems()[0].region, (RegionPos{2, 1}));
    EXPECT_TRUE(watch_->problems()[0].error.file.ends_with("2.1.region.bin"));
    settle();
    const auto file = folder_ / "world/chunks/0.0.region.bin";
    fs::rename(file, folder_ / "aside");
    fs::create_directory(file);
    EXPECT_EQ(look(), (Chunks{{0, 0}}));
    EXPECT_EQ(watch_->problems().size(), 2U);
    fs::remove(file);
    fs::rename(folder_ / "aside", file);
    EXPECT_EQ(look(), (Chunks{{0, 0}}));
    EXPECT_EQ(watch_->problems().size(), 1U);
    fs::remove(folder_ / "world/chunks/2.1.region.bin");
    EXPECT_EQ(look(), Chunks{});
    EXPECT_TRUE(watch_->problems().empty()) << "it goes with its folder";
}

TEST_F(WorldWatchTest, FilesThatAreReplacedAreSeen) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    open();
    settle();
    MadeWorld other(folder_ / "other");
    other.put({0, 0}, 9);
    fs::rename(folder_ / "other/chunks/0.0.region.bin", folder_ / "world/chunks/0.0.region.bin");
    EXPECT_EQ(look(), (Chunks{{0, 0}}));
    storage::ReadContext context;
    const auto document = watch_->store()->read({0, 0}, context).value().value();
    EXPECT_TRUE(std::ranges::equal(document, world::made::document({0, 0}, 9)));
}

TEST_F(WorldWatchTest, AWorldThatGoesAndComesBackIsSeen) {
    MadeWorld world(folder_ / "world");
    world.put({0, 0}, 1);
    world.put({40, 0}, 2);
    open();
    settle();
    for (int turn = 0; turn < 2; ++turn) {
        fs::rename(folder_ / "world", folder_ / "aside");
        EXPECT_EQ(look(), (Chunks{{0, 0}, {40, 0}}));
        EXPECT_EQ(watch_->presence().chunks(), 0U);
        for (int times = 0; times < 3; ++times) EXPECT_EQ(look(), Chunks{});
        fs::rename(folder_ / "aside", folder_ / "world");
        EXPECT_EQ(look(), (Chunks{{0, 0}, {40, 0}}));
        storage::ReadContext context;
        EXPECT_TRUE(watch_->store()->read({40, 0}, context).value().has_value());
    }
}

TEST_F(WorldWatchTest, NothingIsWrittenOrLocked) {
    MadeWorld world(folder_ / "world"); // open for writing all the time
    world.put({0, 0}, 1);
    const auto listing = [&] {
        std::map<std::string, fs::file_time_type> found;
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / "world"))
            found[entry.path().string()] = entry.last_write_time();
        return found;
    };
    open(); // which makes the files older
    watch_.reset();
    const auto before = listing();
    watch_ = WorldWatch::open(place_.worlds.at(0), folder_.path()).value();
    settle();
    EXPECT_EQ(listing(), before);
}

TEST_F(WorldWatchTest, AWorldThatGetsItsFirstChunkIsSeen) {
    fs::create_directories(folder_ / "world");
    std::ofstream(folder_ / "world/config.json") << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})";
    open();
    EXPECT_FALSE(watch_->presence().bounds());
    EXPECT_TRUE(watch_->poll().empty());
    MadeWorld world(folder_ / "world");
    world.put({3, 4}, 1);
    EXPECT_EQ(look(), (Chunks{{3, 4}}));
}

#ifdef ORBIS_ROCKSDB
TEST_F(WorldWatchTest, ADatabaseIsComparedChunkByChunk) {
    fs::create_directories(folder_ / "world");
    std::ofstream(folder_ / "world/config.json") << R"({"Version": 4, "ChunkStorage": {"Type": "RocksDb"}})";
    storage::StoreOptions options;
    options.write = true;
    options.create = true;
    auto store = storage::open_rocksdb_store(folder_ / "world/db", options).value();
    ASSERT_TRUE(store->write({0, 0}, world::made::document({0, 0}, 1)));
    ASSERT_TRUE(store->write({-1, 5}, world::made::document({-1, 5}, 1)));
    ASSERT_TRUE(store->sync());
    open();
    EXPECT_EQ(watch_->presence().chunks(), 2U);
    settle();
    const auto look_until_changed = [&] { // it is read less often the longer that takes
        Chunks changed;
        EXPECT_TRUE(orbis::test::wait_for([&] { return !(changed = look()).empty(); }));
        return changed;
    };
    ASSERT_TRUE(store->write({0, 0}, world::made::document({0, 0}, 2)));
    ASSERT_TRUE(store->sync());
    EXPECT_EQ(look_until_changed(), (Chunks{{0, 0}}));
    ASSERT_TRUE(store->write({90, 0}, world::made::document({90, 0}, 1)));
    ASSERT_TRUE(store->remove({-1, 5}));
    ASSERT_TRUE(store->sync());
    EXPECT_EQ(look_until_changed(), (Chunks{{-1, 5}, {90, 0}}));
    EXPECT_EQ(watch_->presence().chunks(), 2U);
    ASSERT_TRUE(store->write({-1, 5}, world::made::document({-1, 5}, 1)));
    ASSERT_TRUE(store->sync());
    EXPECT_EQ(look_until_changed(), (Chunks{{-1, 5}})) << "it is back as it was, which is a change too";
}

TEST_F(WorldWatchTest, ADatabaseThatCannotBeReadIsToldUntilItCan) {
    fs::create_directories(folder_ / "world");
    std::ofstream(folder_ / "world/config.json") << R"({"Version": 4, "ChunkStorage": {"Type": "RocksDb"}})";
    {
        storage::StoreOptions options;
        options.write = true;
        options.create = true;
        auto store = storage::open_rocksdb_store(folder_ / "world/db", options).value();
        ASSERT_TRUE(store->write({0, 0}, world::made::document({0, 0}, 1)));
    }
    ASSERT_TRUE(storage::compact_rocksdb(folder_ / "world/db", false, false)); // all of it in tables
    fs::path table;                                                            // of keys
    for (const auto& entry : fs::directory_iterator(folder_ / "world/db"))
        if (entry.path().extension() == ".sst") table = entry.path();
    ASSERT_FALSE(table.empty());
    const auto damage = [&] {
        std::fstream file(table, std::ios::in | std::ios::out | std::ios::binary);
        char byte = 0;
        file.read(&byte, 1);
        byte = static_cast<char>(byte ^ 0x55);
        file.seekp(0).write(&byte, 1);
    };
    open();
    settle();
    EXPECT_TRUE(watch_->problems().empty());
    damage();
    EXPECT_TRUE(orbis::test::wait_for([&] {
        EXPECT_EQ(look(), Chunks{}) << "what is known stays";
        return watch_->problems().size() == 1;
    }));
    EXPECT_EQ(watch_->presence().chunks(), 1U);
    open();
    EXPECT_EQ(watch_->problems().size(), 1U) << "nor is it taken for a world without chunks at first";
    EXPECT_EQ(watch_->presence().chunks(), 0U);
    damage(); // which takes it back
    EXPECT_TRUE(orbis::test::wait_for([&] { return look() == (Chunks{{0, 0}}); }));
    EXPECT_TRUE(watch_->problems().empty());
}
#endif

TEST_F(WorldWatchTest, WorldsThatComeAndGoAreSeenOnce) {
    for (const auto* name : {"one", "two"}) MadeWorld(folder_ / "universe/worlds" / name).put({0, 0}, 1);
    const auto location = world::find_location(folder_ / "universe").value();
    LocationWatch watch(location);
    EXPECT_FALSE(watch.poll());
    fs::rename(folder_ / "universe/worlds/two", folder_ / "universe/worlds/three"); // as many as before
    const auto renamed = watch.poll();
    ASSERT_TRUE(renamed);
    ASSERT_EQ(renamed->worlds.size(), 2U);
    EXPECT_TRUE(
        std::ranges::any_of(renamed->worlds, [](const auto& world) { return world.name == "three"; }));
    EXPECT_FALSE(watch.poll()) << "told once";
    fs::rename(folder_ / "universe", folder_ / "aside");
    EXPECT_FALSE(watch.poll()) << "away for a moment";
    fs::rename(folder_ / "aside", folder_ / "universe");
    EXPECT_FALSE(watch.poll()) << "and back as it was";
    MadeWorld(folder_ / "universe/worlds/four").put({0, 0}, 1);
    EXPECT_EQ(watch.poll().value_or(location).worlds.size(), 3U);
    // A world of its own has taken the place: nothing is known of the worlds of the universe.
    fs::rename(folder_ / "universe", folder_ / "aside");
    MadeWorld(folder_ / "universe").put({0, 0}, 1);
    fs::create_directories(folder_ / "universe/chunks/worlds");
    EXPECT_FALSE(watch.poll());
    fs::remove_all(folder_ / "universe");
    fs::rename(folder_ / "aside", folder_ / "universe");
    EXPECT_FALSE(watch.poll()) << "and back as it was";
    const auto alone = world::find_location(folder_ / "universe/worlds/one").value();
    EXPECT_FALSE(LocationWatch(alone).poll()) << "no others can come beside one world";
}

} // namespace
} // namespace orbis::watch
