#include "bytes/sha256.hpp"
#include "bytes/writer.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/archive.hpp"
#include "jobs/undo/change.hpp"
#include "jobs/undo/undo.hpp"
#include "support/bad_pages.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace orbis::jobs {
namespace {

/// Puts the bytes of an archive together by hand, as docs/formats/undo-archive.md has it.
class ArchiveBytes {
public:
    ArchiveBytes() {
        Writer out(all_);
        out.bytes(as_bytes("OrbisUndoArchive"));
        out.be(std::uint32_t{1});
        record('T', [](Writer& to) {
            for (const auto* field : {"run-1", "2026-03-03T00:00:00Z", "repair", "orbis repair W", "default"})
                text(to, field);
        });
    }
    static void text(Writer& to, std::string_view content) {
        to.be(static_cast<std::uint32_t>(content.size()));
        to.bytes(as_bytes(content));
    }
    static void bytes(Writer& to, Bytes content) {
        to.be(static_cast<std::uint64_t>(content.size()));
        to.bytes(content);
    }
    template <typename Payload>
    void record(char kind, Payload&& payload) {
        Buffer inner;
        Writer to(inner);
        payload(to);
        Buffer made;
        Writer out(made);
        out.u8(static_cast<std::uint8_t>(kind));
        out.be(static_cast<std::uint64_t>(inner.size()));
        out.bytes(inner);
        out.bytes(Bytes(sha256(made)).first(8));
        begins_.push_back(all_.size());
        all_.insert(all_.end(), made.begin(), made.end());
    }
    [[nodiscard]] const Buffer& all() const { return all_; }
    /// Where a record begins; the title is the first.
    [[nodiscard]] std::size_t begin(std::size_t record) const { return begins_.at(record); }

private:
    Buffer all_;
    std::vector<std::size_t> begins_;
};

const UndoTitle k_archive_title{.run = "run-1",
                                .time = "2026-03-03T00:00:00Z",
                                .verb = "repair",
                                .command = "orbis repair W",
                                .world = "default"};

Sha256 digest_of(std::string_view text) { return sha256(as_bytes(text)); }

/// One record of each kind, and the end.
ArchiveBytes every_record() {
    ArchiveBytes made;
    made.record('C', [](Writer& to) {
        to.be(std::int32_t{-3});
        to.be(std::int32_t{70});
        to.u8(1);
        to.be(std::uint32_t{99});
        to.be(std::int32_t{0});
        to.u8(1);
        to.bytes(digest_of("after"));
        ArchiveBytes::bytes(to, as_bytes("before"));
    });
    made.record('C', [](Writer& to) {
        to.be(std::int32_t{4});
        to.be(std::int32_t{-5});
        to.u8(2);
        to.be(std::uint32_t{0});
        to.be(std::int32_t{-17});
        to.u8(0);
        ArchiveBytes::bytes(to, as_bytes("damage"));
    });
    made.record('F', [](Writer& to) {
        ArchiveBytes::text(to, "new.json");
        to.u8(1);
        to.bytes(digest_of("file"));
        to.u8(0);
    });
    made.record('F', [](Writer& to) {
        ArchiveBytes::text(to, "old.json");
        to.u8(0);
        to.u8(1);
        ArchiveBytes::bytes(to, as_bytes("{}"));
    });
    made.record('P', [](Writer& to) {
        ArchiveBytes::text(to, "chunks/0.0.region.bin");
        to.be(std::uint64_t{32});
        ArchiveBytes::bytes(to, as_bytes("ab"));
        ArchiveBytes::bytes(to, as_bytes("cde"));
    });
    made.record('M', [](Writer& to) {
        ArchiveBytes::text(to, "from");
        ArchiveBytes::text(to, "to there");
    });
    made.record('E', [](Writer&) {});
    return made;
}

Result<UndoArchive> read_archive(const Buffer& bytes) {
    return UndoArchive::read(std::make_unique<test::MemoryFile>(bytes));
}

TEST(UndoArchiveBytes, AreWrittenAsTheFormatHasThem) {
    const test::TemporaryFolder folder;
    const auto path = folder / "000001.undo";
    auto writer = UndoWriter::create(path, k_archive_title);
    ASSERT_TRUE(writer) << writer.error().text();
    using Prior = ChunkRecord::PriorState;
    for (const UndoRecord& record : std::initializer_list<UndoRecord>{
             ChunkRecord{{-3, 70}, Prior::frame, 99, 0, as_bytes("before"), digest_of("after")},
             ChunkRecord{{4, -5}, Prior::damaged, 0, -17, as_bytes("damage"), std::nullopt},
             FileRecord{"new.json", std::nullopt, digest_of("file")},
             FileRecord{"old.json", as_bytes("{}"), std::nullopt},
             PatchRecord{"chunks/0.0.region.bin", 32, as_bytes("ab"), as_bytes("cde")},
             MoveRecord{"from", "to there"}})
        ASSERT_TRUE(writer->append(record));
    ASSERT_TRUE(writer->finish());
    std::ifstream in(path, std::ios::binary);
    EXPECT_EQ(Buffer(std::istreambuf_iterator<char>(in), {}), every_record().all());
    const auto outline = outline_of(path).value();
    EXPECT_EQ(outline.chunks, 2U);
    EXPECT_EQ(outline.files, 4U);
    EXPECT_TRUE(outline.complete);
    EXPECT_EQ(outline.title.world, "default");
}

TEST(UndoArchiveBytes, AreReadFieldByField) {
    const auto archive = read_archive(every_record().all()).value();
    EXPECT_EQ(archive.title().run, "run-1");
    EXPECT_EQ(archive.title().time, "2026-03-03T00:00:00Z");
    EXPECT_EQ(archive.title().verb, "repair");
    EXPECT_EQ(archive.title().command, "orbis repair W");
    EXPECT_EQ(archive.title().world, "default");
    EXPECT_TRUE(archive.is_complete());
    EXPECT_EQ(archive.unread_bytes(), 0U);
    EXPECT_EQ(archive.damaged_records(), 0U);
    const auto& records = archive.records();
    ASSERT_EQ(records.size(), 6U);
    const auto& frame = std::get<ChunkRecord>(records[0]);
    EXPECT_EQ(frame.pos, (ChunkPos{-3, 70}));
    EXPECT_EQ(frame.before, ChunkRecord::PriorState::frame);
    EXPECT_EQ(frame.raw_size, 99U);
    EXPECT_EQ(frame.entry, 0);
    EXPECT_EQ(as_text(frame.bytes), "before");
    EXPECT_EQ(frame.after, digest_of("after"));
    const auto& damaged = std::get<ChunkRecord>(records[1]);
    EXPECT_EQ(damaged.pos, (ChunkPos{4, -5}));
    EXPECT_EQ(damaged.before, ChunkRecord::PriorState::damaged);
    EXPECT_EQ(damaged.entry, -17);
    EXPECT_EQ(as_text(damaged.bytes), "damage");
    EXPECT_EQ(damaged.after, std::nullopt);
    const auto& made = std::get<FileRecord>(records[2]);
    EXPECT_EQ(made.path, "new.json");
    EXPECT_FALSE(made.before);
    EXPECT_EQ(made.after, digest_of("file"));
    const auto& old = std::get<FileRecord>(records[3]);
    EXPECT_EQ(as_text(old.before.value()), "{}");
    EXPECT_FALSE(old.after);
    const auto& patch = std::get<PatchRecord>(records[4]);
    EXPECT_EQ(patch.path, "chunks/0.0.region.bin");
    EXPECT_EQ(patch.offset, 32U);
    EXPECT_EQ(as_text(patch.before), "ab");
    EXPECT_EQ(as_text(patch.after), "cde");
    const auto& move = std::get<MoveRecord>(records[5]);
    EXPECT_EQ(move.from, "from");
    EXPECT_EQ(move.to, "to there");
}

TEST(UndoArchiveBytes, DamageIsCountedWhereMoreFollowsAndElseUnread) {
    const auto good = every_record();
    struct Row {
        std::size_t damaged_at; ///< a record whose last byte is wrong; 0: none
        std::size_t size;       ///< how much of the file is there
        std::size_t records;
        std::size_t damaged;
        std::uint64_t unread;
        bool complete;
    };
    const auto whole = good.all().size();
    const auto end = good.begin(7);
    for (const auto& row :
         {Row{0, whole, 6, 0, 0, true}, Row{1, whole, 5, 1, 0, true}, Row{6, whole, 5, 1, 0, true},
          Row{0, end, 6, 0, 0, false}, Row{0, end + 1, 6, 0, 1, false},
          Row{0, whole - 1, 6, 0, whole - 1 - end, false}, Row{7, whole, 6, 0, whole - end, false},
          Row{0, end - 1, 5, 0, end - 1 - good.begin(6), false}, Row{0, good.begin(6) + 3, 5, 0, 3, false}}) {
        SCOPED_TRACE(testing::Message() << row.damaged_at << " in " << row.size);
        auto bytes = good.all();
        if (row.damaged_at > 0) {
            const auto last = row.damaged_at == 7 ? whole - 1 : good.begin(row.damaged_at + 1) - 1;
            bytes[last] = static_cast<std::uint8_t>(bytes[last] ^ 1);
        }
        bytes.resize(row.size);
        const auto archive = read_archive(bytes);
        ASSERT_TRUE(archive) << archive.error().text();
        EXPECT_EQ(archive->records().size(), row.records);
        EXPECT_EQ(archive->damaged_records(), row.damaged);
        EXPECT_EQ(archive->unread_bytes(), row.unread);
        EXPECT_EQ(archive->is_complete(), row.complete);
    }
}

TEST(UndoArchiveBytes, OfAChunkInAStateThatNobodyKnowsAreDamage) {
    for (const int state : {0, 1, 2, 3, 255}) {
        ArchiveBytes made;
        made.record('C', [&](Writer& to) {
            to.be(std::int32_t{0});
            to.be(std::int32_t{0});
            to.u8(static_cast<std::uint8_t>(state));
            to.be(std::uint32_t{0});
            to.be(std::int32_t{0});
            to.u8(0);
            ArchiveBytes::bytes(to, {});
        });
        made.record('E', [](Writer&) {});
        const auto archive = read_archive(made.all()).value();
        EXPECT_EQ(archive.records().size(), state <= 2 ? 1U : 0U) << state;
        EXPECT_EQ(archive.damaged_records(), state <= 2 ? 0U : 1U) << state;
    }
}

TEST(UndoArchiveBytes, ThatAreNoArchiveSayWhere) {
    const auto problem = [](Buffer bytes, std::size_t at) {
        if (at < bytes.size()) bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 3);
        const auto archive = read_archive(bytes);
        if (archive) return std::string("none");
        EXPECT_EQ(archive.error().code, Errc::bad_value);
        EXPECT_EQ(archive.error().advice, "this file cannot undo the change; use a backup");
        return fmt::format("{} at {}", archive.error().problem, archive.error().offset.value_or(12345));
    };
    const auto good = every_record().all();
    EXPECT_EQ(problem(good, good.size()), "none");
    EXPECT_EQ(problem(good, 0), "expected an undo archive, found something else at 0");
    EXPECT_EQ(problem(good, 15), "expected an undo archive, found something else at 0");
    EXPECT_EQ(problem(good, 19), "expected version 1, found something else at 16");
    EXPECT_EQ(problem(good, 20), "expected a title, found something else at 20");
    EXPECT_EQ(problem(good, 30), "expected a title, found something else at 20");
    EXPECT_EQ(problem(Buffer(good.begin(), good.begin() + 20), 20),
              "expected a title, found something else at 20");
    EXPECT_EQ(problem(Buffer(good.begin(), good.begin() + 16), 20),
              "expected version 1, found something else at 16");
    EXPECT_EQ(problem({}, 20), "expected an undo archive, found something else at 0");
}

TEST(UndoArchiveBytes, ThatTheDiskDoesNotDeliverAreAnError) {
    const auto good = every_record();
    for (const auto at : {std::size_t{0}, good.begin(4), good.all().size() - 1})
        EXPECT_EQ(
            UndoArchive::read(std::make_unique<test::BadPagesFile>(good.all(), test::BadPages{at, at + 1}))
                .error()
                .code,
            Errc::io)
            << at;
}

TEST(PastChangesOfAUniverse, AWorldThatIsALinkIsToldAndTheOthersAreListed) {
    namespace fs = std::filesystem;
    const test::TemporaryFolder folder;
    for (const auto* name : {"u/worlds/a", "elsewhere"})
        test_worlds::make_world(folder / name, {test_worlds::with_block(1)});
    fs::create_directory_symlink(folder / "elsewhere", folder / "u/worlds/b");
    const auto location = world::find_location(folder / "u").value();
    for (const auto& world : location.worlds) {
        if (world.name != "a") continue;
        const auto change = Change::begin(world, {.verb = "test"}).value();
        ASSERT_TRUE(change->remove({0, 0}) && change->finish());
    }
    std::vector<Error> problems;
    const auto found = past_changes(location, problems).value();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].chunks, 1U);
    EXPECT_EQ(found[0].files, 0U);
    EXPECT_TRUE(found[0].complete);
    EXPECT_EQ(found[0].bytes, fs::file_size(found[0].archive));
    EXPECT_EQ(problems.size(), location.worlds.size() - 1);
    for (const auto& problem : problems) EXPECT_NE(problem.file.find("worlds/b"), std::string::npos);
}

} // namespace
} // namespace orbis::jobs
