#include "jobs/snapshot/snapshot_worlds_test.hpp"

namespace orbis::jobs::snapshot {
namespace {

using namespace test_worlds;

TEST(WithChunks, APartOfAWorldSaysWhereItsChunksLie) {
    const test::TemporaryFolder folder;
    write_world(folder / "world", {{{{0, 0}, document(1)}, {{1, 0}, document(2)}}, {}});
    const auto location = with_chunks(world::find_location(folder / "world").value(),
                                      [](ChunkPos pos) { return pos == ChunkPos{1, 0}; });
    const auto store = location.worlds.at(0).open({}).value();
    EXPECT_EQ(store->file_of({1, 0}), (folder / "world/chunks/0.0.region.bin").string());
    EXPECT_EQ(store->blob_info({1, 0}).value()->raw_size, document(2).size());
    EXPECT_FALSE(store->blob_info({0, 0}).value()) << "it is not of this part";
    EXPECT_EQ(store->file_of({0, 0}), store->name());
    EXPECT_EQ(store->region_files(), nullptr) << "the file holds other chunks too";
}

TEST(TakeFiles, AFileIsNewWhicheverOfItsPiecesIs) {
    const test::TemporaryFolder folder;
    write_world(folder / "world", {{{{0, 0}, document(1)}}, {}});
    std::string text(k_piece_size + 2, 'x');
    const auto new_files = [&](std::int64_t time) {
        put(folder / "world/large.json", text);
        return take_world(folder / "store", folder / "world", k_later + time).new_files;
    };
    (void)new_files(0);
    text.front() = 'a';
    EXPECT_EQ(new_files(10), 1U);
    text.back() = 'a';
    EXPECT_EQ(new_files(20), 1U);
    EXPECT_EQ(new_files(30), 0U);
}

} // namespace
} // namespace orbis::jobs::snapshot
