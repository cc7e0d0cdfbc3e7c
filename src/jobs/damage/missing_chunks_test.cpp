#include "jobs/convert/convert.hpp"
#include "jobs/missing/chunk_counts.hpp"
#include "jobs/repair/repair.hpp"
#include "jobs/snapshot/take.hpp"
#include "jobs/test_worlds/other_program_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/change.hpp"
#include "jobs/undo/undo.hpp"
#include "jobs/verify/verify.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace orbis::jobs {
namespace {

namespace fs = std::filesystem;
using namespace test_worlds;

constexpr std::int64_t k_third_of_march = 1'772'500'000; // 2026

/// A world of two regions with three and two chunks, and a backup of it.
class MissingChunksTest : public testing::Test {
protected:
    MissingChunksTest() {
        for (const auto* name : {"world", "backup"}) {
            make_world(folder_ / name, {with_block(1), with_block(2), with_block(3)});
            put(folder_ / name / "chunks" / "5.-1.region.bin",
                test::region_v1_image(
                    {{0, test::compressed_blob(with_block(4))}, {1, test::compressed_blob(with_block(5))}}));
        }
    }
    [[nodiscard]] fs::path counts_file() const { return folder_ / "world" / k_counts_file; }
    [[nodiscard]] world::Location location() const { return world::find_location(folder_ / "world").value(); }
    [[nodiscard]] world::World world() const { return location().worlds.at(0); }
    void lose_region() const { fs::remove(folder_ / "world" / "chunks" / "5.-1.region.bin"); }

    VerifyReport verified(bool quick = true, const world::World* against = nullptr) {
        VerifyOptions options{quick, 2};
        if (against != nullptr) options.against = {against};
        texts_.clear();
        return verify(
            location(), world::Assets::built_in(), options,
            [&](const Finding& finding) {
                if (finding.code == Code::chunk_fewer || finding.code == Code::chunk_missing)
                    texts_ += to_text(finding) + "\n";
            },
            quiet_);
    }
    /// As `orbis verify` does it.
    VerifyReport verified_and_remembered(bool accept = false) {
        auto report = verified();
        remember_counts(world(), report.counted.at(0).regions, k_third_of_march, accept);
        return report;
    }
    RepairReport repaired(bool missing, bool dry_run = false) {
        RepairOptions options;
        options.from = {(folder_ / "backup").string()};
        options.missing = missing;
        options.damage_only = true;
        options.dry_run = dry_run;
        texts_.clear();
        auto report = repair(
            location(), world::Assets::built_in(), options,
            [&](const RepairStep& step) { texts_ += to_text(step) + "\n"; }, quiet_);
        EXPECT_TRUE(report) << report.error().text();
        return report ? *std::move(report) : RepairReport();
    }

    test::TemporaryFolder folder_;
    NoProgress quiet_;
    std::vector<Error> problems_;
    std::string texts_;
};

TEST_F(MissingChunksTest, AWorldRemembersWhatItHadAndSaysSoUntilThatIsAccepted) {
    EXPECT_EQ(verified_and_remembered().fewer_chunks, 0U);
    lose_region();
    for (int i = 0; i < 2; ++i) { // to look does not make the loss forgotten
        const auto report = verified_and_remembered();
        EXPECT_EQ(report.fewer_chunks, 2U);
        EXPECT_EQ(report.damage, 0U);
        EXPECT_NE(texts_.find("2 chunks fewer than on 2026-03-03: region 5.-1 is gone (2)"), texts_.npos)
            << texts_;
    }
    EXPECT_EQ(verified(false).fewer_chunks, 2U);
    verified_and_remembered(true);
    EXPECT_EQ(verified().fewer_chunks, 0U);
}

TEST_F(MissingChunksTest, SnapshotsCountTooAndDoNotKeepTheCounts) {
    snapshot::TakeOptions options;
    const auto taken = snapshot::take(folder_ / "store", location(), options, quiet_);
    ASSERT_TRUE(taken) << taken.error().text();
    EXPECT_EQ(taken->counts.at(0), (RegionCounts{{{0, 0}, 3}, {{5, -1}, 2}}));
    remember_counts(world(), taken->counts.at(0), k_third_of_march, false);
    lose_region();
    EXPECT_EQ(verified().fewer_chunks, 2U);
    const auto again = snapshot::take(folder_ / "store", location(), options, quiet_);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->files, taken->files) << "the counts are no content";
}

TEST_F(MissingChunksTest, WhatAVerbOfOursRemovesIsNotMissed) {
    verified_and_remembered();
    lose_region();
    auto change = Change::begin(world(), {.verb = "prune"}).value();
    ASSERT_TRUE(change->remove({2, 0}) && change->finish());
    change.reset();
    EXPECT_EQ(verified().fewer_chunks, 2U) << "only what was lost before";
    const auto changed = location();
    const auto changes = past_changes(changed, problems_).value();
    ASSERT_FALSE(changes.empty());
    ASSERT_TRUE(undo_change(changes.front(), {}, quiet_));
    EXPECT_EQ(verified().fewer_chunks, 2U) << texts_;
    EXPECT_EQ(remembered_counts(world())[(RegionPos{0, 0})].chunks, 3U)
        << "what came back can be missed again";
    ASSERT_EQ(repaired(true).chunks_restored, 2U);
    EXPECT_EQ(verified().fewer_chunks, 0U) << texts_;
    lose_region();
    EXPECT_EQ(verified().fewer_chunks, 2U) << "what was brought back is remembered";
    verified_and_remembered(true);
    ASSERT_EQ(repaired(true).chunks_restored, 2U);
    lose_region();
    EXPECT_EQ(verified().fewer_chunks, 2U) << "also what was not known before";
}

TEST_F(MissingChunksTest, AMemoryThatMakesNoSenseIsNoneAndALinkIsNotFollowed) {
    const auto first = [&] {
        verified_and_remembered();
        const auto file = open_file(counts_file(), FileMode::read).value();
        return read_text(*file, 1 << 20).value();
    }();
    for (const std::string& text :
         {std::string(), std::string("nonsense\n0 0 9 9\n"), first + "9 9 5000 1\n9 9 x\n8 8 -1 1\n7 7 3",
          std::string(1 << 20, 'x'), std::string(100, '\0')}) {
        put(counts_file(), as_bytes(text));
        EXPECT_EQ(verified().fewer_chunks, 0U) << text.substr(0, 200);
    }
    fs::remove(counts_file());
    put(folder_ / "precious", as_bytes("of somebody else"));
    fs::create_symlink(folder_ / "precious", counts_file());
    verified_and_remembered();
    EXPECT_EQ(fs::file_size(folder_ / "precious"), 16U);
    fs::remove(counts_file());
    fs::create_directory(counts_file());
    EXPECT_EQ(verified_and_remembered().fewer_chunks, 0U);
}

TEST_F(MissingChunksTest, VerifyAgainstABackupNamesWhatIsNotThere) {
    const auto backup = world::find_location(folder_ / "backup").value();
    EXPECT_EQ(verified(true, &backup.worlds.at(0)).missing_chunks, 0U);
    lose_region();
    const auto report = verified(true, &backup.worlds.at(0));
    EXPECT_EQ(report.missing_chunks, 2U);
    EXPECT_EQ(report.damage, 1U);
    const auto chunks = (folder_ / "world" / "chunks").string();
    const auto other = (folder_ / "backup" / "chunks").string();
    const auto gone =
        fmt::format("damage chunk.missing {0}/5.-1.region.bin: 2 chunks of the backup {1} are not in "
                    "the world; the whole region is missing\n",
                    chunks, other);
    EXPECT_EQ(texts_, gone);
    {
        storage::StoreOptions how;
        how.write = true;
        ASSERT_TRUE(world().open(how).value()->remove({1, 0}));
    }
    EXPECT_EQ(verified(true, &backup.worlds.at(0)).missing_chunks, 3U);
    EXPECT_EQ(texts_,
              fmt::format("damage chunk.missing {0}/0.0.region.bin: 1 chunk of the backup {1} is not in the "
                          "world, such as 1,0\n{2}",
                          chunks, other, gone));
}

TEST_F(MissingChunksTest, WhatARepairBroughtBackIsMissingAgainAfterItsUndo) {
    verified_and_remembered();
    lose_region();
    ASSERT_EQ(repaired(true).chunks_restored, 2U);
    EXPECT_EQ(verified().fewer_chunks, 0U);
    const auto changed = location();
    ASSERT_TRUE(undo_change(past_changes(changed, problems_).value().front(), {}, quiet_));
    EXPECT_EQ(verified().fewer_chunks, 2U);
}

TEST_F(MissingChunksTest, ChunksOfADatabaseAreCountedByRegion) {
    const auto rocks = folder_ / "rocks";
    if (!convert_location(location(), rocks, StorageFormat::rocksdb, 1, quiet_)) return; // without RocksDB
    const auto report = verify(
        world::find_location(rocks).value(), world::Assets::built_in(), {.quick = false, .threads = 2},
        [](const Finding&) {}, quiet_);
    ASSERT_EQ(report.counted.size(), 1U);
    EXPECT_TRUE(report.counted[0].is_counted);
    EXPECT_EQ(report.counted[0].regions, (RegionCounts{{{0, 0}, 3}, {{5, -1}, 2}}));
    EXPECT_EQ(report.chunks, 5U);
}

TEST_F(MissingChunksTest, OfTheMemoryALineWithoutATimeCountsAndALinkIsNotRead) {
    remember_counts(world(), {{{0, 0}, 3}}, 0, false);
    EXPECT_EQ(remembered_counts(world())[(RegionPos{0, 0})].chunks, 3U) << "of the first second";
    fs::rename(counts_file(), folder_ / "elsewhere");
    fs::create_symlink(folder_ / "elsewhere", counts_file());
    EXPECT_TRUE(remembered_counts(world()).empty());
}

TEST_F(MissingChunksTest, PlayersOfTheBackupAreLookedForAmongThePlayers) {
    for (const auto* name : {"ours", "theirs"}) {
        make_world(folder_ / name / "worlds" / "w", {with_block(1)});
        for (const auto* player : {"1.json", "2.json"})
            put(folder_ / name / "players" / player, as_bytes(R"({"Components": {"Player": {}}})"));
    }
    const auto theirs = world::find_location(folder_ / "theirs").value();
    const auto found = [&] {
        VerifyOptions options{true, 1};
        options.against_universe = theirs.root;
        std::string texts;
        verify(
            world::find_location(folder_ / "ours").value(), world::Assets::built_in(), options,
            [&](const Finding& finding) {
                if (finding.severity() != Severity::note) texts += to_text(finding) + "\n";
            },
            quiet_);
        return texts;
    };
    const auto repairs = [&](bool missing) {
        RepairOptions options;
        options.from = {(folder_ / "theirs").string()};
        options.missing = missing;
        options.other_world = true;
        return repair(
                   world::find_location(folder_ / "ours").value(), world::Assets::built_in(), options,
                   [](const RepairStep&) {}, quiet_)
            .value();
    };
    EXPECT_EQ(found(), "");
    EXPECT_EQ(repairs(false).left, 0U);
    fs::remove(folder_ / "ours/players/2.json");
    EXPECT_EQ(found(), fmt::format("damage file.missing {0}/ours/players/2.json: the backup has "
                                   "{0}/theirs/players/2.json, but the world does not\n",
                                   folder_.path().string()));
    EXPECT_EQ(repairs(false).left, 1U);
    EXPECT_EQ(repairs(true).files, 1U);
    EXPECT_EQ(found(), "");
}

TEST_F(MissingChunksTest, ABrokenCopyInTheNewerBackupIsPassedOver) {
    const auto config = folder_ / "world" / "config.json";
    put(config, as_bytes("{"));
    put(folder_ / "backup" / "config.json", as_bytes(R"({"Version": 4})"));
    fs::copy(folder_ / "backup", folder_ / "newer", fs::copy_options::recursive);
    put(folder_ / "newer" / "config.json", as_bytes("{"));
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(folder_ / "backup", now - std::chrono::hours(2));
    fs::last_write_time(folder_ / "newer", now - std::chrono::hours(1));
    RepairOptions options;
    options.from = {(folder_ / "newer").string(), (folder_ / "backup").string()};
    options.damage_only = true;
    options.other_world = true;
    std::string texts;
    const auto report = repair(
        location(), world::Assets::built_in(), options,
        [&](const RepairStep& step) { texts += to_text(step) + "\n"; }, quiet_);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->files, 1U) << texts;
    EXPECT_NE(texts.find("; restored from " + (folder_ / "backup").string() + "\n"), texts.npos) << texts;
}

TEST_F(MissingChunksTest, WhereAProgramHasTheChunksOpenNoFileIsRepairedEither) {
    const auto config = folder_ / "world" / "config.json";
    put(config, as_bytes("{"));
    put(folder_ / "world" / "config.json.bak", as_bytes(R"({"Version": 4})"));
    const OtherProgram game(folder_ / "world" / "chunks" / "0.0.region.bin");
    const auto refused = repair(location(), world::Assets::built_in(), {}, [](const RepairStep&) {}, quiet_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::busy);
    EXPECT_EQ(fs::file_size(config), 1U);
}

TEST_F(MissingChunksTest, RepairNamesWhatABackupHasAndBringsItBackWhenAsked) {
    EXPECT_EQ(repaired(false).left, 0U);
    lose_region();
    const auto named = repaired(false);
    EXPECT_EQ(named.chunks_missing, 2U);
    EXPECT_EQ(named.left, 1U);
    EXPECT_EQ(named.chunks_restored, 0U);
    EXPECT_NE(texts_.find("2 chunks in " + (folder_ / "backup").string() + " are not in the world"),
              texts_.npos)
        << texts_;
    const auto planned = repaired(true, true);
    const auto steps = texts_;
    EXPECT_EQ(planned.chunks_restored, 2U);
    EXPECT_FALSE(fs::exists(folder_ / "world" / "chunks" / "5.-1.region.bin"));
    const auto done = repaired(true);
    EXPECT_EQ(texts_, steps);
    EXPECT_EQ(done.chunks_restored, 2U);
    EXPECT_EQ(done.left, 0U);
    EXPECT_EQ(repaired(false).chunks_missing, 0U);
}

TEST_F(MissingChunksTest, FilesThatABackupHasAreNamedAndBroughtBackToo) {
    const auto resource = folder_ / "world" / "resources" / "Time.json";
    put(folder_ / "backup" / "resources" / "Time.json", as_bytes("{}"));
    put(folder_ / "backup" / "resources" / "Broken.json", as_bytes("{"));
    const auto backup = world::find_location(folder_ / "backup").value();
    EXPECT_EQ(verified(true, &backup.worlds.at(0)).damage, 1U);
    EXPECT_EQ(repaired(false).left, 1U);
    EXPECT_NE(texts_.find("1 file in " + (folder_ / "backup").string() + " is missing here: Time.json;"),
              texts_.npos)
        << texts_;
    repaired(true, true);
    EXPECT_FALSE(fs::exists(resource));
    EXPECT_EQ(repaired(true).files, 1U);
    EXPECT_TRUE(fs::exists(resource));
    EXPECT_EQ(verified(true, &backup.worlds.at(0)).damage, 0U);
    const auto changed = location();
    ASSERT_TRUE(undo_change(past_changes(changed, problems_).value().front(), {}, quiet_));
    EXPECT_FALSE(fs::exists(resource));
}

TEST_F(MissingChunksTest, OfManyMissingFilesThreeAreNamedAndTheRestCounted) {
    const auto told = [&](std::string_view name) {
        put(folder_ / "backup" / "resources" / name, as_bytes("{}"));
        EXPECT_EQ(repaired(false).left, 1U);
        const auto at = texts_.find(" missing here: ");
        return at == texts_.npos ? texts_ : texts_.substr(at, texts_.find(';', at) - at);
    };
    EXPECT_EQ(told("A.json"), " missing here: A.json");
    told("B.json");
    EXPECT_EQ(told("C.json"), " missing here: A.json, B.json, C.json");
    EXPECT_EQ(told("D.json"), " missing here: A.json, B.json, C.json, 1 more");
    EXPECT_EQ(told("E.json"), " missing here: A.json, B.json, C.json, 2 more");
    EXPECT_NE(texts_.find("5 files in "), texts_.npos) << texts_;
}

TEST_F(MissingChunksTest, ARegionFileThatIsRepairedAloneMissesOnlyItsOwnChunks) {
    RepairOptions options;
    options.from = {(folder_ / "backup").string()};
    options.damage_only = true;
    const auto report = repair(
        world::find_location(folder_ / "world" / "chunks" / "0.0.region.bin").value(),
        world::Assets::built_in(), options, [](const RepairStep&) {}, quiet_);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks_missing, 0U);
}

TEST_F(MissingChunksTest, WhatIsFewerIsCountedByRegionWithTheOldestTime) {
    const RememberedCounts before{
        {{0, 0}, {5, 300}}, {{1, 0}, {1024, 100}}, {{2, 0}, {7, 200}}, {{3, 0}, {4, 50}}};
    const auto fewer = fewer_chunks(before, {{{0, 0}, 3}, {{2, 0}, 7}}, {{{3, 0}, 0}});
    EXPECT_EQ(fewer.chunks, 2U + 1024U) << "one that cannot be read is not gone";
    EXPECT_EQ(fewer.time, 100);
    ASSERT_EQ(fewer.regions.size(), 2U);
    EXPECT_EQ(fewer.regions.at({1, 0}).chunks, 1024U);
    EXPECT_EQ(fewer_chunks({{{0, 0}, {5, 100}}, {{1, 0}, {5, 300}}}, {}, {}).time, 100);
    EXPECT_EQ(fewer_chunks(before, {{{0, 0}, 5}, {{1, 0}, 1024}, {{2, 0}, 9}, {{3, 0}, 4}}, {}).chunks, 0U);
}

TEST_F(MissingChunksTest, TheTimeOfWhatIsStillThereGoesOnDayByDay) {
    const auto seen = [&](RegionPos pos) { return remembered_counts(world())[pos]; };
    constexpr std::int64_t k_day = 86400;
    const std::int64_t noon = k_third_of_march / k_day * k_day + k_day / 2;
    remember_counts(world(), {{{0, 0}, 1024}, {{5, -1}, 2}, {{6, 6}, 0}}, noon, false);
    EXPECT_EQ(seen({0, 0}).chunks, 1024U) << "as many as a region can have";
    EXPECT_FALSE(remembered_counts(world()).contains({6, 6})) << "nothing is not remembered";
    const auto written = fs::last_write_time(counts_file());
    remember_counts(world(), {{{0, 0}, 1024}, {{5, -1}, 2}}, noon + 100, false);
    EXPECT_EQ(fs::last_write_time(counts_file()), written) << "nothing new on the same day";
    remember_counts(world(), {{{0, 0}, 1024}, {{5, -1}, 1}}, noon + k_day, false);
    EXPECT_EQ(seen({0, 0}).time, noon + k_day);
    EXPECT_EQ(seen({5, -1}).time, noon) << "when there were two";
    EXPECT_EQ(seen({5, -1}).chunks, 2U);
    remember_counts(world(), {{{5, -1}, 0}}, noon + 2 * k_day, true);
    EXPECT_EQ(remembered_counts(world()).size(), 1U) << "accepted: only what is there now";
    EXPECT_EQ(seen({5, -1}).chunks, 0U);
}

TEST_F(MissingChunksTest, AnEmptyRegionThatIsKnownStaysKnown) {
    remember_counts(world(), {{{0, 0}, 3}, {{5, -1}, 0}}, k_third_of_march, true);
    remember_counts(world(), {{{0, 0}, 3}, {{5, -1}, 0}}, k_third_of_march, false);
    EXPECT_TRUE(remembered_counts(world()).contains({5, -1}));
}

TEST_F(MissingChunksTest, AWorldThatRemembersNothingBeginsWithWhatIsRemoved) {
    const auto edit = [&](const std::function<Result<void>(Change&)>& step) {
        const auto change = Change::begin(world(), {.verb = "test"}).value();
        ASSERT_TRUE(step(*change) && change->finish());
    };
    edit([](Change& change) { return change.write_document({3, 0}, with_block(6)); });
    EXPECT_FALSE(fs::exists(counts_file())) << "what is added is no news";
    edit([](Change& change) { return change.remove({3, 0}); });
    ASSERT_EQ(remembered_counts(world()).size(), 1U);
    EXPECT_EQ(remembered_counts(world())[(RegionPos{0, 0})].chunks, 3U);
    // Now it keeps what it has, also of regions that are new, and nothing of those that stay empty.
    edit([](Change& change) { return change.write_document({-1, -1}, with_block(6)); });
    EXPECT_EQ(remembered_counts(world())[(RegionPos{-1, -1})].chunks, 1U);
    edit([](Change& change) { return change.remove({-1, -1}); });
    EXPECT_EQ(remembered_counts(world())[(RegionPos{-1, -1})].chunks, 0U);
    EXPECT_EQ(verified().fewer_chunks, 0U);
}

TEST_F(MissingChunksTest, WhatWasLostBeforeKeepsItsTimeWhenMoreIsRemoved) {
    remember_counts(world(), {{{0, 0}, 9}, {{5, -1}, 2}}, k_third_of_march, false);
    const auto change = Change::begin(world(), {.verb = "test"}).value();
    ASSERT_TRUE(change->remove({0, 0}) && change->flush() && change->remove({1, 0}) && change->finish());
    const auto seen = remembered_counts(world())[(RegionPos{0, 0})];
    EXPECT_EQ(seen.chunks, 7U) << "six were lost, two removed";
    EXPECT_EQ(seen.time, k_third_of_march);
}

TEST_F(MissingChunksTest, AnUnreadableRegionThatIsSetAsideByUsIsNotMissed) {
    verified_and_remembered();
    put(folder_ / "world" / "chunks" / "5.-1.region.bin", as_bytes("nobody can read this"));
    {
        const auto change = Change::begin(world(), {.verb = "test"}).value();
        ASSERT_TRUE(change->move_file("chunks/5.-1.region.bin", "aside/5.-1.region.bin") && change->finish());
    }
    EXPECT_EQ(verified().fewer_chunks, 0U) << texts_;
}

TEST_F(MissingChunksTest, WhatLiesInARegionThatCannotBeReadIsNotMissing) {
    const auto backup = world::find_location(folder_ / "backup").value();
    verified_and_remembered();
    put(folder_ / "world" / "chunks" / "5.-1.region.bin", as_bytes("nobody can read this"));
    const auto report = verified(true, &backup.worlds.at(0));
    EXPECT_EQ(report.missing_chunks, 0U) << texts_;
    EXPECT_EQ(report.fewer_chunks, 0U) << texts_;
    EXPECT_EQ(report.damage, 1U);
}

TEST_F(MissingChunksTest, TheFirstRegionsAreNamedAndTheOthersCounted) {
    RegionCounts had{{{0, 0}, 5}};
    for (int x = 1; x < 5; ++x) had[{x, 0}] = 7;
    remember_counts(world(), had, k_third_of_march, false);
    put(folder_ / "world" / "chunks" / "1.0.region.bin", test::region_v1_image({}));
    EXPECT_EQ(verified().fewer_chunks, 2U + 4U * 7U);
    EXPECT_NE(
        texts_.find("30 chunks fewer than on 2026-03-03: region 0.0 has 3 of 5, region 1.0 is gone (7), "
                    "region 2.0 is gone (7), 2 more regions\n"),
        std::string::npos)
        << texts_;
}

TEST_F(MissingChunksTest, AChangeKeepsWhatIsRememberedTrue) {
    constexpr std::int64_t k_then = 1'000'000;
    const auto kept = [&](const RememberedCounts& before, const std::function<void(storage::Store&)>& edit) {
        fs::remove_all(folder_ / "kept");
        const auto made = make_world(folder_ / "kept", {with_block(1), with_block(2), with_block(3)});
        RegionCounts counts;
        for (const auto& [pos, seen] : before) counts[pos] = seen.chunks;
        if (!counts.empty()) remember_counts(made, counts, k_then, true);
        {
            storage::StoreOptions how;
            how.write = how.force = true;
            const auto store = made.open(how).value();
            CountKeeper keeper(folder_ / "kept", store.get());
            keeper.before_change({0, 0});
            keeper.before_change({1, 0});
            edit(*store);
            keeper.keep();
        }
        std::string text;
        for (const auto& [pos, seen] : remembered_counts(made))
            text += fmt::format("{:n} {} {}; ", pos, seen.chunks, seen.time == k_then ? "then" : "now");
        return text;
    };
    const auto nothing = [](storage::Store&) {};
    const auto adds = [](storage::Store& store) { EXPECT_TRUE(store.write({5, 0}, with_block(9))); };
    const auto removes = [](storage::Store& store) { EXPECT_TRUE(store.remove({0, 0}).value()); };
    const auto empties = [](storage::Store& store) {
        for (int x = 0; x < 3; ++x) EXPECT_TRUE(store.remove({x, 0}).value());
    };
    const auto adds_a_region = [](storage::Store& store) {
        EXPECT_TRUE(store.write({32, 0}, with_block(9)));
    };
    const auto has = [](std::uint32_t chunks) { return RememberedCounts{{{0, 0}, {chunks, 0}}}; };
    const RememberedCounts other{{{5, 5}, {1, 0}}};
    EXPECT_EQ(kept({}, nothing), "");
    EXPECT_EQ(kept({}, adds), "");
    EXPECT_EQ(kept({}, removes), "0.0 2 now; ");
    EXPECT_EQ(kept({}, empties), "0.0 0 now; ");
    EXPECT_EQ(kept(has(3), nothing), "0.0 3 now; ");
    EXPECT_EQ(kept(has(3), adds), "0.0 4 now; ");
    EXPECT_EQ(kept(has(3), removes), "0.0 2 now; ");
    EXPECT_EQ(kept(has(9), nothing), "0.0 9 then; ");
    EXPECT_EQ(kept(has(9), adds), "0.0 9 then; ");
    EXPECT_EQ(kept(has(9), removes), "0.0 8 then; ");
    EXPECT_EQ(kept(has(9), empties), "0.0 6 then; ");
    EXPECT_EQ(kept(has(4), adds), "0.0 4 now; ");
    EXPECT_EQ(kept(has(2), removes), "0.0 2 now; ");
    EXPECT_EQ(kept(other, nothing), "0.0 3 now; 5.5 1 then; ");
    EXPECT_EQ(kept(other, adds), "0.0 4 now; 5.5 1 then; ");
    EXPECT_EQ(kept(other, removes), "0.0 2 now; 5.5 1 then; ");
    EXPECT_EQ(kept(other, empties), "0.0 0 now; 5.5 1 then; ");
    EXPECT_EQ(kept(other, adds_a_region), "0.0 3 now; 1.0 1 now; 5.5 1 then; ");
    EXPECT_EQ(kept({}, adds_a_region), "");
}

TEST_F(MissingChunksTest, OnlyLinesThatMakeSenseAreRemembered) {
    const auto read = [&](std::string_view lines) {
        put(counts_file(),
            as_bytes(fmt::format(
                "Chunks of each region when orbis last looked: x z chunks time. May be deleted.\n{}",
                lines)));
        std::string text;
        for (const auto& [pos, seen] : remembered_counts(world()))
            text += fmt::format("{:n} {} {}; ", pos, seen.chunks, seen.time);
        return text;
    };
    EXPECT_EQ(read("0 0 1024 5\n-1 7 0 0\n"), "-1.7 0 0; 0.0 1024 5; ");
    EXPECT_EQ(read("0 0 1025 5\n1 0 3 -1\n2 0 3\nx\n3 0 -1 5\n4 0 9 6"), "4.0 9 6; ");
    EXPECT_EQ(read("0 0 1 5\n0 0 2 6\n"), "0.0 2 6; ") << "the last one counts";
    put(counts_file(), as_bytes("0 0 3 5\n"));
    EXPECT_TRUE(remembered_counts(world()).empty());
}

} // namespace
} // namespace orbis::jobs
