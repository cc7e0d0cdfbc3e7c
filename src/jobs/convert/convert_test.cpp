#include "bytes/writer.hpp"
#include "jobs/convert/convert.hpp"
#include "jobs/edit/compact.hpp"
#include "support/amount.hpp"
#include "support/power_cut.hpp"
#include "support/region_images.hpp"
#include "support/run_and_kill.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis::jobs {
namespace {

namespace fs = std::filesystem;

/// Stops a job at its n-th step, as a kill would: whatever is on the disk stays.
class Interruption final : public Progress {
public:
    explicit Interruption(std::uint64_t steps) : left_(steps) {}
    void begin(std::string_view, std::uint64_t) override {}
    void step() override {
        if (left_-- == 0) throw std::runtime_error("stopped");
    }

private:
    std::uint64_t left_;
};

Buffer document_of(ChunkPos pos) {
    const auto text = fmt::format("{} ", pos);
    Buffer document;
    for (int i = 0; i < 400; ++i) document.insert(document.end(), text.begin(), text.end());
    return document;
}

class ConvertTest : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(source_ / "chunks");
        std::ofstream(source_ / "config.json") << "{}";
        for (const RegionPos region : {RegionPos{0, 0}, RegionPos{-1, 2}}) {
            test::RegionContent content;
            for (int slot = 0; slot < 1024; slot += 37)
                content[slot] = test::compressed_blob(document_of(region.chunk(Slot{slot})));
            count_ += content.size();
            const auto image = test::region_v1_image(content);
            std::ofstream(source_ / "chunks" / storage::region_file_name(region), std::ios::binary)
                << as_text(image);
        }
    }

    void expect_all_in(const fs::path& target) const {
        const auto location = world::find_location(target).value();
        const auto store = location.worlds.front().open({}).value();
        storage::ReadContext context;
        std::uint64_t found = 0;
        const auto cursor = store->chunks();
        while (const auto pos = cursor->next().value()) {
            const auto document = store->read(*pos, context).value().value();
            EXPECT_EQ(Buffer(document.begin(), document.end()), document_of(*pos));
            ++found;
        }
        EXPECT_EQ(found, count_);
    }

    static std::size_t count_unfinished(const fs::path& target) {
        std::size_t count = 0;
        for (const auto& entry : fs::recursive_directory_iterator(target))
            if (entry.path().string().ends_with(".orbis-tmp")) ++count;
        return count;
    }

    test::TemporaryFolder folder_;
    fs::path source_ = folder_ / "source";
    std::uint64_t count_ = 0;
    NoProgress quiet_;
};

TEST_F(ConvertTest, EveryStoreToEveryStore) {
    const auto location = world::find_location(source_).value();
    for (const std::size_t threads : {1U, 3U}) {
        const auto rocks = folder_ / fmt::format("rocks{}", threads);
        const auto back = folder_ / fmt::format("back{}", threads);
        EXPECT_EQ(convert_location(location, rocks, StorageFormat::rocksdb, threads, quiet_).value().verified,
                  count_);
        expect_all_in(rocks);
        const auto middle = world::find_location(rocks).value();
        EXPECT_EQ(
            convert_location(middle, back, StorageFormat::region_files, threads, quiet_).value().written,
            count_);
        expect_all_in(back);
    }
}

TEST_F(ConvertTest, AnInterruptedConversionGoesOnWhereItStopped) {
    const auto location = world::find_location(source_).value();
    for (const auto format : {StorageFormat::region_files, StorageFormat::rocksdb})
        for (std::uint64_t steps = 0; steps < 2 * count_; steps += 23) {
            const auto target = folder_ / fmt::format("target{}-{}", static_cast<int>(format), steps);
            Interruption stop(steps);
            EXPECT_THROW((void)convert_location(location, target, format, 1, stop), std::runtime_error);
            const auto report = convert_location(location, target, format, 1, quiet_).value();
            EXPECT_TRUE(report.problems.empty());
            EXPECT_EQ(report.written + report.already_there, count_);
            EXPECT_EQ(report.verified, count_);
            if (steps >= count_) {
                EXPECT_EQ(report.already_there, count_) << "what is there is not copied again";
            }
            expect_all_in(target);
            EXPECT_EQ(convert_location(location, target, format, 1, quiet_).error().code, Errc::exists)
                << "now it is complete";
        }
}

TEST_F(ConvertTest, TheSameCallFinishesWhereverAKillCame) {
    const auto location = world::find_location(source_).value();
    for (const auto format : {StorageFormat::region_files, StorageFormat::rocksdb}) {
        // RocksDB leaves threads behind, and the thread sanitizer follows no fork of a process that has some.
        if (test::k_watches_threads && format == StorageFormat::rocksdb) continue;
        const auto target = folder_ / fmt::format("killed{}", static_cast<int>(format));
        const auto convert = [&] { (void)convert_location(location, target, format, 1, quiet_); };
        const auto moments = test::count_moments(convert);
        const int rounds = test::amount(6);
        for (int round = 0; round < rounds; ++round) {
            const auto moment = moments * round / rounds;
            SCOPED_TRACE(fmt::format("killed at moment {} of {}", moment, moments));
            fs::remove_all(target);
            ASSERT_EQ(test::run_and_kill(convert, moment), moment);
            const auto again = convert_location(location, target, format, 1, quiet_);
            ASSERT_TRUE(again) << again.error().text();
            EXPECT_TRUE(again->problems.empty());
            EXPECT_EQ(again->verified, count_);
            EXPECT_EQ(count_unfinished(target), 0U);
        }
        expect_all_in(target);
    }
}

TEST_F(ConvertTest, ANoteThatAKillKeptFromItsNameIsNotInTheWay) {
    const auto location = world::find_location(source_).value();
    const auto target = folder_ / "target";
    fs::create_directories(target);
    std::ofstream(target / (std::string(world::k_unfinished_note) + ".orbis-tmp")) << "half of a no";
    EXPECT_TRUE(convert_location(location, target, StorageFormat::region_files, 1, quiet_));
    EXPECT_EQ(count_unfinished(target), 0U);
    expect_all_in(target);
    // Anything else is.
    const auto other = folder_ / "other";
    fs::create_directories(other);
    std::ofstream(other / "mine.orbis-tmp") << "mine";
    EXPECT_EQ(convert_location(location, other, StorageFormat::region_files, 1, quiet_).error().code,
              Errc::exists);
}

TEST_F(ConvertTest, AFileThatWasCompleteWhenAKillCameIsSaidToBe) {
    const auto one = folder_ / "one";
    fs::create_directories(one);
    fs::copy_file(source_ / "chunks/0.0.region.bin", one / "0.0.region.bin");
    const auto location = world::find_location(one).value();
    const auto target = folder_ / "0.0.region.bin";
    const auto convert = [&] {
        return convert_location(location, target, StorageFormat::region_files, 1, quiet_);
    };
    ASSERT_TRUE(convert());
    fs::create_directories(folder_ / "0.0.region.bin.orbis-tmp");
    EXPECT_NE(convert().error().advice.find("it is complete"), std::string::npos);
    EXPECT_EQ(count_unfinished(folder_.path()), 0U);
    EXPECT_EQ(convert().error().advice.find("it is complete"), std::string::npos);
}

TEST_F(ConvertTest, CompactingGivesHolesBackAndKeepsEveryChunk) {
    const auto location = world::find_location(source_).value();
    const auto& world = location.worlds.front();
    {
        storage::StoreOptions options;
        options.write = true;
        const auto store = world.open(options).value();
        for (int i = 0; i < 10; ++i) // the first copy leaves a hole
            ASSERT_TRUE(store->write({i, 0}, Buffer(100000, static_cast<std::uint8_t>(i))));
        for (int i = 0; i < 10; ++i) (void)store->remove({i, 0}).value();
        ASSERT_TRUE(store->write({0, 0}, document_of({0, 0})));
    }
    for (const std::optional<int> level : {std::optional<int>(), std::optional<int>(9)}) {
        const CompactOptions options{level, false, false, 2};
        const auto report = compact(world, options, quiet_).value();
        EXPECT_TRUE(report.problems.empty());
        expect_all_in(source_);
    }
}

TEST_F(ConvertTest, AnInterruptedCompactionLeavesOldOrNewFiles) {
    const auto location = world::find_location(source_).value();
    for (std::uint64_t steps = 0; steps < 2; ++steps) {
        Interruption stop(steps);
        EXPECT_THROW((void)compact(location.worlds.front(), {9, false, false, 1}, stop), std::runtime_error);
        expect_all_in(source_);
    }
}

TEST_F(ConvertTest, CompactingSweepsWhatKilledRunsHaveLeft) {
    const auto world = world::find_location(source_).value().worlds.front();
    for (const auto* name : {"0.0.region.bin.orbis-tmp", "7.7.region.bin.orbis-tmp"})
        std::ofstream(source_ / "chunks" / name) << "half";
    std::ofstream(source_ / "chunks/notes.orbis-tmp") << "not ours";
    ASSERT_TRUE(compact(world, {}, quiet_));
    EXPECT_EQ(count_unfinished(source_), 1U);
}

TEST_F(ConvertTest, OneWorldIsNotTakenForAnotherWhenResuming) {
    for (const char* name : {"a", "b"}) {
        fs::create_directories(folder_ / "u/worlds" / name);
        fs::copy(source_, folder_ / "u/worlds" / name, fs::copy_options::recursive);
    }
    const auto universe = world::find_location(folder_ / "u").value();
    const auto target = folder_ / "one";
    Interruption stop(3);
    EXPECT_THROW((void)convert_location(world::narrow_to_world(universe, "a").value(), target,
                                        StorageFormat::region_files, 1, stop),
                 std::runtime_error);
    EXPECT_EQ(convert_location(world::narrow_to_world(universe, "b").value(), target,
                               StorageFormat::region_files, 1, quiet_)
                  .error()
                  .code,
              Errc::exists);
}

TEST_F(ConvertTest, AConfigurationThatCannotBeReadIsCarriedAlong) {
    std::ofstream(source_ / "config.json") << "{\"Seed\": 12";
    const auto target = folder_ / "target";
    const auto report = convert_location(world::find_location(source_).value(), target,
                                         StorageFormat::region_files, 1, quiet_)
                            .value();
    EXPECT_FALSE(report.problems.empty());
    EXPECT_EQ(read_text(*open_file(target / "config.json", FileMode::read).value(), 100).value(),
              "{\"Seed\": 12");
    expect_all_in(target);
}

TEST_F(ConvertTest, TheProviderThatTheGameNotedFollows) {
    fs::create_directories(source_ / "resources");
    std::ofstream(source_ / "resources" / "ChunkStorage.json")
        << R"({"CurrentProvider":{"Type":"IndexedStorage"}})";
    const auto target = folder_ / "target";
    ASSERT_TRUE(
        convert_location(world::find_location(source_).value(), target, StorageFormat::rocksdb, 1, quiet_));
    const auto noted =
        read_text(*open_file(target / "resources" / "ChunkStorage.json", FileMode::read).value(), 1000)
            .value();
    EXPECT_NE(noted.find("RocksDb"), std::string::npos);
}

TEST_F(ConvertTest, LinksStayLinksPermissionsStayAndNothingElseIsCopied) {
    std::ofstream(folder_ / "private.key") << "secret";
    std::ofstream(source_ / "own.key") << "secret";
    fs::permissions(source_ / "own.key", fs::perms{0600});
    fs::permissions(source_ / "config.json", fs::perms{0640});
    fs::create_directories(source_ / "closed");
    std::ofstream(source_ / "closed/file") << "x";
    fs::permissions(source_ / "closed", fs::perms{0700});
    fs::create_symlink(folder_ / "private.key", source_ / "stolen.key");
    fs::create_directory_symlink("..", source_ / "loop");
    fs::create_directory_symlink(folder_.path(), source_ / "out");
    ASSERT_EQ(mkfifo((source_ / "pipe").c_str(), 0600), 0);
    const auto target = folder_ / "target";
    const auto report = convert_location(world::find_location(source_).value(), target,
                                         StorageFormat::region_files, 1, quiet_)
                            .value();
    EXPECT_EQ(report.missing, 0U);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_NE(report.problems[0].text().find("pipe"), std::string::npos) << report.problems[0].text();
    EXPECT_EQ(fs::read_symlink(target / "stolen.key"), folder_ / "private.key");
    EXPECT_EQ(fs::read_symlink(target / "loop"), "..");
    EXPECT_EQ(fs::read_symlink(target / "out"), folder_.path());
    EXPECT_FALSE(fs::exists(fs::symlink_status(target / "pipe")));
    EXPECT_EQ(fs::status(target / "own.key").permissions(), fs::perms{0600});
    EXPECT_EQ(fs::status(target / "config.json").permissions(), fs::perms{0640});
    EXPECT_EQ(fs::status(target / "closed").permissions(), fs::perms{0700});
    EXPECT_EQ(fs::file_size(target / "closed/file"), 1U);
    expect_all_in(target);
}

TEST_F(ConvertTest, AWorldWhoseChunksAreALinkIsRefusedAndNotTakenForEmpty) {
    fs::rename(source_ / "chunks", folder_ / "elsewhere");
    fs::create_directory_symlink(folder_ / "elsewhere", source_ / "chunks");
    const auto location = world::find_location(source_).value();
    const auto opened = location.worlds.front().open({});
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().text().find("a link to " + (folder_ / "elsewhere").string()), std::string::npos)
        << opened.error().text();
    EXPECT_FALSE(convert_location(location, folder_ / "target", StorageFormat::region_files, 1, quiet_));
    EXPECT_FALSE(compact(location.worlds.front(), {}, quiet_));
    expect_all_in(folder_ / "elsewhere");
}

TEST_F(ConvertTest, ALinkedRegionFileIsAProblemAndNeitherReadNorWritten) {
    fs::rename(source_ / "chunks/0.0.region.bin", folder_ / "0.0.region.bin");
    fs::create_symlink(folder_ / "0.0.region.bin", source_ / "chunks/0.0.region.bin");
    const auto location = world::find_location(source_).value();
    const auto store = location.worlds.front().open({}).value();
    storage::ReadContext context;
    EXPECT_FALSE(store->read({0, 0}, context));
    storage::StoreOptions options;
    options.write = true;
    EXPECT_FALSE(location.worlds.front().open(options).value()->write({0, 0}, document_of({0, 0})));
    const auto report =
        convert_location(location, folder_ / "target", StorageFormat::region_files, 1, quiet_).value();
    EXPECT_GT(report.missing, 0U);
    // The user may name the link itself.
    fs::create_symlink("source/chunks/-1.2.region.bin", folder_ / "-1.2.region.bin");
    const auto named = world::find_location(folder_ / "-1.2.region.bin").value();
    EXPECT_TRUE(named.worlds.front().open({}).value()->contains(RegionPos{-1, 2}.chunk(Slot{0})).value());
}

TEST_F(ConvertTest, ALinkedWorldOfAUniverseIsNamedAndNeverOpened) {
    const auto universe = folder_ / "universe";
    fs::create_directories(universe / "worlds");
    fs::rename(source_, universe / "worlds/real");
    fs::create_directory_symlink(universe / "worlds/real", universe / "worlds/linked");
    const auto location = world::find_location(universe).value();
    ASSERT_EQ(location.worlds.size(), 2U);
    EXPECT_EQ(location.worlds[0].name, "linked");
    ASSERT_EQ(location.worlds[0].notes.size(), 1U);
    EXPECT_FALSE(location.worlds[0].open({}));
    EXPECT_TRUE(location.worlds[1].notes.empty());
    EXPECT_TRUE(location.worlds[1].open({}));
    fs::rename(universe / "worlds", folder_ / "worlds");
    fs::create_directory_symlink(folder_ / "worlds", universe / "worlds");
    EXPECT_NE(world::find_location(universe).error().text().find("a link to"), std::string::npos);
}

TEST_F(ConvertTest, AnUnfinishedTargetWithLinksInItIsNotWrittenThrough) {
    const auto location = world::find_location(source_).value();
    std::ofstream(source_ / "notes.txt") << "x";
    const auto outside = folder_ / "outside";
    for (const auto* name : {"chunks", "notes.txt", "config.json", "orbis-convert.unfinished"}) {
        const auto target = folder_ / fmt::format("target-{}", name);
        Interruption stop(3);
        EXPECT_THROW((void)convert_location(location, target, StorageFormat::region_files, 1, stop),
                     std::runtime_error);
        fs::create_directories(outside);
        const auto at = target / name;
        if (fs::is_directory(at)) {
            fs::remove_all(at);
            fs::create_directory_symlink(outside, at);
        } else {
            fs::rename(at, outside / name);
            fs::create_symlink(outside / name, at);
        }
        const auto before =
            fs::exists(outside / name) ? fs::last_write_time(outside / name) : fs::last_write_time(outside);
        const auto report = convert_location(location, target, StorageFormat::region_files, 1, quiet_);
        EXPECT_TRUE(!report || report->missing > 0 || !report->problems.empty()) << name;
        EXPECT_EQ(fs::exists(outside / name) ? fs::last_write_time(outside / name)
                                             : fs::last_write_time(outside),
                  before)
            << name;
        fs::remove_all(outside);
    }
}

/// A copy says that it is not finished, or is whole; and it is there when it is said to be done.
TEST(ConvertPowerCut, ACopyIsWholeOrSaysThatItIsNot) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "work");
    test::write_folder(folder / "world",
                       {{"config.json", "{}"}, {"resources/", ""}, {"resources/a.json", "{}"}});
    const auto image = test::region_v1_image(
        {{0, test::compressed_blob(document_of({0, 0}))}, {5, test::compressed_blob(document_of({5, 0}))}});
    test::write_folder(folder / "world" / "chunks", {{"0.0.region.bin", std::string(as_text(image))}});
    const auto target = folder / "work" / "copy";
    const auto convert = [&] {
        NoProgress quiet;
        return convert_location(world::find_location(folder / "world").value(), target,
                                StorageFormat::region_files, 1, quiet)
                   ? 0
                   : 1;
    };
    const auto run = test::after_power_cuts(folder / "work", convert, [&](const test::PowerCut& cut) {
        SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
        const bool is_done = fs::exists(target) && !fs::is_empty(target) && world::find_location(target)
                             && !fs::exists(target / world::k_unfinished_note);
        EXPECT_TRUE(is_done || !cut.finished);
        if (!is_done) {
            EXPECT_EQ(convert(), 0) << "the same again finishes";
        }
        const auto store = world::find_location(target).value().worlds.front().open({}).value();
        storage::ReadContext context;
        for (const ChunkPos pos : {ChunkPos{0, 0}, ChunkPos{5, 0}}) {
            const auto document = store->read(pos, context);
            ASSERT_TRUE(document && *document);
            EXPECT_TRUE(std::ranges::equal(**document, document_of(pos)));
        }
        EXPECT_TRUE(fs::exists(target / "resources" / "a.json"));
        EXPECT_FALSE(fs::exists(target / world::k_unfinished_note));
    });
    EXPECT_EQ(run.exit_code, 0);
}

TEST(ConvertDamaged, ACopyThatLacksSomethingSaysSoUntilItIsWhole) {
    const test::TemporaryFolder folder;
    auto image = test::region_v1_image({{0, test::compressed_blob(document_of({0, 0}))}});
    store_be(image.data() + 32 + 4 * 5, std::int32_t{100'000}); // chunk 5,0 leads out of the file
    test::write_folder(folder / "world", {{"config.json", "{}"}, {"chunks/", ""}});
    test::write_folder(folder / "world" / "chunks", {{"0.0.region.bin", std::string(as_text(image))}});
    NoProgress quiet;
    const auto report = convert_location(world::find_location(folder / "world").value(), folder / "copy",
                                         StorageFormat::region_files, 1, quiet);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->missing, 1U);
    EXPECT_EQ(report->verified, 1U);
    EXPECT_TRUE(fs::exists(folder / "copy" / world::k_unfinished_note));
}

TEST(CompactPowerCut, AFileIsTheOldOrTheNewOne) {
    const test::TemporaryFolder folder;
    const auto image = test::region_v1_image(
        {{0, test::compressed_blob(document_of({0, 0}))}, {5, test::compressed_blob(document_of({5, 0}))}});
    test::write_folder(folder.path(), {{"0.0.region.bin", std::string(as_text(image))}});
    const auto world = world::find_location(folder.path()).value().worlds.at(0);
    const auto run = test::after_power_cuts(
        folder.path(),
        [&] {
            NoProgress quiet;
            const auto done =
                compact(world, {.level = 9, .force = true, .dry_run = false, .threads = 1}, quiet);
            return done && done->problems.empty() && done->files.at(0).rewritten ? 0 : 1;
        },
        [&](const test::PowerCut& cut) {
            SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
            const auto store = world.open({}).value();
            storage::ReadContext context;
            for (const ChunkPos pos : {ChunkPos{0, 0}, ChunkPos{5, 0}}) {
                const auto document = store->read(pos, context);
                ASSERT_TRUE(document && *document);
                EXPECT_TRUE(std::ranges::equal(**document, document_of(pos)));
            }
        });
    EXPECT_EQ(run.exit_code, 0);
}

TEST_F(ConvertTest, WhatChangedInTheSourceSinceAnInterruptionIsCopiedAgain) {
    const auto location = world::find_location(source_).value();
    const auto target = folder_ / "target";
    Interruption stop(count_ + 5);
    EXPECT_THROW((void)convert_location(location, target, StorageFormat::region_files, 1, stop),
                 std::runtime_error);
    storage::StoreOptions writing;
    writing.write = true;
    ASSERT_TRUE(location.worlds.front().open(writing).value()->write({0, 0}, document_of({9, 9})));
    const auto report = convert_location(location, target, StorageFormat::region_files, 1, quiet_).value();
    EXPECT_TRUE(report.problems.empty());
    EXPECT_EQ(report.written, 1U);
    EXPECT_EQ(report.already_there, count_ - 1);
    storage::ReadContext context;
    const auto store = world::find_location(target).value().worlds.front().open({}).value();
    EXPECT_TRUE(std::ranges::equal(store->read({0, 0}, context).value().value(), document_of({9, 9})));
}

TEST_F(ConvertTest, AnUnfinishedCopyIsFinishedInItsOwnFormatOnly) {
    const auto location = world::find_location(source_).value();
    const auto target = folder_ / "target";
    Interruption stop(3);
    EXPECT_THROW(
        (void)convert_location(location, target, StorageFormat::region_files, 1, stop, "orbis convert a b"),
        std::runtime_error);
    const auto refused = convert_location(location, target, StorageFormat::rocksdb, 1, quiet_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::exists);
    EXPECT_NE(refused.error().advice.find("&& orbis convert a b"), std::string::npos)
        << refused.error().text();
    EXPECT_TRUE(refused.error().advice.ends_with("orbis convert a b")) << refused.error().text();
}

TEST_F(ConvertTest, DamageTravelsAsItIsAndIsTold) {
    const auto one = folder_ / "one";
    auto blob = test::compressed_blob(document_of({1, 0}));
    blob.frame[0] ^= 0xFF;
    auto image = test::region_v1_image({{0, test::compressed_blob(document_of({0, 0}))}, {1, blob}});
    store_be(image.data() + 32 + 4 * 7, std::int32_t{1}); // chunk 7,0 on the segment of 0,0
    fs::create_directories(one);
    std::ofstream(one / "0.0.region.bin", std::ios::binary) << as_text(image);
    const auto report = convert_location(world::find_location(one).value(), folder_ / "copy",
                                         StorageFormat::region_files, 1, quiet_)
                            .value();
    EXPECT_EQ(report.written, 3U);
    EXPECT_EQ(report.verified, 3U);
    EXPECT_EQ(report.missing, 0U);
    ASSERT_EQ(report.problems.size(), 2U);
    EXPECT_EQ(report.problems[0].code, Errc::overlap);
    EXPECT_NE(report.problems[1].text().find("chunk 1,0"), std::string::npos);
    storage::ReadContext context;
    const auto store = world::find_location(folder_ / "copy").value().worlds.front().open({}).value();
    EXPECT_TRUE(std::ranges::equal(store->read_compressed({1, 0}, context).value()->bytes, blob.frame));
}

TEST_F(ConvertTest, AUniverseComesWithoutWhatTheGameDeletedAndSaysWhatItLeavesOut) {
    const auto universe = folder_ / "u";
    fs::create_directories(universe / "worlds");
    fs::create_directories(universe / "worlds-deleted/old/chunks");
    fs::create_directories(universe / "players");
    std::ofstream(universe / "players/a.json") << "{}";
    fs::rename(source_, universe / "worlds/w");
    fs::create_directories(universe / "worlds/w/resources/chunks");
    std::ofstream(universe / "worlds/w/resources/chunks/note") << "not chunks of the world";
    fs::create_directories(universe / "worlds/w/db");
    std::ofstream(universe / "worlds/w/db/CURRENT") << "unused";
    const auto target = folder_ / "target";
    const auto report = convert_location(world::find_location(universe).value(), target,
                                         StorageFormat::region_files, 1, quiet_);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->left_out, std::vector<std::string>{(universe / "worlds/w/db").string()});
    EXPECT_EQ(report->files_copied, 2U) << "a player and a note; the configuration is written";
    EXPECT_FALSE(fs::exists(target / "worlds-deleted"));
    EXPECT_FALSE(fs::exists(target / "worlds/w/db"));
    EXPECT_TRUE(fs::exists(target / "worlds/w/resources/chunks/note"));
    EXPECT_TRUE(fs::exists(target / "players/a.json"));
    expect_all_in(target);
}

TEST_F(ConvertTest, AnEmptyFolderThatIsNotUsedIsNotLeftOut) {
    fs::create_directories(source_ / "db");
    const auto report = convert_location(world::find_location(source_).value(), folder_ / "target",
                                         StorageFormat::region_files, 1, quiet_);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->left_out.empty());
}

TEST_F(ConvertTest, FoldersAreCopiedDownToTheHundredth) {
    auto deep = source_;
    for (int i = 0; i < 100; ++i) deep /= "d";
    fs::create_directories(deep);
    std::ofstream(deep / "last") << "x";
    const auto convert = [&](const char* name) {
        return convert_location(world::find_location(source_).value(), folder_ / name,
                                StorageFormat::region_files, 1, quiet_)
            .value();
    };
    EXPECT_EQ(convert("whole").missing, 0U);
    fs::create_directories(deep / "d");
    const auto cut = convert("cut");
    EXPECT_EQ(cut.missing, 1U);
    ASSERT_EQ(cut.problems.size(), 1U);
    EXPECT_EQ(cut.problems[0].code, Errc::too_deep);
}

TEST_F(ConvertTest, OneRegionFileIsMadeOfOneRegionAlone) {
    const auto location = world::find_location(source_).value();
    const auto convert = [&](const world::Location& from, const char* name) {
        return convert_location(from, folder_ / name, StorageFormat::region_files, 1, quiet_);
    };
    const auto both = convert(location, "0.0.region.bin");
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().code, Errc::usage);
    EXPECT_FALSE(fs::exists(folder_ / "0.0.region.bin"));
    fs::remove(source_ / "chunks/-1.2.region.bin");
    EXPECT_EQ(convert(location, "1.0.region.bin").error().code, Errc::usage) << "another region";
    // What a killed run has left is not part of the file.
    const auto left = folder_ / "0.0.region.bin.orbis-tmp";
    fs::create_directories(left);
    const auto image = test::region_v1_image({{1, test::compressed_blob(document_of({1, 0}))}});
    std::ofstream(left / "0.0.region.bin", std::ios::binary) << as_text(image);
    ASSERT_TRUE(convert(location, "0.0.region.bin"));
    const auto made = world::find_location(folder_ / "0.0.region.bin").value();
    EXPECT_FALSE(made.worlds.front().open({}).value()->contains({1, 0}).value());
    EXPECT_FALSE(fs::exists(left));
    const auto empty = folder_ / "empty";
    fs::create_directories(empty);
    std::ofstream(empty / "2.2.region.bin", std::ios::binary) << as_text(test::region_v1_image({}));
    const auto nothing = convert(world::find_location(empty).value(), "2.2.region.bin");
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().code, Errc::not_found);
    EXPECT_FALSE(fs::exists(folder_ / "2.2.region.bin"));
}

TEST_F(ConvertTest, CompactingTouchesOnlyWhatItCanImprove) {
    std::string text;
    for (std::uint64_t i = 0; i < 3000; ++i) text += fmt::format("block{} ", i * i * 7919 % 503);
    const auto blob = test::compressed_blob(as_bytes(text));
    const auto file = folder_ / "one/0.0.region.bin";
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << as_text(test::region_v1_image({{0, blob}, {9, blob}}));
    const auto world = world::find_location(file.parent_path()).value().worlds.front();
    const auto content = [&] {
        std::ifstream in(file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const auto whole = content();
    EXPECT_FALSE(compact(world, {}, quiet_).value().files.at(0).rewritten) << "there are no holes";
    EXPECT_TRUE(content() == whole);
    // A dry run says what would be, and leaves nothing behind.
    const auto temporary = fs::temp_directory_path();
    const auto left_there = [&] {
        return std::ranges::count_if(fs::directory_iterator(temporary), [](const auto& entry) {
            return entry.path().filename().string().starts_with(fmt::format("orbis-{}-", getpid()));
        });
    };
    const auto planned = compact(world, {.level = 19, .dry_run = true}, quiet_).value().files.at(0);
    EXPECT_TRUE(content() == whole);
    EXPECT_EQ(left_there(), 0);
    EXPECT_TRUE(planned.rewritten);
    const auto done = compact(world, {.level = 19}, quiet_).value().files.at(0);
    EXPECT_EQ(done.bytes_before, whole.size());
    EXPECT_EQ(done.bytes_after, fs::file_size(file));
    EXPECT_EQ(planned.bytes_after, done.bytes_after);
    EXPECT_FALSE(content() == whole) << "other frames";
    storage::ReadContext context;
    EXPECT_EQ(as_text(world.open({}).value()->read({9, 0}, context).value().value()), text);
    // Two chunks on one segment: nobody can say whose it is.
    auto doubled = whole;
    doubled.replace(32 + 4 * 5, 4, whole.substr(32, 4));
    std::ofstream(file, std::ios::binary) << doubled;
    const auto refused = compact(world, {.level = 19}, quiet_).value();
    EXPECT_FALSE(refused.files.at(0).rewritten);
    EXPECT_EQ(refused.problems.size(), 1U);
    EXPECT_TRUE(content() == doubled);
}

TEST_F(ConvertTest, CompactingBringsAnOldContainerToTodayAlsoWithoutHolesAndTellsOfDamage) {
    const auto folder = folder_ / "old";
    fs::create_directories(folder);
    auto blob = test::compressed_blob(document_of({1, 0}));
    blob.frame[0] ^= 0xFF;
    const auto put_image = [&](const Buffer& image) {
        std::ofstream(folder / "0.0.region.bin", std::ios::binary) << as_text(image);
    };
    const auto world = [&] { return world::find_location(folder).value().worlds.front(); };
    put_image(test::region_v0_image({{0, test::compressed_blob(document_of({0, 0}))}}));
    EXPECT_TRUE(compact(world(), {}, quiet_).value().files.at(0).rewritten);
    std::ifstream in(folder / "0.0.region.bin", std::ios::binary);
    std::string header(24, 0);
    in.read(header.data(), 24);
    EXPECT_EQ(header.back(), 1) << "the container version";
    put_image(test::region_v1_image({{0, test::compressed_blob(document_of({0, 0}))}, {1, blob}}));
    const auto report = compact(world(), {.level = 9}, quiet_).value();
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.problems[0].offset, 4128U + 4096U + 8U) << "where the frame begins";
    EXPECT_TRUE(report.files.at(0).rewritten);
    storage::ReadContext context;
    EXPECT_TRUE(std::ranges::equal(world().open({}).value()->read_compressed({1, 0}, context).value()->bytes,
                                   blob.frame));
}

} // namespace
} // namespace orbis::jobs
