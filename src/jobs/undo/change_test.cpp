#include "bytes/file.hpp"
#include "bytes/reader.hpp"
#include "jobs/test_worlds/other_program_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/change.hpp"
#include "jobs/undo/salvage.hpp"
#include "jobs/undo/undo.hpp"
#include "storage/region_store.hpp"
#include "storage/rocksdb_store.hpp"
#include "storage/write_lock.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

/// What a change does to a world step by step, and what undo makes of a world that went on since.
namespace orbis::jobs {
namespace {

namespace fs = std::filesystem;
using test_worlds::make_world;
using test_worlds::OtherProgram;
using test_worlds::put;

Buffer words(std::string_view text) { return {as_bytes(text).begin(), as_bytes(text).end()}; }

UndoTitle title_of(std::string run) {
    return {.run = std::move(run), .time = {}, .verb = "test", .command = {}, .world = {}};
}

class ChangeTest : public testing::Test {
protected:
    using Texts = std::map<ChunkPos, std::string>;

    ChangeTest() { world_ = make_world(folder_.path(), {words("first"), words("second"), words("third")}); }

    [[nodiscard]] Texts texts() const {
        Texts found;
        const auto store = world_.open({}).value();
        const auto cursor = store->chunks();
        storage::ReadContext context;
        while (const auto pos = cursor->next().value()) {
            const auto document = store->read(*pos, context);
            found[*pos] = document && *document ? std::string(as_text(**document)) : "unreadable";
        }
        return found;
    }
    [[nodiscard]] std::unique_ptr<Change> begin() const {
        auto change = Change::begin(world_, {.verb = "test", .command = "orbis test"});
        EXPECT_TRUE(change) << change.error().text();
        return *std::move(change);
    }
    /// One change with these steps.
    template <typename Steps>
    ChangeReport changed(Steps&& steps) const {
        const auto change = begin();
        steps(*change);
        const auto done = change->finish();
        EXPECT_TRUE(done) << done.error().text();
        return done.value_or(ChangeReport());
    }
    Result<UndoReport> undo(const UndoOptions& options = {}) const {
        std::vector<Error> problems;
        const auto location = world::find_location(folder_.path()).value();
        const auto all = past_changes(location, problems).value();
        if (all.empty()) return fail(Errc::not_found, "no change");
        NoProgress quiet;
        return undo_change(all.front(), options, quiet);
    }
    [[nodiscard]] std::string text_of(const fs::path& path) const {
        std::ifstream in(folder_ / path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void put_text(const fs::path& path, std::string_view text) const { put(folder_ / path, as_bytes(text)); }
    [[nodiscard]] std::int32_t entry(int slot) const {
        return load_be<std::int32_t>(as_bytes(text_of("chunks/0.0.region.bin")).data() + 32
                                     + 4 * static_cast<std::size_t>(slot));
    }
    void set_entry(int slot, std::int32_t first) const {
        auto bytes = text_of("chunks/0.0.region.bin");
        std::array<std::uint8_t, 4> stored{};
        store_be(stored.data(), first);
        bytes.replace(32 + 4 * static_cast<std::size_t>(slot), 4, as_text(stored));
        put_text("chunks/0.0.region.bin", bytes);
    }
    [[nodiscard]] static storage::CompressedChunk frame_of(const test::BlobImage& blob) {
        return {blob.frame, blob.raw_size};
    }
    /// As the game would, between a change and its undo.
    void play(ChunkPos pos, std::string_view text) const {
        storage::StoreOptions how;
        how.write = true;
        ASSERT_TRUE(world_.open(how).value()->write(pos, words(text)));
    }

    test::TemporaryFolder folder_;
    world::World world_;
    const Texts before_{{{0, 0}, "first"}, {{1, 0}, "second"}, {{2, 0}, "third"}};
};

TEST_F(ChangeTest, TheLastWordAboutAChunkCounts) {
    const auto done = changed([](Change& change) {
        ASSERT_TRUE(change.write_document({0, 0}, words("a")));
        ASSERT_TRUE(change.write_document({0, 0}, words("b")));
        ASSERT_TRUE(change.remove({1, 0}));
        ASSERT_TRUE(change.write_document({1, 0}, words("c")));
        ASSERT_TRUE(change.write_document({9, 9}, words("d")));
        ASSERT_TRUE(change.remove({9, 9}));
    });
    EXPECT_EQ(texts(), (Texts{{{0, 0}, "b"}, {{1, 0}, "c"}, {{2, 0}, "third"}}));
    EXPECT_EQ(done.chunks_written, 2U);
    EXPECT_EQ(done.chunks_removed, 0U);
    ASSERT_TRUE(undo());
    EXPECT_EQ(texts(), before_);
}

TEST_F(ChangeTest, AChunkIsChangedAgainAfterItWasWritten) {
    changed([](Change& change) {
        ASSERT_TRUE(change.write_document({1, 0}, words("a")));
        ASSERT_TRUE(change.write_document({0, 0}, words("b")));
        ASSERT_TRUE(change.flush());
        ASSERT_TRUE(change.write_document({2, 0}, words("c")));
        ASSERT_TRUE(change.write_document({0, 0}, words("d")));
    });
    EXPECT_EQ(texts(), (Texts{{{0, 0}, "d"}, {{1, 0}, "a"}, {{2, 0}, "c"}}));
    ASSERT_TRUE(undo());
    EXPECT_EQ(texts(), before_) << "what was before the first step";
}

TEST_F(ChangeTest, NotMoreIsHeldThanABatch) {
    const auto change = begin();
    const auto is_there = [&](ChunkPos pos) { return change->store().contains(pos).value(); };
    for (int i = 0; i < 1023; ++i) ASSERT_TRUE(change->write({i % 32, 40 + i / 32}, {words("x"), 1}));
    EXPECT_FALSE(is_there({0, 40}));
    ASSERT_TRUE(change->write({31, 71}, {words("x"), 1}));
    EXPECT_TRUE(is_there({0, 40}) && is_there({31, 71})) << "1024 chunks";
    const Buffer half(8 << 20);
    ASSERT_TRUE(change->write({0, -1}, {Bytes(half).first(half.size() - 1), 1}));
    ASSERT_TRUE(change->write({1, -1}, {half, 1}));
    EXPECT_FALSE(is_there({0, -1}));
    ASSERT_TRUE(change->write({2, -1}, {words("x"), 1}));
    EXPECT_TRUE(is_there({0, -1}) && is_there({2, -1})) << "16 MiB";
    ASSERT_TRUE(change->write({3, -1}, {half, 1}));
    EXPECT_FALSE(is_there({3, -1})) << "the bytes count from nothing again";
}

TEST_F(ChangeTest, AFrameThatLiesInTheFileIsOnlyLedToWhereItIsThatFrame) {
    const auto right = test::compressed_blob(words("lies in segment 1"));
    const auto other = test::compressed_blob(words("lies in segment 2"));
    ASSERT_EQ(right.frame.size(), other.frame.size());
    const auto lay = [&](const test::BlobImage& blob) {
        put(folder_ / "chunks" / "0.0.region.bin", test::region_v1_image({{0, blob}}));
        set_entry(0, 0);
    };
    const auto relinked = [&](const test::BlobImage& blob) {
        changed([&](Change& change) { ASSERT_TRUE(change.relink({0, 0}, 1, frame_of(blob))); });
        return texts().at({0, 0});
    };
    lay(right);
    EXPECT_EQ(relinked(right), "lies in segment 1");
    EXPECT_EQ(entry(0), 1);
    lay(right);
    EXPECT_EQ(relinked(other), "lies in segment 2") << "other bytes of the same length";
    auto lying = right;
    ++lying.raw_size;
    lay(lying);
    EXPECT_EQ(relinked(right), "lies in segment 1") << "behind another length";
    lay(right);
    auto bytes = text_of("chunks/0.0.region.bin");
    ++bytes[4128 + 7]; // the length of the frame
    put_text("chunks/0.0.region.bin", bytes);
    EXPECT_EQ(relinked(right), "lies in segment 1");
    lay(right);
    changed([&](Change& change) { // which takes the first room that it finds
        ASSERT_TRUE(change.write({5, 0}, frame_of(other)));
        ASSERT_TRUE(change.relink({0, 0}, 1, frame_of(right)));
    });
    EXPECT_EQ(texts(), (Texts{{{0, 0}, "lies in segment 1"}, {{5, 0}, "lies in segment 2"}}));
    EXPECT_EQ(entry(0), 1) << "what lies there comes before what is written";
}

TEST_F(ChangeTest, AChunkThatIsToMoveMovesThoughItStaysTheSame) {
    set_entry(1, entry(0)); // two chunks on one segment
    const auto done = changed([](Change& change) { ASSERT_TRUE(change.relocate({1, 0})); });
    EXPECT_EQ(done.chunks_written, 1U);
    EXPECT_NE(entry(0), entry(1));
    EXPECT_EQ(texts().at({1, 0}), "first");
    EXPECT_TRUE(changed([](Change& change) { ASSERT_TRUE(change.relocate({7, 7})); }).archive.empty());
}

TEST_F(ChangeTest, ArchivesAreNumberedBehindAllThatAreThereAndWhatWasKilledGoes) {
    put_text("orbis-undo/000004.undo.used", "kept");
    put_text("orbis-undo/000002.undo.used", "kept");
    put_text("orbis-undo/000009.undo.orbis-tmp", "half");
    put_text("orbis-undo/letter.txt", "of somebody");
    const auto done = changed([](Change& change) { ASSERT_TRUE(change.remove({0, 0})); });
    EXPECT_EQ(done.archive.filename(), "000005.undo");
    EXPECT_FALSE(fs::exists(folder_ / "orbis-undo/000009.undo.orbis-tmp"));
    EXPECT_TRUE(fs::exists(folder_ / "orbis-undo/letter.txt"));
    const auto location = world::find_location(folder_.path()).value();
    const auto folder = folder_ / "orbis-undo";
    EXPECT_EQ(archive_files(location).value(),
              (std::vector<fs::path>{folder / "000002.undo.used", folder / "000004.undo.used",
                                     folder / "000005.undo"}));
}

TEST_F(ChangeTest, TheFolderOfArchivesBelongsToTheOwnerOfTheWorld) {
    if (geteuid() != 0) GTEST_SKIP() << "only root writes for others";
    ASSERT_EQ(chown(folder_.path().c_str(), 12345, 54321), 0);
    changed([](Change& change) { ASSERT_TRUE(change.remove({0, 0})); });
    struct stat status{};
    ASSERT_EQ(stat((folder_ / "orbis-undo").c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 12345U);
    EXPECT_EQ(status.st_gid, 54321U);
}

TEST_F(ChangeTest, AWorldThatTheGameHasOpenIsLeftAloneUnlessForced) {
    changed([](Change& change) { ASSERT_TRUE(change.remove({0, 0})); });
    const OtherProgram game(folder_ / "chunks" / "0.0.region.bin");
    const auto code = [](const auto& result) { return result ? Errc{} : result.error().code; };
    EXPECT_EQ(code(Change::begin(world_, {.verb = "test"})), Errc::busy);
    EXPECT_EQ(code(Change::begin_files(folder_ / "chunks", {.verb = "test"})), Errc::busy);
    EXPECT_EQ(code(undo()), Errc::busy);
    EXPECT_EQ(undo({.dry_run = true})->chunks_restored, 1U) << "to look is no hindrance";
    EXPECT_TRUE(Change::begin_files(folder_ / "chunks", {.verb = "test", .force = true}));
    EXPECT_TRUE(Change::begin(world_, {.verb = "test", .force = true}));
    EXPECT_TRUE(undo({.force = true}));
}

TEST_F(ChangeTest, TwoFramesAreTheSameOnlyWithTheSameSize) {
    const auto bytes = words("frame");
    for (const std::uint32_t size :
         {1U, 0x80U, 0x100U, 0x8000U, 0x10000U, 0x800000U, 0x1000000U, 0x80000000U})
        EXPECT_NE(compressed_hash({bytes, 0}), compressed_hash({bytes, size})) << size;
    EXPECT_EQ(compressed_hash({bytes, 7}), compressed_hash({bytes, 7}));
    EXPECT_NE(compressed_hash({bytes, 7}), compressed_hash({words("fram"), 7}));
}

// What undo makes of a world that went on since.

TEST_F(ChangeTest, WhatIsAsBeforeAlreadyIsCountedAndNotWritten) {
    const auto edit = [](Change& change) {
        ASSERT_TRUE(change.write_document({0, 0}, words("changed")));
        ASSERT_TRUE(change.write_document({1, 0}, words("changed")));
        ASSERT_TRUE(change.write_document({7, 7}, words("added")));
        ASSERT_TRUE(change.write_file("made.json", as_bytes("made")));
    };
    changed(edit);
    play({0, 0}, "first");
    const auto planned = undo({.dry_run = true}).value();
    EXPECT_EQ(planned.already, 1U);
    EXPECT_EQ(planned.chunks_restored, 1U);
    EXPECT_EQ(planned.chunks_removed, 1U);
    fs::remove(folder_ / "made.json");
    const auto undone = undo().value();
    EXPECT_TRUE(undone.changed.empty());
    EXPECT_EQ(undone.already, 2U) << "a chunk and a file";
    EXPECT_EQ(undone.chunks_restored, 1U);
    EXPECT_EQ(undone.chunks_removed, 1U);
    EXPECT_TRUE(undone.files.empty());
    EXPECT_EQ(texts(), before_);
}

TEST_F(ChangeTest, BytesAndNamesThatAreAsBeforeAlreadyAreCountedToo) {
    put_text("notes.json", "0123456789");
    put_text("old.json", "old");
    const auto done = changed([](Change& change) {
        ASSERT_TRUE(change.patch_file("notes.json", 3, as_bytes("xyz")));
        ASSERT_TRUE(change.move_file("old.json", "aside/old.json"));
    });
    put_text("notes.json", "0123456789");
    fs::rename(folder_ / "aside/old.json", folder_ / "old.json");
    const auto undone = undo().value();
    EXPECT_EQ(undone.already, 2U);
    EXPECT_TRUE(undone.files.empty() && undone.problems.empty());
    EXPECT_FALSE(fs::exists(done.archive) || fs::exists(done.archive.string() + ".used"));
}

TEST_F(ChangeTest, AnArchiveWithMoreBehindItsEndIsKeptAsideWithoutAComplaint) {
    const auto done = changed([](Change& change) {
        ASSERT_TRUE(change.write_document({0, 0}, words("changed")));
        ASSERT_TRUE(change.write_file("made.json", as_bytes("made")));
    });
    const auto outline = outline_of(done.archive).value();
    EXPECT_EQ(std::tuple(outline.chunks, outline.files, outline.complete), std::tuple(1U, 1U, true));
    std::ofstream(done.archive, std::ios::app | std::ios::binary) << "more";
    const auto undone = undo().value();
    EXPECT_TRUE(undone.problems.empty());
    EXPECT_EQ(texts(), before_);
    EXPECT_FALSE(fs::exists(done.archive));
    EXPECT_TRUE(fs::exists(done.archive.string() + ".used"));
}

TEST_F(ChangeTest, OfABlobIsSalvagedWhatItsLengthSaysAndElseSixtyFourKibibytes) {
    auto image = test::region_v1_image({{0, test::compressed_blob(words("first"))}});
    image.resize(4128 + 40 * 4096);
    const auto salvaged = [&](std::int32_t frame, std::size_t size) {
        auto bytes = image;
        store_be(bytes.data() + 4128 + 4, frame);
        bytes.resize(size);
        put(folder_ / "chunks" / "0.0.region.bin", bytes);
        const auto found = salvage_entry(*world_.open({}).value(), {0, 0}).value();
        EXPECT_EQ(found.entry, 1);
        EXPECT_EQ(found.offset, 4128U);
        return found.bytes.size();
    };
    EXPECT_EQ(salvaged(20, image.size()), 28U);
    EXPECT_EQ(salvaged(1, image.size()), 9U);
    EXPECT_EQ(salvaged(0, image.size()), 65536U);
    EXPECT_EQ(salvaged(-1, image.size()), 65536U);
    EXPECT_EQ(salvaged(1 << 30, image.size()), 40U * 4096U) << "to the end of the file";
    EXPECT_EQ(salvaged(0, 4128 + 100), 100U);
    EXPECT_EQ(salvaged(20, 4128 + 8), 8U);
    // Eight bytes are lengths without anything behind them; they come back as such.
    changed([](Change& change) { ASSERT_TRUE(change.write_document({0, 0}, words("new"))); });
    EXPECT_EQ(texts(), (Texts{{{0, 0}, "new"}}));
    ASSERT_TRUE(undo());
    const auto again = salvage_entry(*world_.open({}).value(), {0, 0}).value();
    ASSERT_GE(again.bytes.size(), 8U);
    EXPECT_EQ(load_be<std::int32_t>(again.bytes.data() + 4), 20);
}

/// Tries to write meanwhile.
struct SecondWriter final : Progress {
    void step() override {}
    void begin(std::string_view, std::uint64_t) override {
        const auto lock = storage::WriteLock::take(folder, true);
        codes.push_back(lock ? std::nullopt : std::optional(lock.error().code));
    }
    fs::path folder;
    std::vector<std::optional<Errc>> codes;
};

TEST(UndoOfUniverseFiles, KeepsOthersFromWritingMeanwhile) {
    const test::TemporaryFolder folder;
    make_world(folder / "worlds" / "w", {words("first")});
    put(folder / "players" / "1.json", as_bytes("{}"));
    {
        const auto change = Change::begin_files(folder.path(), {.verb = "test"}).value();
        EXPECT_EQ(storage::WriteLock::take(folder.path(), true).error().code, Errc::busy);
        ASSERT_TRUE(change->write_file("players/1.json", as_bytes("{1}")) && change->finish());
    }
    std::vector<Error> problems;
    const auto location = world::find_location(folder.path()).value();
    const auto all = past_changes(location, problems).value();
    ASSERT_EQ(all.size(), 1U);
    SecondWriter second;
    second.folder = folder.path();
    const auto undone = undo_change(all.front(), {}, second);
    ASSERT_TRUE(undone) << undone.error().text();
    EXPECT_EQ(undone->files, std::vector<std::string>{"players/1.json"});
    EXPECT_EQ(second.codes, (std::vector<std::optional<Errc>>(2, Errc::busy)));
    EXPECT_TRUE(storage::WriteLock::take(folder.path(), true));
}

TEST_F(ChangeTest, AChunkThatIsGoneSinceIsNoChunkAsItWasBefore) {
    changed([](Change& change) { ASSERT_TRUE(change.write_document({0, 0}, words("changed"))); });
    {
        storage::StoreOptions how;
        how.write = true;
        ASSERT_TRUE(world_.open(how).value()->remove({0, 0}));
    }
    EXPECT_EQ(undo()->changed.size(), 1U);
    EXPECT_EQ(undo({.overwrite = true})->chunks_restored, 1U);
    EXPECT_EQ(texts(), before_);
}

TEST_F(ChangeTest, AFileThatWasChangedSinceIsNotTouchedUnlessAskedFor) {
    put_text("notes.json", "old");
    const auto edit = [](Change& change) {
        ASSERT_TRUE(change.write_document({0, 0}, words("changed")));
        ASSERT_TRUE(change.write_file("notes.json", as_bytes("new")));
        ASSERT_TRUE(change.write_file("notes.json", as_bytes("newer")));
    };
    changed(edit);
    ASSERT_TRUE(undo({.overwrite = true}));
    EXPECT_EQ(text_of("notes.json"), "old") << "the last step comes back first";
    changed(edit);
    put_text("notes.json", "mine");
    const auto refused = undo().value();
    ASSERT_FALSE(refused.changed.empty());
    EXPECT_EQ(refused.changed.front().file, (folder_ / "notes.json").string());
    EXPECT_EQ(text_of("notes.json"), "mine");
    EXPECT_EQ(texts().at({0, 0}), "changed") << "nothing at all is touched";
    ASSERT_TRUE(undo({.overwrite = true}));
    EXPECT_EQ(text_of("notes.json"), "old");
    EXPECT_EQ(texts(), before_);
}

TEST_F(ChangeTest, BytesThatWereChangedSinceAreNotTouchedUnlessAskedFor) {
    for (const bool overwrite : {false, true}) {
        put_text("notes.json", "0123456789");
        const auto done =
            changed([](Change& change) { ASSERT_TRUE(change.patch_file("notes.json", 3, as_bytes("xyz"))); });
        EXPECT_EQ(text_of("notes.json"), "012xyz6789");
        put_text("notes.json", "012xYz6789");
        const auto undone = undo({.overwrite = overwrite}).value();
        EXPECT_EQ(undone.problems.size(), overwrite ? 0U : 1U);
        EXPECT_EQ(undone.files.size(), overwrite ? 1U : 0U);
        EXPECT_EQ(text_of("notes.json"), overwrite ? "0123456789" : "012xYz6789");
        EXPECT_FALSE(fs::exists(done.archive));
        EXPECT_EQ(fs::exists(done.archive.string() + ".used"), !overwrite) << "kept where it was of no use";
    }
}

TEST_F(ChangeTest, WhatTookThePlaceOfAMovedFileStays) {
    const auto move = [](Change& change) {
        ASSERT_TRUE(change.move_file("chunks/0.0.region.bin", "aside/0.0.region.bin"));
    };
    const auto whole = text_of("chunks/0.0.region.bin");
    const auto with = [](std::string_view text) {
        return test::region_v1_image({{3, test::compressed_blob(words(text))}});
    };
    changed(move);
    put(folder_ / "chunks" / "0.0.region.bin", with("new"));
    const auto refused = undo().value();
    ASSERT_EQ(refused.problems.size(), 1U);
    EXPECT_EQ(refused.problems[0].code, Errc::exists);
    EXPECT_EQ(texts(), (Texts{{{3, 0}, "new"}}));
    EXPECT_TRUE(text_of("aside/0.0.region.bin") == whole);
    // A region without chunks is what our own undo leaves.
    fs::rename(folder_ / "aside" / "0.0.region.bin", folder_ / "chunks" / "0.0.region.bin");
    changed(move);
    put(folder_ / "chunks" / "0.0.region.bin", test::region_v1_image({}));
    const auto undone = undo().value();
    EXPECT_TRUE(undone.problems.empty());
    EXPECT_EQ(undone.files, std::vector<std::string>{"chunks/0.0.region.bin"});
    EXPECT_EQ(texts(), before_);
    // And what is not a region file is nobody's to remove.
    put_text("notes.json", "old");
    changed([](Change& change) { ASSERT_TRUE(change.move_file("notes.json", "aside/notes.json")); });
    put_text("notes.json", "");
    EXPECT_EQ(undo()->problems.size(), 1U);
    EXPECT_EQ(text_of("aside/notes.json"), "old");
}

TEST_F(ChangeTest, OtherDamageThanBeforeIsAChangeToo) {
    auto damaged = text_of("chunks/0.0.region.bin");
    damaged.replace(4128 + 4, 4, "\xff\xff\xff\xff"); // the length of the first chunk
    put_text("chunks/0.0.region.bin", damaged);
    const auto remove = [](Change& change) { ASSERT_TRUE(change.remove({0, 0})); };
    changed(remove);
    put_text("chunks/0.0.region.bin", damaged);
    EXPECT_EQ(undo()->already, 1U) << "as damaged as it was";
    changed(remove);
    auto other = damaged;
    other.replace(4128 + 4, 4, "\xff\xff\xff\xfe");
    put_text("chunks/0.0.region.bin", other);
    const auto refused = undo().value();
    EXPECT_EQ(refused.already, 0U);
    EXPECT_EQ(refused.changed.size(), 1U);
    EXPECT_EQ(undo({.overwrite = true})->chunks_restored, 1U);
    const auto salvaged = salvage_entry(*world_.open({}).value(), {0, 0}).value();
    EXPECT_EQ(as_text(salvaged.bytes).substr(4, 4), "\xff\xff\xff\xff");
}

TEST_F(ChangeTest, WhatAnyStepOfAChangeLeftIsNoChangeSince) {
    changed([](Change& change) {
        ASSERT_TRUE(change.write_document({0, 0}, words("a")) && change.flush());
        ASSERT_TRUE(change.write_document({0, 0}, words("b")));
    });
    play({0, 0}, "a"); // as a kill between the two leaves it
    const auto undone = undo().value();
    EXPECT_TRUE(undone.changed.empty());
    EXPECT_EQ(texts(), before_);
}

TEST_F(ChangeTest, AnEntryThatLedNowhereNeverLeadsIntoAnotherChunk) {
    set_entry(1, 5); // past the end
    changed([](Change& change) { ASSERT_TRUE(change.remove({1, 0})); });
    const std::string large(1 << 20, 'x');
    {
        storage::StoreOptions how;
        how.write = true;
        const Buffer noise = words(large);
        ASSERT_TRUE(world_.open(how).value()->write_compressed({9, 0}, {Bytes(noise).first(40000), 40000}));
    }
    const auto undone = undo({.overwrite = true});
    ASSERT_TRUE(undone) << undone.error().text();
    EXPECT_TRUE(undone->problems.empty());
    EXPECT_EQ(undone->chunks_restored, 1U);
    EXPECT_EQ(texts().at({1, 0}), "unreadable") << "as it was";
    EXPECT_EQ(entry(1), -1);
    storage::ReadContext context;
    EXPECT_EQ(world_.open({}).value()->read_compressed({9, 0}, context).value()->bytes.size(), 40000U);
}

TEST_F(ChangeTest, DamagedRecordsAreCountedAndTheOthersStillComeBack) {
    for (const std::size_t count : {1U, 2U}) {
        const auto done = changed([](Change& change) {
            for (int i = 0; i < 3; ++i) ASSERT_TRUE(change.write_document({i, 0}, words("changed")));
            for (int i = 3; i < 5; ++i) ASSERT_TRUE(change.write_document({i, 0}, words("added")));
        });
        // A record: kind, length, payload and 8 bytes to check it; the title is the first, at byte 20.
        auto bytes = text_of("orbis-undo/" + done.archive.filename().string());
        std::vector<std::size_t> starts;
        for (std::size_t at = 20; at < bytes.size();) {
            starts.push_back(at);
            at += 9 + load_be<std::uint64_t>(as_bytes(bytes).data() + at + 1) + 8;
        }
        ASSERT_EQ(starts.size(), 7U) << "title, five chunks, end";
        for (std::size_t i = 0; i < count; ++i) bytes[starts[1 + 2 * i] + 12] ^= 1;
        put(done.archive, as_bytes(bytes));
        const auto archive = UndoArchive::open(done.archive).value();
        EXPECT_EQ(archive.damaged_records(), count);
        EXPECT_EQ(archive.records().size(), 5 - count);
        EXPECT_TRUE(archive.is_complete());
        EXPECT_EQ(archive.unread_bytes(), 0U);
        const auto undone = undo().value();
        ASSERT_EQ(undone.problems.size(), 1U);
        EXPECT_NE(undone.problems[0].problem.find(fmt::format("damaged records in the archive: {};", count)),
                  std::string::npos)
            << undone.problems[0].text();
        EXPECT_EQ(undone.chunks_restored, 3 - count);
        EXPECT_EQ(undone.chunks_removed, 2U);
        EXPECT_TRUE(fs::exists(done.archive.string() + ".used"));
        world_ = make_world(folder_.path(), {words("first"), words("second"), words("third")});
    }
}

TEST_F(ChangeTest, ARecordOfAKindThatNobodyKnowsIsDamaged) {
    const auto path = folder_ / "strange.undo";
    auto writer = UndoWriter::create(path, title_of("1-1")).value();
    ChunkRecord record;
    for (const int before : {0, 1, 2, 3}) {
        record.before = static_cast<ChunkRecord::PriorState>(before);
        ASSERT_TRUE(writer.append(record));
    }
    ASSERT_TRUE(writer.append(MoveRecord{"a", "b"}));
    ASSERT_TRUE(writer.finish());
    const auto archive = UndoArchive::open(path).value();
    EXPECT_EQ(archive.records().size(), 4U);
    EXPECT_EQ(archive.damaged_records(), 1U);
    const auto outline = outline_of(path).value();
    EXPECT_EQ(outline.chunks, 4U);
    EXPECT_EQ(outline.files, 1U);
}

TEST(PastChanges, TheNewestComesFirstInWhateverFolderAndWhateverTheLengthOfItsNumber) {
    const test::TemporaryFolder folder;
    const auto add = [&](const fs::path& below, const char* file, std::string run) {
        fs::create_directories(folder / below / "orbis-undo");
        auto writer = UndoWriter::create(folder / below / "orbis-undo" / file, title_of(std::move(run)));
        ASSERT_TRUE(writer && writer->finish());
    };
    for (const auto* name : {"a", "b"}) make_world(folder / "worlds" / name, {words("x")});
    add("worlds/a", "000001.undo", "fff-1");
    add("worlds/a", "000002.undo", "1001-1");
    add("worlds/b", "000001.undo", "1000-1");
    add("", "000001.undo", "ffe-1");
    add("", "000002.undo", "2-1"); // the clock went back: in one folder the numbers tell
    const auto location = world::find_location(folder.path()).value();
    std::vector<Error> problems;
    const auto changes = past_changes(location, problems);
    ASSERT_TRUE(changes) << changes.error().text();
    std::vector<std::string> runs;
    for (const auto& change : *changes) runs.push_back(change.title.run);
    EXPECT_EQ(runs, (std::vector<std::string>{"1001-1", "1000-1", "fff-1", "2-1", "ffe-1"}));
    EXPECT_EQ(changes->front().world->name, "a");
    EXPECT_EQ(changes->back().world, nullptr);
    EXPECT_TRUE(problems.empty());
}

TEST(ChangeOfADatabase, WhatIsAsBeforeAlreadyIsLeftAlone) {
    const test::TemporaryFolder folder;
    {
        auto rocks = storage::open_rocksdb_store(folder / "db", {.write = true, .create = true});
        if (!rocks && rocks.error().code == Errc::unsupported) GTEST_SKIP() << "built without RocksDB";
        ASSERT_TRUE((*rocks)->write({0, 0}, words("first")) && (*rocks)->write({1, 0}, words("second")));
    }
    const auto location = world::find_location(folder / "db").value();
    const auto& world = location.worlds.at(0);
    {
        const auto change = Change::begin(world, {.verb = "test"}).value();
        ASSERT_TRUE(change->write_document({0, 0}, words("changed")));
        ASSERT_TRUE(change->write_document({1, 0}, words("changed")) && change->finish());
    }
    storage::StoreOptions how;
    how.write = true;
    ASSERT_TRUE(world.open(how).value()->write({0, 0}, words("first")));
    std::vector<Error> problems;
    NoProgress quiet;
    const auto changes = past_changes(location, problems).value();
    ASSERT_EQ(changes.size(), 1U);
    const auto undone = undo_change(changes.front(), {}, quiet);
    ASSERT_TRUE(undone) << undone.error().text();
    EXPECT_TRUE(undone->changed.empty());
    EXPECT_EQ(undone->already, 1U);
    EXPECT_EQ(undone->chunks_restored, 1U);
}

} // namespace
} // namespace orbis::jobs
