#include "bytes/reader.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/change.hpp"
#include "jobs/undo/salvage.hpp"
#include "jobs/undo/undo.hpp"
#include "storage/walk.hpp"
#include "support/amount.hpp"
#include "support/power_cut.hpp"
#include "support/run_and_kill.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sys/stat.h>

namespace orbis::jobs {
namespace {

namespace fs = std::filesystem;
using test_worlds::make_world;
using test_worlds::put;

using Content = std::map<ChunkPos, Buffer>;

Buffer text(std::string_view content) { return {as_bytes(content).begin(), as_bytes(content).end()}; }

class UndoTest : public testing::Test {
protected:
    UndoTest() { world_ = make_world(folder_, {text("first"), text("second"), text("third")}); }

    [[nodiscard]] Content content() const {
        Content found;
        const auto store = world_.open({}).value();
        const auto cursor = store->chunks();
        storage::ReadContext context;
        while (const auto pos = cursor->next().value()) {
            const auto document = store->read(*pos, context);
            if (document && *document)
                found[*pos] = Buffer((*document)->begin(), (*document)->end());
            else
                found[*pos] = text("unreadable");
        }
        return found;
    }

    [[nodiscard]] std::unique_ptr<Change> begin() const {
        auto change =
            Change::begin(world_, {.verb = "test", .command = "orbis test", .force = false, .run = {}});
        EXPECT_TRUE(change) << change.error().text();
        return *std::move(change);
    }

    [[nodiscard]] std::vector<PastChange> changes() const {
        std::vector<Error> problems;
        auto found = past_changes(location(), problems).value();
        EXPECT_TRUE(problems.empty());
        return found;
    }

    [[nodiscard]] const world::Location& location() const {
        location_ = world::find_location(folder_).value();
        return location_;
    }

    Result<UndoReport> undo(const UndoOptions& options = {}) const {
        const auto all = changes();
        if (all.empty()) return fail(Errc::not_found, "no change");
        NoProgress progress;
        return undo_change(all.front(), options, progress);
    }

    test::TemporaryFolder temporary_;
    fs::path folder_ = temporary_.path();
    world::World world_;
    mutable world::Location location_;
};

TEST_F(UndoTest, ABeginningSweepsWhatKilledRunsHaveLeft) {
    const auto archives = folder_ / "orbis-undo";
    fs::create_directories(archives);
    std::ofstream(archives / "000001.undo.orbis-tmp") << "half";
    const auto chunks = fs::path(world_.open({}).value()->name());
    std::ofstream(chunks / "5.5.region.bin.orbis-tmp") << "half";
    auto change = begin();
    EXPECT_FALSE(fs::exists(chunks / "5.5.region.bin.orbis-tmp"));
    ASSERT_TRUE(change->write_document({0, 0}, text("other")));
    const auto done = change->finish();
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->archive, archives / "000001.undo");
    EXPECT_FALSE(fs::exists(archives / "000001.undo.orbis-tmp"));
}

TEST_F(UndoTest, WhatWasReplacedAddedAndRemovedComesBack) {
    const auto before = content();
    auto change = begin();
    ASSERT_TRUE(change->write_document({0, 0}, text("changed")));
    ASSERT_TRUE(change->write_document({7, 7}, text("added")));
    ASSERT_TRUE(change->remove({1, 0}));
    const auto report = change->finish().value();
    EXPECT_EQ(report.chunks_written, 2U);
    EXPECT_EQ(report.chunks_removed, 1U);
    change.reset();
    EXPECT_EQ(content(),
              (Content{{{0, 0}, text("changed")}, {{2, 0}, text("third")}, {{7, 7}, text("added")}}));

    ASSERT_EQ(changes().size(), 1U);
    EXPECT_TRUE(changes().front().complete);
    EXPECT_EQ(changes().front().title.command, "orbis test");
    const auto undone = undo().value();
    EXPECT_EQ(undone.chunks_restored, 2U);
    EXPECT_EQ(undone.chunks_removed, 1U);
    EXPECT_EQ(content(), before);
    EXPECT_TRUE(changes().empty());
}

TEST_F(UndoTest, ChangesComeBackOneAfterTheOther) {
    std::vector<Content> states{content()};
    for (const auto* word : {"one", "two", "three"}) {
        auto change = begin();
        ASSERT_TRUE(change->write_document({0, 0}, text(word)));
        ASSERT_TRUE(change->finish());
        states.push_back(content());
    }
    for (int i = 2; i >= 0; --i) {
        ASSERT_TRUE(undo());
        EXPECT_EQ(content(), states[static_cast<std::size_t>(i)]);
    }
}

TEST_F(UndoTest, WhatMakesNoDifferenceLeavesNoArchive) {
    auto change = begin();
    ASSERT_TRUE(change->write_document({0, 0}, text("first")));
    ASSERT_TRUE(change->remove({9, 9}));
    EXPECT_TRUE(change->finish().value().archive.empty());
    change.reset();
    EXPECT_TRUE(changes().empty());
}

TEST_F(UndoTest, AChunkThatChangedSinceIsNotTouchedUnlessAskedFor) {
    const auto before = content();
    {
        auto change = begin();
        ASSERT_TRUE(change->write_document({0, 0}, text("by orbis")));
        ASSERT_TRUE(change->write_document({1, 0}, text("by orbis too")));
        ASSERT_TRUE(change->finish());
    }
    {
        storage::StoreOptions how;
        how.write = true;
        ASSERT_TRUE(world_.open(how).value()->write({0, 0}, text("by the game")));
    }
    const auto now = content();
    const auto refused = undo().value();
    ASSERT_EQ(refused.changed.size(), 1U);
    EXPECT_NE(refused.changed.front().text().find("chunk 0,0"), std::string::npos);
    EXPECT_EQ(content(), now);
    ASSERT_TRUE(undo({.overwrite = true}));
    EXPECT_EQ(content(), before);
}

TEST_F(UndoTest, ADryRunTouchesNothing) {
    {
        auto change = begin();
        ASSERT_TRUE(change->write_document({0, 0}, text("changed")));
        ASSERT_TRUE(change->finish());
    }
    const auto now = content();
    EXPECT_EQ(undo({.dry_run = true}).value().chunks_restored, 1U);
    EXPECT_EQ(content(), now);
    EXPECT_EQ(changes().size(), 1U);
}

TEST_F(UndoTest, ADamagedChunkComesBackAsDamagedAsItWas) {
    const auto path = folder_ / "chunks" / "0.0.region.bin";
    // Slot 1 leads past the end, the blob of slot 2 claims a negative length, that of slot 0 is not a frame.
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(32 + 4).write("\0\1\0\0", 4);
        file.seekp(4128 + 2 * 4096 + 4).write("\xff\xff\xff\xff", 4);
        file.seekp(4128 + 8).write("xxxx", 4);
    }
    const auto index = [&] {
        std::ifstream file(path, std::ios::binary);
        std::string bytes(4128, 0);
        file.read(bytes.data(), 4128);
        return bytes;
    };
    const auto before = index();
    const auto bytes_of = [&](ChunkPos pos) {
        return salvage_entry(*world_.open({}).value(), pos).value().bytes;
    };
    const auto damaged_bytes = bytes_of({0, 0});
    ASSERT_GT(damaged_bytes.size(), 12U);
    {
        auto change = begin();
        for (const auto x : {0, 1, 2}) ASSERT_TRUE(change->remove({x, 0}));
        ASSERT_EQ(change->finish().value().chunks_removed, 3U);
    }
    EXPECT_TRUE(content().empty());
    const auto report = undo();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->problems.empty());
    const auto after = content();
    EXPECT_EQ(after.size(), 3U);
    for (const auto& [pos, document] : after) EXPECT_EQ(document, text("unreadable"));
    EXPECT_EQ(index().substr(32 + 4, 4), before.substr(32 + 4, 4)) << "the entry that led out of the file";
    EXPECT_EQ(bytes_of({0, 0}), damaged_bytes) << "to the last byte";
    EXPECT_EQ(load_be<std::uint32_t>(damaged_bytes.data() + 4) + 8, damaged_bytes.size());
}

TEST_F(UndoTest, AnEntryThatLedNowhereDoesNotLeadToTheNewContent) {
    const auto path = folder_ / "chunks" / "0.0.region.bin";
    fs::resize_file(path, 4128 + 2 * 4096); // the third chunk is cut off: its entry leads behind the end
    {
        auto change = begin();
        ASSERT_TRUE(change->write_document({2, 0}, text("new")));
        ASSERT_TRUE(change->finish());
    }
    // Somebody who packs the file puts the new content where the entry led to.
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    const auto first = load_be<std::int32_t>(as_bytes(bytes).data() + 32 + 2 * 4);
    ASSERT_GT(first, 3);
    const auto blob = bytes.substr(4128 + (static_cast<std::size_t>(first) - 1) * 4096, 4096);
    bytes.resize(4128 + 2 * 4096);
    bytes.replace(32 + 2 * 4, 4, std::string("\0\0\0\3", 4));
    put(path, as_bytes(bytes + blob));
    ASSERT_EQ(content()[(ChunkPos{2, 0})], text("new"));
    const auto report = undo();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->chunks_restored, 1U);
    EXPECT_EQ(content(),
              (Content{{{0, 0}, text("first")}, {{1, 0}, text("second")}, {{2, 0}, text("unreadable")}}));
}

TEST_F(UndoTest, FilesPatchesAndMovesComeBackToo) {
    put(folder_ / "notes.json", as_bytes("old"));
    {
        auto change = begin();
        ASSERT_TRUE(change->write_file("notes.json", as_bytes("new")));
        ASSERT_TRUE(change->write_file("made.json", as_bytes("made")));
        ASSERT_TRUE(change->patch_file("config.json", 2, as_bytes("Xersion")));
        ASSERT_TRUE(change->move_file("chunks/0.0.region.bin", "aside/0.0.region.bin"));
        ASSERT_TRUE(change->finish());
    }
    EXPECT_FALSE(fs::exists(folder_ / "chunks" / "0.0.region.bin"));
    ASSERT_TRUE(undo());
    const auto read = [&](const char* name) {
        std::ifstream in(folder_ / name);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    EXPECT_EQ(read("notes.json"), "old");
    EXPECT_FALSE(fs::exists(folder_ / "made.json"));
    EXPECT_TRUE(read("config.json").starts_with("{\"Version"));
    EXPECT_EQ(content().size(), 3U);
}

TEST_F(UndoTest, EveryTruncationOfAnArchiveIsAnErrorOrAPrefixOfItsRecords) {
    fs::path path;
    {
        auto change = begin();
        ASSERT_TRUE(change->write_document({0, 0}, text("changed")));
        ASSERT_TRUE(change->remove({1, 0}));
        path = change->finish().value().archive;
    }
    std::ifstream in(path, std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    const auto cut_path = folder_ / "cut.undo";
    std::size_t most = 0;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        put(cut_path, as_bytes(std::string_view(whole).substr(0, size)));
        const auto archive = UndoArchive::open(cut_path);
        const auto outline = outline_of(cut_path);
        ASSERT_EQ(outline.has_value(), archive.has_value());
        if (!archive) continue;
        EXPECT_EQ(outline->title.command, archive->title().command);
        EXPECT_EQ(outline->chunks, archive->records().size());
        EXPECT_EQ(outline->complete, archive->is_complete());
        EXPECT_GE(archive->records().size(), most);
        most = archive->records().size();
        EXPECT_EQ(archive->is_complete(), size == whole.size());
    }
    EXPECT_EQ(most, 2U);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        auto damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
        put(cut_path, as_bytes(damaged));
        const auto archive = UndoArchive::open(cut_path);
        ASSERT_EQ(outline_of(cut_path).has_value(), archive.has_value())
            << "it is listed when it can be used";
        if (!archive) continue;
        EXPECT_TRUE(!archive->is_complete() || archive->records().size() < 2) << i;
    }
}

TEST_F(UndoTest, OfAnArchiveThatWasCutItIsToldThatMoreMayHaveChanged) {
    fs::path path;
    {
        auto change = begin();
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(change->write_document({i, 0}, text("changed")));
        path = change->finish().value().archive;
    }
    fs::resize_file(path, fs::file_size(path) * 2 / 3);
    const auto undone = undo();
    ASSERT_TRUE(undone) << undone.error().text();
    EXPECT_GT(undone->chunks_restored, 0U);
    EXPECT_LT(undone->chunks_restored, 3U);
    ASSERT_EQ(undone->problems.size(), 1U);
    EXPECT_EQ(undone->problems[0].code, Errc::truncated);
    EXPECT_NE(undone->problems[0].advice.find("orbis diff BACKUP"), std::string::npos);
    auto used = path;
    used += ".used";
    EXPECT_TRUE(fs::exists(used));
}

TEST_F(UndoTest, WhatIsNoArchiveIsNamedWithWhatToDo) {
    fs::create_directories(folder_ / "orbis-undo");
    ASSERT_EQ(mkfifo((folder_ / "orbis-undo/000001.undo").c_str(), 0600), 0);
    std::vector<Error> problems;
    EXPECT_TRUE(past_changes(location(), problems).value().empty());
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].advice.find("move it away"), std::string::npos) << problems[0].text();
}

TEST_F(UndoTest, AKillAtAnyMomentOfAChangeAndOfItsUndoLosesNothing) {
    SEEDED_RANDOM(random);
    constexpr int k_count = 100;
    {
        auto change = begin();
        for (int i = 0; i < k_count; ++i)
            ASSERT_TRUE(change->write_document({i % 32, i / 32}, text(fmt::format("chunk {}", i))));
        ASSERT_TRUE(change->finish());
    }
    const auto before = content();
    for (const auto& past : changes()) fs::remove(past.archive);
    const auto edit = [&] {
        auto change = Change::begin(world_, {.verb = "test", .command = {}, .force = true, .run = {}});
        for (int i = 0; i < k_count; i += 3) {
            (void)(*change)->write_document({i % 32, i / 32}, text(fmt::format("changed {}", i)));
            if (i % 7 == 0) (void)(*change)->remove({(i + 1) % 32, (i + 1) / 32});
            if (i % 5 == 0) (void)(*change)->flush();
        }
        (void)(*change)->finish();
    };
    const auto take_back = [&] { (void)undo({.force = true}); };
    const auto moments = test::count_moments(edit);
    const auto undo_moments = test::count_moments(take_back);
    ASSERT_EQ(content(), before);
    int edits_killed = 0;
    int undos_killed = 0;
    const int rounds = test::amount(40);
    for (int round = 0; round < rounds; ++round) {
        // Somewhere in each of so many equal parts of the run.
        const auto part = static_cast<std::int64_t>(random() % 1000);
        const auto moment = moments * (round * 1000 + part) / (rounds * 1000);
        edits_killed += test::run_and_kill(edit, moment) == moment ? 1 : 0;
        for (int tries = 0; tries < 2; ++tries) {
            // The earlier the change was killed, the less there is to undo.
            const auto likely_length = std::max<std::int64_t>(undo_moments * (round + 1) / rounds / 2, 1);
            const auto undo_moment =
                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(likely_length));
            undos_killed += test::run_and_kill(take_back, undo_moment) == undo_moment ? 1 : 0;
        }
        while (!changes().empty()) {
            const auto done = undo({.force = true});
            ASSERT_TRUE(done) << done.error().text();
            ASSERT_TRUE(done->changed.empty()) << done->changed.front().text();
        }
        ASSERT_EQ(content(), before) << "round " << round;
    }
    EXPECT_GT(edits_killed, rounds / 2);
    EXPECT_GT(undos_killed, rounds / 2);
}

/// Everything that a change can do, and then the plug is pulled.
class PowerCutUndoTest : public UndoTest {
protected:
    PowerCutUndoTest() { test::write_folder(folder_, with_notes()); }

    [[nodiscard]] test::FolderContent with_notes() const {
        auto all = test::read_folder(folder_);
        all["notes.json"] = "old notes";
        all["moved/"] = "";
        all["moved/a.json"] = "to be moved";
        return all;
    }

    [[nodiscard]] int change_everything() const {
        auto change = Change::begin(world_, {.verb = "test", .command = {}, .force = true, .run = {}});
        if (!change) return 1;
        auto& all = **change;
        const bool done = all.write_document({0, 0}, text("changed")) && all.remove({1, 0}) && all.flush()
                          && all.write_document({40, 0}, text("in a new region"))
                          && all.write_document({0, 0}, text("changed again")) && all.flush()
                          && all.write_file("notes.json", as_bytes("new notes"))
                          && all.write_file("made.json", as_bytes("made"))
                          && all.patch_file("config.json", 2, as_bytes("Xersion"))
                          && all.move_file("moved/a.json", "aside/deep/a.json") && all.finish();
        return done ? 0 : 1;
    }

    /// The files that a change touches, beside chunks.
    [[nodiscard]] test::FolderContent files() const {
        auto all = test::read_folder(folder_);
        std::erase_if(all, [](const auto& entry) {
            return entry.first.starts_with("orbis-undo") || entry.first.starts_with("chunks/")
                   || entry.first == k_counts_file || entry.first.ends_with("/")
                   || entry.first.ends_with(".orbis-tmp");
        });
        return all;
    }

    void undo_all() const {
        while (!changes().empty()) {
            const auto done = undo({.force = true});
            ASSERT_TRUE(done) << done.error().text();
            ASSERT_TRUE(done->changed.empty()) << done->changed.front().text();
            // A record that was not written to its end is told of; nothing was changed before it was.
            for (const auto& problem : done->problems)
                ASSERT_EQ(problem.code, Errc::truncated) << problem.text();
        }
    }
};

TEST_F(PowerCutUndoTest, WhateverAPowerCutLeavesOfAChangeCanBeUndone) {
    const auto before = std::pair(content(), files());
    ASSERT_EQ(test::trace_run(folder_, [&] { return change_everything(); }).exit_code, 0);
    const auto after = std::pair(content(), files());
    undo_all();
    ASSERT_EQ(std::pair(content(), files()), before);
    test::write_folder(folder_, with_notes());
    int states = 0;
    const auto run = test::after_power_cuts(
        folder_, [&] { return change_everything(); },
        [&](const test::PowerCut& cut) {
            if (HasFatalFailure()) return;
            SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
            ++states;
            if (cut.finished) {
                ASSERT_EQ(std::pair(content(), files()), after);
            }
            undo_all();
            ASSERT_EQ(std::pair(content(), files()), before);
        });
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(states, 30);
}

/// One kind of step alone: no sync of another step may stand in for its own.
TEST_F(PowerCutUndoTest, EachKindOfStepIsSafeByItself) {
    using Step = std::function<bool(Change&)>;
    const std::vector<std::pair<std::string, Step>> steps{
        {"chunks",
         [](Change& change) {
             return change.write_document({0, 0}, text("changed")) && change.remove({1, 0})
                    && change.write_document({40, 0}, text("in a new region"));
         }},
        {"a changed file",
         [](Change& change) { return change.write_file("notes.json", as_bytes("new notes")).has_value(); }},
        {"a new file",
         [](Change& change) { return change.write_file("moved/made.json", as_bytes("made")).has_value(); }},
        {"a patch",
         [](Change& change) { return change.patch_file("config.json", 2, as_bytes("Xersion")).has_value(); }},
        {"a move",
         [](Change& change) { return change.move_file("moved/a.json", "aside/a.json").has_value(); }}};
    const auto before = std::pair(content(), files());
    for (const auto& [name, step] : steps) {
        const auto job = [&, &carry_out = step] {
            auto change = Change::begin(world_, {.verb = "test", .command = {}, .force = true, .run = {}});
            return change && carry_out(**change) && (*change)->finish() ? 0 : 1;
        };
        const auto start = test::read_folder(folder_);
        const auto run = test::after_power_cuts(folder_, job, [&](const test::PowerCut& cut) {
            if (HasFatalFailure()) return;
            SCOPED_TRACE(fmt::format("{}: after {} calls, lost: {}", name, cut.calls, cut.lost));
            if (cut.finished) {
                ASSERT_NE(std::pair(content(), files()), before);
            }
            undo_all();
            ASSERT_EQ(std::pair(content(), files()), before);
        });
        ASSERT_EQ(run.exit_code, 0) << name;
        ASSERT_EQ(changes().size(), 1U) << name;
        const auto undone = test::after_power_cuts(
            folder_, [&] { return undo({.force = true}) ? 0 : 1; },
            [&](const test::PowerCut& cut) {
                if (HasFatalFailure()) return;
                SCOPED_TRACE(fmt::format("undo of {}: after {} calls, lost: {}", name, cut.calls, cut.lost));
                if (cut.finished) {
                    ASSERT_TRUE(changes().empty());
                } else {
                    undo_all();
                }
                ASSERT_EQ(std::pair(content(), files()), before);
            });
        ASSERT_EQ(undone.exit_code, 0) << name;
        test::write_folder(folder_, start);
    }
}

TEST_F(PowerCutUndoTest, WhateverAPowerCutLeavesOfAnUndoTheNextOneFinishes) {
    const auto before = std::pair(content(), files());
    ASSERT_EQ(change_everything(), 0);
    const auto run = test::after_power_cuts(
        folder_, [&] { return undo({.force = true}) ? 0 : 1; },
        [&](const test::PowerCut& cut) {
            if (HasFatalFailure()) return;
            SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
            if (cut.finished) {
                ASSERT_TRUE(changes().empty());
            } else {
                undo_all();
            }
            ASSERT_EQ(std::pair(content(), files()), before);
        });
    EXPECT_EQ(run.exit_code, 0);
}

/// An archive as somebody else may have put it into a world.
class HostileArchiveTest : public UndoTest {
protected:
    HostileArchiveTest() {
        fs::create_directories(undo_folder(world_).value());
        std::ofstream(outside() / "victim") << "precious";
        fs::create_directories(folder_ / "below");
    }
    ~HostileArchiveTest() override {
        std::error_code ignored;
        fs::remove_all(outside(), ignored);
    }

    /// A folder beside that of the world.
    [[nodiscard]] fs::path outside() const {
        const auto path = folder_.parent_path() / (folder_.filename().string() + "-outside");
        fs::create_directories(path);
        return path;
    }

    void put_archive(const UndoRecord& record) const {
        auto writer =
            UndoWriter::create(undo_folder(world_).value() / "000001.undo",
                               {.run = "1-1", .time = {}, .verb = "test", .command = {}, .world = {}});
        ASSERT_TRUE(writer);
        ASSERT_TRUE(writer->append(record));
        ASSERT_TRUE(writer->finish());
    }

    [[nodiscard]] static std::map<std::string, std::string> files_in(const fs::path& folder) {
        std::map<std::string, std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                found[entry.path().string()] =
                    read_text(*open_file(entry.path(), FileMode::read).value(), 1 << 24).value();
        return found;
    }

    void expect_refused(const UndoRecord& record) const {
        put_archive(record);
        const auto before = std::pair(files_in(outside()), files_in(folder_));
        for (const bool dry_run : {true, false}) {
            const auto done = undo({.dry_run = dry_run, .overwrite = true, .force = true});
            ASSERT_FALSE(done);
            EXPECT_NE(done.error().text().find("nothing was changed"), std::string::npos)
                << done.error().text();
        }
        EXPECT_EQ(std::pair(files_in(outside()), files_in(folder_)), before);
        fs::remove(undo_folder(world_).value() / "000001.undo");
    }
};

TEST_F(HostileArchiveTest, LeadsNowhereOutsideOfTheWorld) {
    const auto name = outside().filename().string();
    fs::create_directory_symlink(outside(), folder_ / "linked");
    fs::create_symlink(outside() / "victim", folder_ / "below/victim");
    const auto evil = text("evil");
    for (const auto& path :
         {(outside() / "victim").string(), (outside() / "new").string(), "../" + name + "/victim",
          "below/../../" + name + "/new", std::string("linked/victim"), std::string("linked/new"),
          std::string("below/victim"), std::string(".."), std::string()}) {
        SCOPED_TRACE(path);
        expect_refused(FileRecord{path, evil, {}});
        expect_refused(FileRecord{path, {}, {}});
        expect_refused(PatchRecord{path, 0, evil, text("prec")});
        expect_refused(MoveRecord{path, "config.json"});
        expect_refused(MoveRecord{"taken", path});
    }
}

TEST_F(HostileArchiveTest, OfALinkedFolderIsNotRead) {
    put_archive(FileRecord{"config.json", text("evil"), {}});
    fs::rename(undo_folder(world_).value(), outside() / "archives");
    fs::create_directory_symlink(outside() / "archives", undo_folder(world_).value());
    std::vector<Error> problems;
    EXPECT_TRUE(past_changes(location(), problems).value().empty());
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].text().find("is a link"), std::string::npos);
    EXPECT_FALSE(archive_files(location())) << "and what is behind it is not forgotten either";
    auto change = begin();
    ASSERT_TRUE(change->write_document({0, 0}, text("changed")));
    EXPECT_FALSE(change->finish()) << "no archive is written through a link, so nothing may change";
    EXPECT_EQ(content().at({0, 0}), text("first"));
}

TEST_F(HostileArchiveTest, AndNoVerbWritesThroughALinkInTheWorld) {
    fs::create_symlink(outside() / "victim", folder_ / "notes.json");
    auto change = begin();
    EXPECT_FALSE(change->write_file("notes.json", as_bytes("evil")));
    EXPECT_FALSE(change->patch_file("notes.json", 0, as_bytes("evil")));
    EXPECT_FALSE(change->move_file("notes.json", "aside/notes.json"));
    EXPECT_EQ(files_in(outside()).at((outside() / "victim").string()), "precious");
}

TEST_F(UndoTest, FilesAreListedByName) {
    {
        auto change = begin();
        ASSERT_TRUE(change->write_file("made.json", as_bytes("made")));
        ASSERT_TRUE(change->finish());
    }
    EXPECT_EQ(undo({.dry_run = true})->files, std::vector<std::string>{"made.json"});
    EXPECT_EQ(undo()->files, std::vector<std::string>{"made.json"});
}

} // namespace
} // namespace orbis::jobs
