#include "jobs/compare/diff_worlds.hpp"
#include "jobs/edit/restore.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"
#include "storage/rocksdb_store.hpp"

#include <map>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using Restored = RestoredChunk::What;
using Results = std::map<ChunkPos, Restored>;

Buffer document_of(const world::World& world, ChunkPos pos) {
    storage::ReadContext context;
    const auto store = world.open({}).value();
    const auto document = store->read(pos, context).value();
    return document ? Buffer(document->begin(), document->end()) : Buffer();
}

struct Outcome {
    RestoreReport report;
    Results results;
};

Outcome run(const world::World& world, const world::World& backup, std::string_view selection,
            bool dry_run = false) {
    Outcome outcome;
    NoProgress quiet;
    auto report = restore(world, backup,
                          {.selection = Selection::parse(selection).value(),
                           .dry_run = dry_run,
                           .force = false,
                           .threads = 2,
                           .command = "a test",
                           .on_chunk = [&](const auto& chunk) { outcome.results[chunk.pos] = chunk.what; }},
                          quiet);
    EXPECT_TRUE(report) << report.error().text();
    if (report) outcome.report = *std::move(report);
    return outcome;
}

void undo_last(const std::filesystem::path& folder) {
    NoProgress quiet;
    std::vector<Error> problems;
    const auto location = world::find_location(folder).value();
    const auto changes = past_changes(location, problems);
    ASSERT_TRUE(changes && !changes->empty());
    ASSERT_TRUE(undo_change(changes->front(), {}, quiet));
}

class RestoreTest : public testing::Test {
protected:
    RestoreTest()
        : world_(make_world(folder_ / "world", {with_block(1), with_block(2), with_block(3), with_block(4)})),
          backup_(make_world(folder_ / "backup", {with_block(1), with_block(9), damaged_document()})) {
        put(folder_ / "backup" / "chunks" / "1.0.region.bin",
            test::region_v1_image({{0, test::compressed_blob(with_block(5))}}));
    }

    test::TemporaryFolder folder_;
    world::World world_;
    world::World backup_;
};

const Results k_expected{{{0, 0}, Restored::same},
                         {{1, 0}, Restored::replaced},
                         {{2, 0}, Restored::unreadable},
                         {{3, 0}, Restored::missing},
                         {{32, 0}, Restored::added}};

TEST_F(RestoreTest, SelectedChunksComeBackAndTheRestStays) {
    const auto done = run(world_, backup_, "all");
    EXPECT_EQ(done.results, k_expected);
    EXPECT_EQ(done.report.replaced, 1U);
    EXPECT_EQ(done.report.added, 1U);
    EXPECT_EQ(done.report.same, 1U);
    EXPECT_EQ(done.report.missing, 1U);
    EXPECT_EQ(done.report.unreadable, 1U);
    EXPECT_EQ(done.report.stuck, 0U);
    EXPECT_EQ(done.report.bytes, test::compressed_blob(with_block(9)).frame.size()
                                     + test::compressed_blob(with_block(5)).frame.size());
    EXPECT_EQ(done.report.change.chunks_written, 2U);
    EXPECT_EQ(document_of(world_, {1, 0}), with_block(9));
    EXPECT_EQ(document_of(world_, {2, 0}), with_block(3)) << "the backup's copy is damaged";
    EXPECT_EQ(document_of(world_, {3, 0}), with_block(4)) << "the backup does not have it";
    EXPECT_EQ(document_of(world_, {32, 0}), with_block(5));
    undo_last(folder_ / "world");
    EXPECT_EQ(document_of(world_, {1, 0}), with_block(2));
    EXPECT_EQ(document_of(world_, {32, 0}), Buffer());
}

TEST_F(RestoreTest, ADryRunSaysTheSameAndChangesNothing) {
    EXPECT_EQ(run(world_, backup_, "all", true).results, k_expected);
    EXPECT_EQ(document_of(world_, {1, 0}), with_block(2));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "world" / "orbis-undo"));
}

TEST_F(RestoreTest, ADocumentThatIsOnlyCompressedInAnotherWayIsTheSame) {
    Compressor other(1);
    auto blob = test::compressed_blob(with_block(1));
    const auto frame = other.compress(with_block(1)).value();
    blob.frame.assign(frame.begin(), frame.end());
    ASSERT_NE(blob.frame, test::compressed_blob(with_block(1)).frame);
    auto changed = test::compressed_blob(with_block(2));
    put(folder_ / "backup" / "chunks" / "0.0.region.bin", test::region_v1_image({{0, blob}, {1, changed}}));
    const auto done = run(world_, backup_, "0,0 1,0");
    EXPECT_EQ(done.results, (Results{{{0, 0}, Restored::same}, {{1, 0}, Restored::same}}));
    EXPECT_EQ(done.report.change.chunks_written, 0U);
}

TEST_F(RestoreTest, OneChunkIsLookedUpByItself) {
    put(folder_ / "backup" / "chunks" / "7.7.region.bin", Bytes()); // nobody looks at it
    const auto done = run(world_, backup_, "1,0 50,50");
    EXPECT_EQ(done.results, (Results{{{1, 0}, Restored::replaced}, {{50, 50}, Restored::missing}}));
    EXPECT_TRUE(done.report.problems.empty());
}

TEST_F(RestoreTest, FramesMoveAsTheyAre) {
    run(world_, backup_, "1,0");
    storage::ReadContext a;
    storage::ReadContext b;
    const auto from = backup_.open({}).value();
    const auto to = world_.open({}).value();
    EXPECT_TRUE(std::ranges::equal(from->read_compressed({1, 0}, a).value()->bytes,
                                   to->read_compressed({1, 0}, b).value()->bytes));
}

TEST_F(RestoreTest, AChunkThatOnlyClaimsAnotherSizeIsReplaced) {
    test::RegionContent content;
    content[1] = test::compressed_blob(with_block(9)); // the frame of the backup, byte for byte
    --content[1].raw_size;
    put(folder_ / "world" / "chunks" / "0.0.region.bin", test::region_v1_image(content));
    EXPECT_EQ(run(world_, backup_, "1,0").results, (Results{{{1, 0}, Restored::replaced}}));
    EXPECT_EQ(document_of(world_, {1, 0}), with_block(9));
}

TEST_F(RestoreTest, AChunkThatCannotBeReadIsReplaced) {
    test::RegionContent content;
    content[1] = test::compressed_blob(with_block(2));
    content[1].frame[content[1].frame.size() / 2] ^= 0xFF;
    put(folder_ / "world" / "chunks" / "0.0.region.bin", test::region_v1_image(content));
    EXPECT_EQ(run(world_, backup_, "1,0").results, (Results{{{1, 0}, Restored::replaced}}));
    EXPECT_EQ(document_of(world_, {1, 0}), with_block(9));
}

TEST_F(RestoreTest, AChunkThatIsDamagedInBothIsSaidToBeWhenAskedFor) {
    test::RegionContent content;
    content[0] = test::compressed_blob(damaged_document());
    content[2] = test::compressed_blob(damaged_document());
    put(folder_ / "world" / "chunks" / "0.0.region.bin", test::region_v1_image(content));
    EXPECT_EQ(run(world_, backup_, "2,0").results, (Results{{{2, 0}, Restored::unreadable}}));
    EXPECT_EQ(run(world_, backup_, "2,0..3,0").results, (Results{{{2, 0}, Restored::same}}))
        << "the same bytes are not decompressed";
}

TEST_F(RestoreTest, ARegionFileThatCannotBeWrittenStopsNothingElse) {
    put(folder_ / "world" / "chunks" / "0.0.region.bin", Bytes());
    const auto done = run(world_, backup_, "0,0 1,0 32,0");
    EXPECT_EQ(done.results,
              (Results{{{0, 0}, Restored::stuck}, {{1, 0}, Restored::stuck}, {{32, 0}, Restored::added}}));
    EXPECT_EQ(document_of(world_, {32, 0}), with_block(5));
}

TEST_F(RestoreTest, WorldsOfEveryContainerCanBeRestored) {
    const auto old = make_world(folder_ / "old", {with_block(1), with_block(2)}, 0);
    EXPECT_EQ(run(old, backup_, "1,0").results, (Results{{{1, 0}, Restored::replaced}}));
    EXPECT_EQ(document_of(old, {1, 0}), with_block(9));
    auto rocks = storage::open_rocksdb_store(folder_ / "db", {.write = true, .create = true});
    if (!rocks && rocks.error().code == Errc::unsupported) return;
    ASSERT_TRUE((*rocks)->write({1, 0}, with_block(2)));
    ASSERT_TRUE((*rocks)->sync());
    rocks->reset();
    const auto database = world::find_location(folder_ / "db").value().worlds.at(0);
    EXPECT_EQ(run(database, backup_, "0,0 1,0").results,
              (Results{{{0, 0}, Restored::added}, {{1, 0}, Restored::replaced}}));
    EXPECT_EQ(run(database, backup_, "1,0").results, (Results{{{1, 0}, Restored::same}}));
    EXPECT_EQ(document_of(database, {1, 0}), with_block(9));
    EXPECT_EQ(run(world_, database, "1,0").results, (Results{{{1, 0}, Restored::replaced}}));
}

TEST_F(RestoreTest, OnlyWhatIsNamedOneByOneIsToldWhereNobodyHasIt) {
    EXPECT_EQ(run(world_, backup_, "50,50+1").results, Results());
    EXPECT_EQ(run(world_, backup_, "50,50..51,50").results, Results());
    EXPECT_EQ(run(world_, backup_, "50,50 60,60").results,
              (Results{{{50, 50}, Restored::missing}, {{60, 60}, Restored::missing}}));
}

TEST_F(RestoreTest, RegionsThatCannotBeReadAreToldOfTheBackupAndNotOfTheWorld) {
    put(folder_ / "world" / "chunks" / "7.7.region.bin", Bytes());
    const auto done = run(world_, backup_, "all");
    EXPECT_EQ(done.results, k_expected);
    EXPECT_TRUE(done.report.problems.empty());
    put(folder_ / "backup" / "chunks" / "8.8.region.bin", Bytes());
    EXPECT_EQ(run(world_, backup_, "all").report.problems.size(), 1U);
}

TEST_F(RestoreTest, OneDamagedPartIsEnoughToLeaveTheWorldsOwnChunk) {
    const auto damaged = damaged_document();
    ASSERT_EQ(chunk::Chunk::decode(Bytes(damaged))->problems().size(), 1U);
    storage::ReadContext context;
    const auto blob = test::compressed_blob(damaged);
    EXPECT_FALSE(check_chunk_frame({blob.frame, blob.raw_size}, context));
    const auto whole = test::compressed_blob(plain());
    EXPECT_TRUE(check_chunk_frame({whole.frame, whole.raw_size}, context));
}

} // namespace
} // namespace orbis::jobs
