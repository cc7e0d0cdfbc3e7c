#include "bytes/content_hash.hpp"
#include "storage/hashing_reader.hpp"
#include "storage/layered_store.hpp"
#include "storage/region_store.hpp"
#ifdef ORBIS_ROCKSDB
#include "storage/rocksdb_store.hpp"
#endif
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace orbis::storage {
namespace {

/// A store of each kind that can be written, with nothing in it.
std::vector<std::unique_ptr<Store>> stores_in(const test::TemporaryFolder& folder) {
    StoreOptions options;
    options.write = true;
    options.create = true;
    options.sync = SyncPolicy::none;
    std::vector<std::unique_ptr<Store>> stores;
    stores.push_back(open_region_store(Folder(open_disk_tree(folder.path()), "chunks"), options).value());
#ifdef ORBIS_ROCKSDB
    stores.push_back(open_rocksdb_store(folder / "db", options).value());
#endif
    return stores;
}

TEST(HashingReader, TheHashIsOfWhatIsStoredAndTheDocumentIsThatOfTheChunk) {
    const test::TemporaryFolder folder;
    for (const auto& store : stores_in(folder)) {
        const std::string text(5000, 'a');
        ASSERT_TRUE(store->write({-1, 2}, as_bytes(text)));
        HashingReader reader(*store);
        EXPECT_EQ(reader.hash({0, 0}), 0U);
        EXPECT_FALSE(reader.read({0, 0}));
        const auto found = reader.read({-1, 2});
        ASSERT_TRUE(found);
        ASSERT_TRUE(found->document);
        EXPECT_EQ(as_text(*found->document), text);
        EXPECT_EQ(found->hash, reader.hash({-1, 2}));
        ReadContext context;
        if (store->keeps_compressed()) {
            const auto frame = store->read_compressed({-1, 2}, context).value().value();
            EXPECT_EQ(found->hash, content_hash(frame.bytes));
            EXPECT_EQ(found->bytes, frame.bytes.size());
            EXPECT_LT(found->bytes, text.size());
        } else {
            EXPECT_EQ(found->hash, content_hash(as_bytes(text)));
            EXPECT_EQ(found->bytes, text.size());
        }
    }
}

TEST(HashingReader, RegionFilesKeepFramesAndDatabasesAndEmptyStoresDoNot) {
    const test::TemporaryFolder folder;
    const auto stores = stores_in(folder);
    EXPECT_TRUE(stores[0]->keeps_compressed());
    for (std::size_t i = 1; i < stores.size(); ++i) EXPECT_FALSE(stores[i]->keeps_compressed());
    EXPECT_FALSE(make_empty_store("nothing")->keeps_compressed());
}

TEST(HashingReader, WhatCannotBeReadHasAHashOfTheReasonAndSaysWhereItIs) {
    const test::TemporaryFolder folder;
    const auto store = open_region_store(Folder(open_disk_tree(folder.path()), "chunks"),
                                         {.write = true, .create = true, .sync = SyncPolicy::none})
                           .value();
    ASSERT_TRUE(store->write({1, 0}, as_bytes("whole")));
    ASSERT_TRUE(store->put_bytes({2, 0}, as_bytes("no blob at all")));
    HashingReader reader(*store);
    const auto broken = reader.read({2, 0});
    ASSERT_TRUE(broken);
    EXPECT_FALSE(broken->document);
    EXPECT_NE(broken->hash, 0U);
    EXPECT_EQ(broken->hash, reader.hash({2, 0}));
    EXPECT_EQ(broken->problem.chunk, (ChunkPos{2, 0}));
    EXPECT_TRUE(broken->problem.file.ends_with("0.0.region.bin")) << broken->problem.text();
    EXPECT_EQ(reader.hash({2, 0}), broken->hash) << "the same until something changes";
}

TEST(HashingReader, AFrameThatDoesNotDecompressIsToldWithItsPlace) {
    const test::TemporaryFolder folder;
    const auto store = open_region_store(Folder(open_disk_tree(folder.path()), "chunks"),
                                         {.write = true, .create = true, .sync = SyncPolicy::none})
                           .value();
    ASSERT_TRUE(store->write_compressed({3, 0}, {as_bytes("this is no frame"), 100}));
    HashingReader reader(*store);
    const auto found = reader.read({3, 0});
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->document);
    EXPECT_EQ(found->hash, content_hash(as_bytes("this is no frame")));
    EXPECT_EQ(found->bytes, 16U);
    EXPECT_TRUE(found->problem.offset) << found->problem.text();
    EXPECT_EQ(found->problem.chunk, (ChunkPos{3, 0}));
}

TEST(RegionHashesOfAStore, TellWhatChangedCameAndWent) {
    const test::TemporaryFolder folder;
    const auto store = open_region_store(Folder(open_disk_tree(folder.path()), "chunks"),
                                         {.write = true, .create = true, .sync = SyncPolicy::none})
                           .value();
    const RegionPos region{-1, 0};
    for (const int slot : {0, 5, 1023}) ASSERT_TRUE(store->write(region.chunk({slot}), as_bytes("one")));
    HashingReader reader(*store);
    RegionHashes before;
    hash_region(reader, region, before);
    EXPECT_EQ(std::ranges::count(before, 0U), k_columns - 3);
    EXPECT_NE(before[1023], 0U);
    ASSERT_TRUE(store->write(region.chunk({1023}), as_bytes("two")));
    ASSERT_TRUE(store->write(region.chunk({6}), as_bytes("new")));
    ASSERT_TRUE(store->remove(region.chunk({0})));
    RegionHashes after;
    hash_region(reader, region, after);
    EXPECT_EQ(changed_chunks(region, before, after),
              (std::vector<ChunkPos>{region.chunk({0}), region.chunk({6}), region.chunk({1023})}));
    EXPECT_TRUE(changed_chunks(region, after, after).empty());
}

TEST(MisplacedFolders, AreThoseWithTheNameOfARegionFile) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder / "chunks" / "3.-2.region.bin");
    std::filesystem::create_directories(folder / "chunks" / "other");
    std::ofstream(folder / "chunks" / "1.1.region.bin") << "a file";
    const auto found = misplaced_folders(Folder(open_disk_tree(folder.path()), "chunks"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].pos, (RegionPos{3, -2}));
    EXPECT_TRUE(found[0].error.file.ends_with("3.-2.region.bin")) << found[0].error.text();
    EXPECT_TRUE(misplaced_folders(Folder(open_disk_tree(folder.path()), "nowhere")).empty());
}

} // namespace
} // namespace orbis::storage
