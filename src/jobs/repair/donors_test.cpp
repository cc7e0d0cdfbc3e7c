#include "jobs/repair/donors.hpp"
#include "jobs/repair/repair.hpp"
#include "jobs/repair/repair_world.hpp"
#include "jobs/snapshot/source.hpp"
#include "jobs/snapshot/take.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "storage/region_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace orbis::jobs {
namespace {

namespace fs = std::filesystem;
using test_worlds::put;
using test_worlds::version_document;

constexpr std::string_view k_uuid_a = "AAAAAAAAQACAAAAAAAAAAQ==";
constexpr std::string_view k_uuid_b = "AAAAAAAAQACAAAAAAAAAAg==";

/// One store with snapshots of several worlds, whose chunks differ.
class SnapshotsOfSeveralWorlds : public testing::Test {
protected:
    void SetUp() override {
        make("a", k_uuid_a, 1);
        make("b", k_uuid_b, 2);
    }

    void make(const std::string& name, std::string_view uuid, int seed) const {
        test_worlds::make_world(folder_ / name, {document(seed, 0), document(seed, 1)});
        put(folder_ / name / "config.json", as_bytes(config(uuid)));
    }
    static Buffer document(int seed, int chunk) { return version_document({.seed = 10 * seed + chunk}); }
    static std::string config(std::string_view uuid) {
        return fmt::format(
            R"({{"Version": 4, "UUID": {{"$binary": "{}", "$type": "04"}}, "ChunkStorage": {{"Type": "Hytale"}}}})",
            uuid);
    }

    std::string take(const std::string& name) {
        snapshot::TakeOptions options;
        options.time = ++time_;
        auto report = snapshot::take(store_, world::find_location(folder_ / name).value(), options, quiet_);
        EXPECT_TRUE(report) << report.error().text();
        return report ? report->id : std::string();
    }

    /// Makes the second chunk unreadable.
    void damage(const std::string& name) const {
        const auto path = folder_ / name / "chunks" / "0.0.region.bin";
        const auto region = storage::open_single_region(path, {}).value()->region({0, 0}).value();
        const auto segment = region->info({1}).value().value().first_segment;
        std::fstream file(path);
        file.seekp(4128 + std::streamoff{4096} * (segment - 1) + 8);
        file.write("damage", 6);
    }
    Result<RepairReport> repair_from(const std::string& name, const std::string& from,
                                     bool other_world = false) {
        RepairOptions options;
        options.from = {from};
        options.other_world = other_world;
        options.damage_only = true;
        texts_.clear();
        return repair(
            world::find_location(folder_ / name).value(), world::Assets::built_in(), options,
            [&](const RepairStep& step) { texts_ += to_text(step) + "\n"; }, quiet_);
    }
    /// What the second chunk of a world is; nothing if it cannot be read.
    Buffer second_chunk(const std::string& name) const {
        const auto store = world::find_location(folder_ / name).value().worlds.at(0).open({}).value();
        storage::ReadContext context;
        const auto read = store->read({1, 0}, context);
        return read && *read ? Buffer((*read)->begin(), (*read)->end()) : Buffer();
    }
    std::string text_of(const fs::path& path) const {
        return read_text(*open_file(folder_ / path, FileMode::read).value(), 1 << 20).value();
    }

    test::TemporaryFolder folder_;
    const fs::path store_ = folder_ / "store";
    std::int64_t time_ = 4'000'000'000;
    NoProgress quiet_;
    std::string texts_;
};

TEST_F(SnapshotsOfSeveralWorlds, LatestAndTheStoreItselfMeanThoseOfTheWorldThatIsRepaired) {
    const auto first = take("a");
    for (const auto* from : {"store", "store@latest"}) {
        take("b");
        damage("a");
        const auto done = repair_from("a", (folder_ / from).string());
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_EQ(done->chunks_restored, 1U);
        EXPECT_EQ(second_chunk("a"), document(1, 1));
        EXPECT_NE(texts_.find("restored from " + store_.string() + "@" + first), texts_.npos) << texts_;
    }
}

TEST_F(SnapshotsOfSeveralWorlds, TheNewestGoodCopyOfThisWorldIsTaken) {
    take("a");
    make("a", k_uuid_a, 3);
    const auto good = take("a");
    damage("a");
    take("a");
    take("b");
    ASSERT_TRUE(repair_from("a", store_.string()));
    EXPECT_EQ(second_chunk("a"), document(3, 1));
    EXPECT_NE(texts_.find("@" + good), texts_.npos) << texts_;
}

TEST_F(SnapshotsOfSeveralWorlds, ASnapshotThatIsNamedHasTheTimeOfItsName) {
    const auto id = take("a"); // such as 2096-10-02T07-06-41Z
    std::vector<std::string> notes;
    const auto donors =
        open_donors({store_.string() + "@" + id}, world::find_location(folder_ / "a").value(), {}, notes)
            .value();
    ASSERT_EQ(donors.size(), 1U);
    EXPECT_EQ(donors[0].date,
              id.substr(0, 10) + " " + id.substr(11, 2) + ":" + id.substr(14, 2) + ":" + id.substr(17, 2));
}

TEST_F(SnapshotsOfSeveralWorlds, OfTwoWorldsWithTheSameIdTheOneOfTheSameNameIsTaken) {
    for (const auto* name : {"a", "world", "z"}) make(std::string("backup/worlds/") + name, k_uuid_a, 5);
    make("world", k_uuid_a, 1);
    const auto backup = world::find_location(folder_ / "backup").value();
    const auto world = world::find_location(folder_ / "world").value().worlds.at(0);
    const auto found = counterpart_of(identity_of(world), true, backup, {});
    ASSERT_NE(found.world, nullptr);
    EXPECT_EQ(found.world->name, "world");
}

TEST_F(SnapshotsOfSeveralWorlds, AnotherWorldNeedsItsNameAndAWord) {
    const auto other = store_.string() + "@" + take("b");
    damage("a");
    EXPECT_EQ(repair_from("a", store_.string()).error().code, Errc::not_found);
    const auto refused = repair_from("a", other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::usage);
    EXPECT_NE(refused.error().text().find("--other-world"), std::string::npos) << refused.error().text();
    EXPECT_TRUE(second_chunk("a").empty());
    ASSERT_EQ(repair_from("a", (folder_ / "b").string()).error().code, Errc::usage);
    ASSERT_TRUE(repair_from("a", other, true));
    EXPECT_EQ(second_chunk("a"), document(2, 1));
}

TEST_F(SnapshotsOfSeveralWorlds, ConfigurationsAreNotTakenFromAnotherWorldEither) {
    take("a");
    const auto other = take("b");
    for (const auto* broken : {"", "{\"Version\": "}) {
        put(folder_ / "a" / "config.json", as_bytes(std::string_view(broken)));
        EXPECT_FALSE(repair_from("a", store_.string() + "@" + other));
        EXPECT_EQ(text_of("a/config.json"), broken);
        const auto done = repair_from("a", store_.string() + "@latest");
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_EQ(text_of("a/config.json"), config(k_uuid_a));
    }
}

TEST_F(SnapshotsOfSeveralWorlds, AMovedAndRenamedWorldIsStillTheSame) {
    take("a");
    take("b");
    fs::rename(folder_ / "a", folder_ / "moved");
    damage("moved");
    ASSERT_TRUE(repair_from("moved", store_.string()));
    EXPECT_EQ(second_chunk("moved"), document(1, 1));
    EXPECT_NE(texts_.find("(of " + (folder_ / "a").string() + ")"), texts_.npos) << texts_;
}

TEST_F(SnapshotsOfSeveralWorlds, ACopyThatWentItsOwnWayIsAnotherWorld) {
    take("a");
    make("copy", k_uuid_a, 4);
    take("copy");
    damage("a");
    ASSERT_TRUE(repair_from("a", store_.string()));
    EXPECT_EQ(second_chunk("a"), document(1, 1));
    // One that was made to be repaired belongs to neither by its path.
    make("third", k_uuid_a, 1);
    damage("third");
    const auto refused = repair_from("third", store_.string());
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("several copies"), std::string::npos) << refused.error().text();
}

TEST_F(SnapshotsOfSeveralWorlds, AWorldOfAUniverseIsTheSameHoweverItIsNamed) {
    fs::create_directories(folder_ / "server" / "universe" / "worlds");
    fs::rename(folder_ / "a", folder_ / "server" / "universe" / "worlds" / "default");
    fs::copy(folder_ / "b", folder_ / "server" / "universe" / "worlds" / "other",
             fs::copy_options::recursive);
    take("server");
    take("b");
    for (const auto* name : {"server/universe/worlds/default", "server/universe", "server"}) {
        damage("server/universe/worlds/default");
        fs::remove(folder_ / "server/universe/worlds/default/config.json"); // the path alone must tell
        ASSERT_TRUE(repair_from(name, store_.string() + "@latest")) << name;
        EXPECT_EQ(second_chunk("server/universe/worlds/default"), document(1, 1)) << name;
    }
}

TEST_F(SnapshotsOfSeveralWorlds, VerbsThatReadOneBackupGetTheNewestOfTheirWorld) {
    const auto own = take("a");
    take("b");
    const auto world = world::find_location(folder_ / "a").value();
    for (const auto* from : {"store", "store@latest"}) {
        const auto found = find_source((folder_ / from).string(), identities_of(world));
        ASSERT_TRUE(found) << found.error().text();
        EXPECT_EQ(found->path, store_.string() + "@" + own);
    }
    const std::array nobody{WorldIdentity{.name = "c", .uuid = {}, .home = "/nowhere"}};
    const auto none = find_source(store_.string(), nobody);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().text().find((folder_ / "b").string()), std::string::npos) << none.error().text();
}

class DonorOrder : public testing::Test {
protected:
    /// A backup of one world with these documents, last written so many hours ago.
    fs::path backup(const std::string& name, const std::vector<Buffer>& chunks, int hours) {
        const auto path = folder_ / name;
        test_worlds::make_world(path, chunks);
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
        return path;
    }
    std::vector<Donor> open(const std::vector<fs::path>& paths) {
        std::vector<std::string> texts;
        for (const auto& path : paths) texts.push_back(path.string());
        return open_donors(texts, place_, {}, notes_).value();
    }

    test::TemporaryFolder folder_;
    world::World world_ = test_worlds::make_world(folder_ / "world", {test_worlds::plain()});
    world::Location place_ = world::find_location(folder_ / "world").value();
    std::vector<std::string> notes_;
};

TEST_F(DonorOrder, TheNewestComesFirstWhateverTheOrderAndNamesTellTheDate) {
    using namespace test_worlds;
    const auto old = backup("old", {plain()}, 200);
    const auto recent = backup("recent", {plain()}, 100);
    const auto named = backup("2999-01-31_04-00-12", {plain()}, 300);
    const auto donors = open({old, named, recent});
    ASSERT_EQ(donors.size(), 3U);
    EXPECT_EQ(donors[0].name, named.string());
    EXPECT_EQ(donors[0].date, "2999-01-31 04:00:12");
    EXPECT_EQ(donors[1].name, recent.string());
    EXPECT_EQ(donors[2].name, old.string());
}

TEST_F(DonorOrder, ZipsOfAFolderAndOfItsArchiveAreAllTaken) {
    fs::create_directories(folder_ / "backups" / "archive");
    const std::string empty("PK\5\6" + std::string(18, '\0'));
    for (const auto* name : {"2026-01-31_04-00-12.zip", "archive/2026-01-30_04-00-12.zip"}) {
        std::ofstream(folder_ / "backups" / name, std::ios::binary) << empty;
        const auto opened = open_donors({(folder_ / "backups").string()}, place_, {}, notes_);
        ASSERT_FALSE(opened) << "no world in it";
        EXPECT_EQ(opened.error().file, (folder_ / "backups" / name).string());
        fs::remove(folder_ / "backups" / name);
    }
}

TEST_F(DonorOrder, TheNewestGoodCopyIsOneThatCanBeReadInAllItsParts) {
    using namespace test_worlds;
    const auto newest = backup("newest", {damaged_document(), with_block(1)}, 1);
    const auto middle = backup("middle", {with_block(2), with_block(3), with_block(4)}, 2);
    const auto oldest = backup("oldest", {with_block(5), with_block(6), with_block(7), with_block(8)}, 3);
    const auto donors = open({oldest, middle, newest});
    DonorStores stores(donors, world_, true, {});
    const auto good = [&](int x) {
        const auto found = stores.newest_good({x, 0});
        return found ? stores.name_of(*found) : std::string();
    };
    EXPECT_EQ(good(0), middle.string()) << "that of the newest has a damaged part";
    EXPECT_EQ(good(1), newest.string());
    EXPECT_EQ(good(2), middle.string());
    EXPECT_EQ(good(3), oldest.string());
    EXPECT_EQ(good(4), "");
    std::map<RegionPos, std::string> names;
    const auto missing = stores.missing(ChunkSet(std::vector<ChunkPos>{{0, 0}}), names);
    ASSERT_EQ(missing.size(), 1U);
    EXPECT_EQ(missing.begin()->second.size(), 3U);
    EXPECT_EQ((names.at({0, 0})), newest.string()) << "the newest that has such chunks";
    EXPECT_EQ(stores.chunks_of({0, 0}), (std::vector<ChunkPos>{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
    const auto alike = stores.likeness({1, 0}, with_block(1));
    EXPECT_EQ(alike, 12U) << "heights, environments and ten sections";
    EXPECT_EQ(stores.likeness({1, 0}, with_block(9)), 11U);
    EXPECT_EQ(stores.likeness({4, 0}, with_block(1)), 0U);
}

TEST_F(DonorOrder, ABackupThatCannotBeOpenedIsPassedOver) {
    using namespace test_worlds;
    const auto newest = backup("newest", {with_block(1)}, 1);
    const auto gone = backup("gone", {with_block(2), with_block(3)}, 2);
    const auto oldest = backup("oldest", {with_block(4), with_block(5)}, 3);
    const auto donors = open({newest, gone, oldest});
    std::ofstream(gone / "config.json") << "{";
    fs::remove_all(gone / "chunks");
    std::ofstream(gone / "chunks") << "a file in its place";
    DonorStores stores(donors, world_, true, {});
    const auto good = [&](int x) {
        const auto found = stores.newest_good({x, 0});
        return found ? stores.name_of(*found) : std::string();
    };
    EXPECT_EQ(good(0), newest.string());
    EXPECT_EQ(good(1), oldest.string());
    EXPECT_EQ(good(0), newest.string()) << "and the others are still there";
    EXPECT_EQ(good(1), oldest.string());
}

TEST_F(DonorOrder, WhatARepairLosesIsSetAside) {
    using namespace test_worlds;
    make_world(folder_ / "world", {damaged_document(), with_block(2)});
    NoProgress quiet;
    RepairOptions options;
    options.damage_only = true;
    const auto report = repair(place_, world::Assets::built_in(), options, [](const RepairStep&) {}, quiet);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks_repaired, 1U);
    std::vector<std::string> aside;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "world" / "orbis-set-aside"))
        if (entry.is_regular_file()) aside.push_back(entry.path().filename().string());
    EXPECT_EQ(aside, std::vector<std::string>{"chunk.0.0.zst"});
}

/// A document with other bytes in the place of these, wherever they are.
Buffer with_bytes(const Buffer& document, std::string_view old, std::string_view now) {
    std::string text(as_text(document));
    std::size_t replaced = 0;
    for (auto at = text.find(old); at != text.npos; at = text.find(old, at + now.size()), ++replaced)
        text.replace(at, old.size(), now);
    EXPECT_GT(replaced, 0U);
    return {text.begin(), text.end()};
}

TEST_F(DonorOrder, WhatANewerGameWroteIsNotReplacedByAnOlderCopy) {
    using namespace std::literals;
    const auto older = test_worlds::with_block(1);
    const auto newer = with_bytes(older, "\x10Version\0\x06"sv, "\x10Version\0\x07"sv);
    const auto path = backup("backup", {older}, 1);
    test_worlds::make_world(folder_ / "world", {newer});
    for (const bool removes : {false, true}) {
        RepairOptions options;
        options.from = {path.string()};
        options.remove_unreadable = removes;
        NoProgress quiet;
        const auto report = repair(
            world::find_location(folder_ / "world").value(), world::Assets::built_in(), options,
            [](const RepairStep&) {}, quiet);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->chunks_restored, 0U);
        storage::ReadContext context;
        const auto store = world_.open({}).value();
        const auto now = store->read({0, 0}, context).value();
        ASSERT_TRUE(now);
        EXPECT_EQ(Buffer(now->begin(), now->end()), newer);
    }
}

TEST_F(DonorOrder, ARepairOfDamageAloneSetsNamesRightAndNothingElse) {
    using namespace std::literals;
    const auto wrong = with_bytes(test_worlds::plain(), "Rock_Stone\x80\0"sv, "Rock_Stone\x7f\0"sv);
    test_worlds::make_world(folder_ / "world", {with_bytes(wrong, "EnvironmentChunk", "EnvirtnmentChunk")});
    RepairOptions options;
    options.damage_only = true;
    NoProgress quiet;
    const auto report = repair(
        world::find_location(folder_ / "world").value(), world::Assets::built_in(), options,
        [](const RepairStep&) {}, quiet);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks_repaired, 1U);
    storage::ReadContext context;
    const auto store = world_.open({}).value();
    const auto now = store->read({0, 0}, context).value();
    ASSERT_TRUE(now);
    EXPECT_EQ(Buffer(now->begin(), now->end()), wrong) << "the count of cells is as it was";
}

TEST_F(DonorOrder, AWorldThatIsNotAloneNeedsABackupOfItsName) {
    using namespace test_worlds;
    const auto path = backup("backup", {plain()}, 1);
    const auto location = world::find_location(path).value();
    const auto identity = identity_of(world_);
    EXPECT_NE(identity.name, location.worlds.at(0).name);
    EXPECT_EQ(counterpart_of(identity, true, location, {}).world, &location.worlds.at(0));
    EXPECT_EQ(counterpart_of(identity, false, location, {}).world, nullptr);
}

/// Two index entries lead to one content, and a backup has something at both places.
class TwoEntries : public DonorOrder {
protected:
    RepairReport repaired(const Buffer& first, const Buffer& second) {
        const auto path = folder_ / "world" / "chunks" / "0.0.region.bin";
        test_worlds::make_world(folder_ / "world", {test_worlds::with_block(1), test_worlds::with_block(2)});
        std::fstream file(path);
        std::array<char, 4> entry{};
        file.seekg(32);
        file.read(entry.data(), 4);
        file.seekp(32 + 4);
        file.write(entry.data(), 4);
        file.close();
        RepairOptions options;
        options.from = {backup("backup", {first, second}, 1).string()};
        options.damage_only = true;
        NoProgress quiet;
        texts_.clear();
        return repair(
                   place_, world::Assets::built_in(), options,
                   [&](const RepairStep& step) { texts_ += to_text(step) + "\n"; }, quiet)
            .value();
    }
    std::string texts_;
};

TEST_F(TwoEntries, GoToTheOneThatABackupSpeaksFor) {
    using namespace test_worlds;
    EXPECT_EQ(repaired(with_block(1), with_block(2)).chunks_restored, 1U);
    EXPECT_NE(texts_.find("chunk 1,0: its index entry points to chunk 0,0 (as in a backup)"), texts_.npos)
        << texts_;
    EXPECT_EQ(repaired(with_block(2), with_block(1)).chunks_restored, 1U);
    EXPECT_NE(texts_.find("chunk 0,0: its index entry points to chunk 1,0 (as in a backup)"), texts_.npos)
        << texts_;
}

TEST_F(TwoEntries, StayWhereABackupHasTheSameAtBothPlacesOrNothingLikeIt) {
    using namespace test_worlds;
    for (const auto& same : {with_block(1), with_block(9)}) {
        const auto report = repaired(same, same);
        EXPECT_EQ(report.chunks_restored, 0U);
        EXPECT_EQ(report.left, 2U);
        EXPECT_NE(texts_.find("neither a backup nor the neighbouring chunks show which is right"),
                  texts_.npos)
            << texts_;
    }
}

TEST(RepairStep, AGuessIsNeverSaidToBeSurerThanItIs) {
    const std::string start =
        "this file has 3 more whole chunks whose positions are uncertain; they were not restored";
    EXPECT_EQ(uncertain_text(3, 0), start);
    EXPECT_EQ(uncertain_text(3, 0.505), start + ". The best guess is 50 % sure");
    EXPECT_EQ(uncertain_text(3, 0.499), start + ". The best guess is 49 % sure");
    EXPECT_EQ(uncertain_text(3, 0.999), start + ". The best guess is 99 % sure");
    EXPECT_EQ(uncertain_text(3, 0.001), start + ". The best guess is 0 % sure");
}

TEST(RepairStep, SaysWhereItIsAndWhatWouldHelp) {
    RepairStep step{RepairStep::Outcome::left, "w", "a.bin", ChunkPos{-1, 2}, "Block", "is cut", "ask"};
    EXPECT_EQ(to_text(step), "left a.bin: chunk -1,2, Block: is cut; ask");
    step.part.clear();
    EXPECT_EQ(place_text(step), "a.bin: chunk -1,2");
    step.chunk.reset();
    EXPECT_EQ(place_text(step), "a.bin");
    step.part = "header";
    step.advice.clear();
    EXPECT_EQ(to_text(step), "left a.bin: header: is cut");
    for (const auto& [outcome, text] : {std::pair(RepairStep::Outcome::repaired, "repaired"),
                                        std::pair(RepairStep::Outcome::restored, "restored"),
                                        std::pair(RepairStep::Outcome::removed, "removed")})
        EXPECT_EQ(name(outcome), text);
}

} // namespace
} // namespace orbis::jobs
