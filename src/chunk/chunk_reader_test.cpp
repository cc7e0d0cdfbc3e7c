#include "chunk/chunk_documents_test.hpp"
#include "chunk/chunk_reader.hpp"
#include "storage/region_store.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

namespace orbis::chunk {
namespace {

using test_documents::document;
using test_documents::ten_sections;

class ChunkReaderTest : public testing::Test {
protected:
    ChunkReaderTest() {
        storage::StoreOptions how;
        how.write = true;
        how.create = true;
        how.sync = storage::SyncPolicy::none;
        store_ = storage::open_region_store(storage::Folder(storage::open_disk_tree(folder_ / "chunks")), how)
                     .value();
        EXPECT_TRUE(store_->write({0, 0}, plain_));
    }

    [[nodiscard]] std::string file() const { return (folder_ / "chunks" / "0.0.region.bin").string(); }

    test::TemporaryFolder folder_;
    std::unique_ptr<storage::RegionStore> store_;
    const Buffer plain_ = document(ten_sections());
    ChunkReader reader_;
};

TEST_F(ChunkReaderTest, GivesWhatIsStored) {
    const auto* chunk = reader_.read(*store_, {0, 0}).value();
    ASSERT_NE(chunk, nullptr);
    EXPECT_TRUE(std::ranges::equal(chunk->document(), plain_));
    EXPECT_TRUE(reader_.problems().empty());
    EXPECT_EQ(chunk, &reader_.chunk()) << "one chunk, whose memory is used again";
    EXPECT_EQ(reader_.read(*store_, {0, 0}).value(), chunk);
}

TEST_F(ChunkReaderTest, ReadsOnlyTheWantedParts) {
    const auto* chunk = reader_.read(*store_, {0, 0}, k_column_maps).value();
    EXPECT_EQ(chunk->columns_state(), PartState::decoded);
    EXPECT_EQ(chunk->section(0).block_state, PartState::skipped);
}

TEST_F(ChunkReaderTest, WhatIsNotThereOrWasRemovedSinceItWasListedIsNoError) {
    const auto listed = store_->chunks()->next().value().value();
    EXPECT_EQ(listed, (ChunkPos{0, 0}));
    ASSERT_TRUE(store_->remove(listed).value());
    for (const ChunkPos pos : {listed, ChunkPos{1, 0}, ChunkPos{99, 99}}) {
        const auto chunk = reader_.read(*store_, pos);
        ASSERT_TRUE(chunk) << chunk.error().text();
        EXPECT_EQ(*chunk, nullptr);
        EXPECT_FALSE(reader_.load(*store_, pos).value());
    }
}

TEST_F(ChunkReaderTest, ADocumentThatIsNoChunkIsAnErrorWithItsFileAndChunk) {
    ASSERT_TRUE(store_->write({3, 4}, as_bytes("no document")));
    const auto chunk = reader_.read(*store_, {3, 4});
    ASSERT_FALSE(chunk);
    EXPECT_EQ(chunk.error().file, file());
    EXPECT_EQ(chunk.error().chunk, (ChunkPos{3, 4}));
    const auto document = reader_.load(*store_, {3, 4});
    ASSERT_TRUE(document && *document) << "the store could read it";
    EXPECT_EQ(as_text(**document), "no document");
    EXPECT_FALSE(reader_.decode());
    EXPECT_TRUE(reader_.read(*store_, {0, 0})) << "the next one is not affected";
}

TEST_F(ChunkReaderTest, BytesThatDoNotDecompressAreAnErrorWithTheirFileAndChunk) {
    ASSERT_TRUE(store_->write_compressed({3, 4}, {as_bytes("no frame"), 100}));
    const auto document = reader_.load(*store_, {3, 4});
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().file, file());
    EXPECT_EQ(document.error().chunk, (ChunkPos{3, 4}));
}

TEST_F(ChunkReaderTest, PartsThatCannotBeReadAreErrorsWithTheirFileAndChunk) {
    auto sections = ten_sections();
    sections[2].version = 7;
    ASSERT_TRUE(store_->write({3, 4}, document(sections)));
    const auto* chunk = reader_.read(*store_, {3, 4}).value();
    ASSERT_EQ(chunk->problems().size(), 1U);
    const auto problems = reader_.problems();
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].code, chunk->problems()[0].error.code);
    EXPECT_EQ(problems[0].problem, chunk->problems()[0].text());
    EXPECT_EQ(problems[0].file, file());
    EXPECT_EQ(problems[0].chunk, (ChunkPos{3, 4}));
}

} // namespace
} // namespace orbis::chunk
