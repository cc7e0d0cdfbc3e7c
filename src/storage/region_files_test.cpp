#include "storage/layered_store.hpp"
#include "storage/region_files.hpp"
#include "storage/stores_test.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

namespace orbis::storage {
namespace {

using test_stores::write_file;
using test_stores::writing;

class RegionQuestionsTest : public testing::Test {
protected:
    std::shared_ptr<Store> open(const char* name) {
        return open_region_store(Folder(open_disk_tree(folder_ / name)), writing(SyncPolicy::none)).value();
    }
    [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }

    test::TemporaryFolder folder_;
};

TEST_F(RegionQuestionsTest, RegionFilesSayWhereAChunkLies) {
    const auto store = open("world");
    ASSERT_TRUE(store->write({40, 0}, Buffer(100'000, 1)));
    EXPECT_EQ(store->file_of({40, 0}), file("world/1.0.region.bin"));
    EXPECT_EQ(store->file_of({0, 0}), store->name()) << "there is no such file";
    const auto info = store->blob_info({40, 0}).value().value();
    EXPECT_EQ(info.raw_size, 100'000U);
    EXPECT_EQ(info.first_segment, 1);
    EXPECT_EQ(info.segment_bytes, 4096 * info.segments);
    EXPECT_FALSE(store->blob_info({41, 0}).value());
    EXPECT_FALSE(store->blob_info({0, 0}).value());

    const auto* files = store->region_files();
    ASSERT_NE(files, nullptr);
    EXPECT_EQ(files->name(), store->name());
    EXPECT_EQ(files->regions().value(), (std::vector<RegionPos>{{1, 0}}));
    EXPECT_EQ(files->slots({1, 0}).value(), (std::vector<Slot>{ChunkPos{40, 0}.slot()}));
    EXPECT_TRUE(files->slots({0, 0}).value().empty());
    EXPECT_EQ(files->entry({40, 0}).value(), 1);
    EXPECT_EQ(files->entry({41, 0}).value(), 0);
    EXPECT_EQ(files->entry({0, 0}).value(), 0);
    EXPECT_FALSE(files->info({0, 0}).value());
    const auto reader = open_single_region(folder_ / "world/1.0.region.bin", {}).value();
    for (const auto* each : {files, reader->region_files()}) {
        const auto region = each->region({1, 0}).value();
        EXPECT_EQ(region->entry(ChunkPos{40, 0}.slot()).value(), 1);
        for (const int slot : {-1, 1024, 1025}) EXPECT_EQ(region->entry({slot}).value(), 0) << slot;
    }
}

TEST_F(RegionQuestionsTest, ARegionFileThatCannotBeOpenedIsAnErrorOfItsChunksOnly) {
    std::filesystem::create_directories(folder_ / "world");
    write_file(folder_ / "world/0.0.region.bin", Buffer(5, 1));
    const auto store = open_region_store(Folder(open_disk_tree(folder_ / "world")), {}).value();
    EXPECT_FALSE(store->blob_info({0, 0}));
    EXPECT_FALSE(store->slots({0, 0}));
    EXPECT_TRUE(store->blob_info({40, 0}));
    EXPECT_EQ(store->file_of({0, 0}), store->name());
}

TEST_F(RegionQuestionsTest, ASingleFileAnswersForItsOwnChunks) {
    ASSERT_TRUE(open("world")->write({0, 0}, as_bytes("x")));
    ASSERT_TRUE(open("world")->write({40, 0}, as_bytes("x")));
    const auto store = open_single_region(folder_ / "world/1.0.region.bin", {}).value();
    EXPECT_EQ(store->file_of({40, 0}), file("world/1.0.region.bin"));
    EXPECT_TRUE(store->blob_info({40, 0}).value());
    EXPECT_FALSE(store->blob_info({0, 0}).value()) << "it lies in another file";
}

TEST_F(RegionQuestionsTest, OtherStoresHaveNoFilesOfTheirChunks) {
    const auto store = make_empty_store("nothing");
    EXPECT_EQ(store->file_of({0, 0}), "nothing");
    EXPECT_FALSE(store->blob_info({0, 0}).value());
    EXPECT_EQ(store->region_files(), nullptr);
    EXPECT_EQ(store->region_editor(), nullptr);
}

TEST_F(RegionQuestionsTest, AMigrationAnswersForTheLoaderThatAChunkComesFrom) {
    const auto first = open("first");
    const auto second = open("second");
    ASSERT_TRUE(first->write({0, 0}, Buffer(10, 1)));
    ASSERT_TRUE(second->write({0, 0}, Buffer(20, 1)));
    ASSERT_TRUE(second->write({1, 0}, Buffer(30, 1)));
    ASSERT_TRUE(first->write({2, 0}, Buffer(40, 1)));
    ASSERT_TRUE(second->write({2, 0}, Buffer(50, 1)));
    ASSERT_TRUE(first->write({3, 0}, Buffer(60, 1)));
    for (const int x : {2, 3}) {
        ASSERT_TRUE(first->remove({x, 0}));
        ASSERT_TRUE(first->region_editor()->put_entry({x, 0}, 1000 * x)) << "behind the end of the file";
    }
    const auto store = make_migration_store({first, second}, second, "world");
    EXPECT_EQ(store->blob_info({0, 0}).value()->raw_size, 10U);
    EXPECT_EQ(store->file_of({0, 0}), file("first/0.0.region.bin"));
    EXPECT_EQ(store->blob_info({1, 0}).value()->raw_size, 30U);
    EXPECT_EQ(store->file_of({1, 0}), file("second/0.0.region.bin"));
    EXPECT_EQ(store->blob_info({2, 0}).value()->raw_size, 50U) << "a damaged one falls through";
    EXPECT_EQ(store->file_of({2, 0}), file("second/0.0.region.bin"));
    EXPECT_FALSE(store->blob_info({3, 0})) << "nobody else has it";
    EXPECT_EQ(store->file_of({3, 0}), file("first/0.0.region.bin"));
    EXPECT_FALSE(store->blob_info({9, 9}).value());
    EXPECT_EQ(store->file_of({9, 9}), "world");
    EXPECT_EQ(store->region_files(), nullptr) << "chunks of each loader are hidden by those before it";
    EXPECT_EQ(store->region_editor(), nullptr);
}

} // namespace
} // namespace orbis::storage
