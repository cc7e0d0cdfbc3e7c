#include "jobs/compare/diff_worlds.hpp"
#include "jobs/inspect/chunk_picture.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "storage/rocksdb_store.hpp"

#include <map>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using State = ComparedChunk::State;

struct Found {
    WorldDiff sums;
    std::map<ChunkPos, State> states;
    std::vector<Error> errors;
};

Found compare(const storage::Store& a, const storage::Store& b, std::size_t threads = 2,
              std::function<bool(ChunkPos)> wanted = {}) {
    Found found;
    NoProgress quiet;
    found.sums = diff_worlds({.before = a,
                              .after = b,
                              .options = {},
                              .threads = threads,
                              .wanted = std::move(wanted),
                              .on_chunk =
                                  [&](ComparedChunk& chunk) {
                                      EXPECT_TRUE(found.states.emplace(chunk.pos, chunk.state).second);
                                      return true;
                                  },
                              .on_error = [&](const Error& error) { found.errors.push_back(error); }},
                             quiet);
    return found;
}

TEST(DiffWorlds, EveryChunkIsToldOnceWithItsState) {
    const test::TemporaryFolder folder;
    const Buffer nonsense{1, 2, 3};
    const auto a =
        make_world(folder / "a", {with_block(1), with_block(1), nonsense, with_block(1), nonsense});
    auto b = make_world(folder / "b", {with_block(1), with_block(2), nonsense, nonsense});
    put(folder / "b" / "chunks" / "-1.2.region.bin",
        test::region_v1_image({{5, test::compressed_blob(with_block(1))}}));
    const auto before = a.open({}).value();
    const auto after = b.open({}).value();
    for (const std::size_t threads : {1U, 3U}) {
        const auto found = compare(*before, *after, threads);
        const std::map<ChunkPos, State> expected{{{0, 0}, State::equal},   {{1, 0}, State::changed},
                                                 {{2, 0}, State::equal},   {{3, 0}, State::unreadable},
                                                 {{4, 0}, State::removed}, {{-27, 64}, State::added}};
        EXPECT_EQ(found.states, expected);
        EXPECT_EQ(found.sums.equal, 2U);
        EXPECT_EQ(found.sums.same_bytes, 2U);
        EXPECT_EQ(found.sums.changed, 1U);
        EXPECT_EQ(found.sums.total.blocks, 2U);
        EXPECT_FALSE(found.sums.is_equal());
    }
    const auto only = compare(*before, *after, 1, [](ChunkPos pos) { return pos.x == 0; });
    EXPECT_EQ(only.states.size(), 1U);
    EXPECT_TRUE(only.sums.is_equal());
}

TEST(DiffWorlds, AWorldEqualsItsCopyInAnotherContainer) {
    const test::TemporaryFolder folder;
    const std::vector<Buffer> chunks{with_block(1), with_block(2), damaged_document()};
    const auto a = make_world(folder / "a", chunks).open({}).value();
    const auto b = make_world(folder / "b", chunks, 0).open({}).value();
    EXPECT_TRUE(compare(*a, *b).sums.is_equal());
}

TEST(DiffWorlds, TheOrderOfTheStoresDoesNotMatter) {
    const test::TemporaryFolder folder;
    // RocksDB sorts negative positions after positive ones.
    auto rocks = storage::open_rocksdb_store(folder / "db", {.write = true, .create = true});
    if (!rocks && rocks.error().code == Errc::unsupported) GTEST_SKIP();
    ASSERT_TRUE(rocks) << rocks.error().text();
    const storage::Folder regions(storage::open_disk_tree(folder / "chunks"));
    auto files = storage::open_region_store(regions, {.write = true, .create = true});
    ASSERT_TRUE(files) << files.error().text();
    for (const ChunkPos pos : {ChunkPos{-40, 3}, ChunkPos{2, -1}, ChunkPos{100, 100}, ChunkPos{0, 0}}) {
        ASSERT_TRUE((*rocks)->write(pos, with_block(1)));
        ASSERT_TRUE((*files)->write(pos, with_block(1)));
    }
    EXPECT_TRUE(compare(**rocks, **files).sums.is_equal());
    ASSERT_TRUE((*files)->write({-40, 3}, with_block(2)));
    ASSERT_TRUE((*files)->remove({100, 100}));
    ASSERT_TRUE((*files)->write({-1, -1}, with_block(2)));
    const auto found = compare(**rocks, **files);
    EXPECT_EQ(found.states.at({-40, 3}), State::changed);
    EXPECT_EQ(found.states.at({100, 100}), State::removed);
    EXPECT_EQ(found.states.at({-1, -1}), State::added);
    EXPECT_EQ(found.sums.equal, 2U);
}

TEST(DiffWorlds, ADamagedRegionIsReportedAndTheRestCompared) {
    const test::TemporaryFolder folder;
    const auto a = make_world(folder / "a", {with_block(1)});
    const auto b = make_world(folder / "b", {with_block(1)});
    put(folder / "a" / "chunks" / "1.0.region.bin", Bytes());
    put(folder / "b" / "chunks" / "1.0.region.bin",
        test::region_v1_image({{0, test::compressed_blob(with_block(1))}}));
    const auto found = compare(*a.open({}).value(), *b.open({}).value());
    EXPECT_EQ(found.errors.size(), 1U);
    EXPECT_EQ(found.sums.equal, 1U);
    EXPECT_FALSE(found.sums.is_equal());
}

TEST(DiffWorlds, RealWorldsEqualThemselvesAndAChangedChunkIsTheOnlyDifference) {
    const auto files = test::real_region_files();
    for (const auto& file : files) {
        const test::TemporaryFolder folder;
        std::filesystem::create_directories(folder / "chunks");
        std::filesystem::copy_file(file, folder / "chunks" / file.filename());
        std::filesystem::permissions(folder / "chunks" / file.filename(), std::filesystem::perms::owner_all);
        const auto a = storage::open_single_region(file, {}).value();
        const storage::Folder regions(storage::open_disk_tree(folder / "chunks"));
        const auto b = storage::open_region_store(regions, {.write = true}).value();
        const auto found = compare(*a, *b);
        EXPECT_TRUE(found.sums.is_equal()) << file;
        EXPECT_EQ(found.sums.same_bytes, found.sums.equal);
        const auto pos = a->chunks()->next().value().value();
        storage::ReadContext context;
        auto chunk = chunk::Chunk::decode(b->read(pos, context).value().value()).value();
        if (!chunk.set_block({3, 300, 4}, {"Orbis_Test", {}, {}})) continue; // an old key that cannot be kept
        Buffer out;
        ASSERT_TRUE(b->write(pos, chunk.encode(out).value()));
        const auto changed = compare(*a, *b);
        EXPECT_EQ(changed.sums.changed, 1U) << file;
        EXPECT_EQ(changed.sums.total.blocks, 1U) << file;
        EXPECT_EQ(changed.sums.unreadable, 0U) << file;
    }
}

TEST(ChunkPicture, ShowsEachChunkInItsColourAndColumnsWhereThereIsRoom) {
    ChunkPicture picture;
    picture.add({-1, 5}, 0x00FF00, 1);
    picture.add({1, 6}, 0xFF0000, 1);
    std::bitset<k_columns> columns;
    columns.set(static_cast<std::size_t>(ColumnIndex(7, 9).value));
    picture.add_columns({1, 6}, columns, 0xFFFFFF);
    const auto drawn = picture.draw();
    ASSERT_EQ(drawn.width(), 5U * 32); // three chunks and a frame
    ASSERT_EQ(drawn.height(), 4U * 32);
    EXPECT_EQ(drawn.at(32 + 16, 32 + 16), 0x00FF00U);
    EXPECT_EQ(drawn.at(3 * 32 + 7, 2 * 32 + 9), 0xFFFFFFU);
    EXPECT_EQ(drawn.at(3 * 32 + 8, 2 * 32 + 9), 0xFF0000U);
    EXPECT_EQ(drawn.at(0, 0), ChunkPicture::k_nothing);
}

TEST(ChunkPicture, WorldsOfAnyExtentFit) {
    ChunkPicture picture;
    const auto most = std::numeric_limits<std::int32_t>::max();
    const auto least = std::numeric_limits<std::int32_t>::min();
    picture.add({least, least}, 0x00FF00, 0);
    picture.add({most, most}, 0xFF0000, 1);
    picture.add({most - 1, most}, 0x0000FF, 0);
    picture.mark({least, 0, most}, 0xFFFFFF);
    const auto drawn = picture.draw();
    EXPECT_LE(drawn.width(), ChunkPicture::k_most_pixels);
    EXPECT_EQ(drawn.at(drawn.width() - 1, drawn.height() - 1), 0xFF0000U) << "the higher rank is seen";
    EXPECT_EQ(ChunkPicture().draw().width(), 1U);
}

} // namespace
} // namespace orbis::jobs
