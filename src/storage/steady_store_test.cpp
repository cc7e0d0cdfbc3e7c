#include "storage/layered_store.hpp"
#include "storage/steady_store.hpp"
#include "storage/stores_test.hpp"
#include "support/region_images.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace orbis::storage {
namespace {

Buffer document() {
    Buffer bytes(6000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i / 7);
    return bytes;
}

/// A region store beside a writer: what a reader gets of a chunk can be told for each time it asks.
class StoreBesideAWriter final : public RegionStore {
public:
    using Answer = std::function<Result<std::optional<CompressedChunk>>(int reads, CompressedChunk frame)>;
    StoreBesideAWriter(std::unique_ptr<RegionStore> store, Answer answer)
        : store_(std::move(store)), answer_(std::move(answer)) {}

    std::string_view kind() const override { return store_->kind(); }
    const std::string& name() const override { return store_->name(); }
    bool keeps_compressed() const override { return true; }
    std::unique_ptr<Cursor> chunks() const override { return store_->chunks(); }
    Result<bool> contains(ChunkPos pos) const override { return store_->contains(pos); }
    Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const override {
        return store_->read(pos, context);
    }
    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos pos,
                                                           ReadContext& context) const override {
        TRY(const auto frame, store_->read_compressed(pos, context));
        return answer_(++reads_, *frame);
    }
    Result<void> write(ChunkPos, Bytes) override { return {}; }
    Result<void> write_compressed(ChunkPos, const CompressedChunk&) override { return {}; }
    Result<bool> remove(ChunkPos) override { return false; }
    Result<void> sync() override { return {}; }
    Result<std::vector<RegionPos>> regions() const override { return store_->regions(); }
    Result<std::shared_ptr<Region>> region(RegionPos pos) const override { return store_->region(pos); }
    Result<void> migrate(RegionPos) override { return {}; }
    Result<void> put_bytes(ChunkPos, Bytes) override { return {}; }
    Result<void> put_entry(ChunkPos, std::int32_t) override { return {}; }

private:
    std::unique_ptr<RegionStore> store_;
    Answer answer_;
    mutable int reads_ = 0;
};

class SteadyReadTest : public testing::Test {
protected:
    SteadyReadTest() {
        test_stores::write_file(folder_ / "0.0.region.bin",
                                test::region_v1_image({{0, test::compressed_blob(document())}}));
    }
    Result<std::optional<SteadyChunk>> read(StoreBesideAWriter::Answer answer) {
        const StoreBesideAWriter store(open_single_region(folder_ / "0.0.region.bin", {}).value(),
                                       std::move(answer));
        ReadContext context;
        return read_steady(store, {0, 0}, context);
    }
    /// The frame with bytes of another version from the middle on, as a reader sees it who slept there.
    Bytes torn(const CompressedChunk& frame) {
        bytes_.assign(frame.bytes.begin(), frame.bytes.end());
        for (auto i = bytes_.size() / 2; i < bytes_.size(); ++i) bytes_[i] ^= 0x55U;
        return bytes_;
    }

    test::TemporaryFolder folder_;
    Buffer bytes_;
    const Buffer whole_ = test::compressed_blob(document()).frame;
};

TEST_F(SteadyReadTest, BytesOfTwoVersionsAreNotBelievedThoughTheEntryIsBackWhereItWas) {
    for (const int slept : {1, 2}) {
        const auto chunk = read([&](int reads, CompressedChunk frame) {
            if (reads == slept) frame.bytes = torn(frame);
            return std::optional(frame);
        });
        ASSERT_TRUE(chunk && *chunk);
        EXPECT_EQ((*chunk)->frame, whole_) << "torn at read " << slept;
    }
}

TEST_F(SteadyReadTest, AChunkThatNeverStaysIsToldAndNotKept) {
    const auto chunk = read([&](int reads, CompressedChunk frame) {
        if (reads % 2 == 1) frame.bytes = torn(frame);
        return std::optional(frame);
    });
    ASSERT_FALSE(chunk);
    EXPECT_EQ(chunk.error().code, Errc::busy);
}

TEST_F(SteadyReadTest, AnErrorThatPassesIsNoDamageAndOneThatStaysIs) {
    const auto failing = [](int last) {
        return [last](int reads, CompressedChunk frame) -> Result<std::optional<CompressedChunk>> {
            if (reads <= last) return fail(Errc::bad_value, "lengths that make no sense");
            return std::optional(frame);
        };
    };
    const auto passed = read(failing(1));
    ASSERT_TRUE(passed && *passed);
    EXPECT_EQ((*passed)->frame, whole_);
    const auto stayed = read(failing(100));
    ASSERT_FALSE(stayed);
    EXPECT_EQ(stayed.error().code, Errc::bad_value);
}

TEST_F(SteadyReadTest, AChunkThatIsRemovedMeanwhileIsNotThere) {
    auto writer = open_single_region(folder_ / "0.0.region.bin", test_stores::writing()).value();
    const auto chunk = read([&](int, CompressedChunk) -> Result<std::optional<CompressedChunk>> {
        EXPECT_TRUE(writer->remove({0, 0}));
        return std::nullopt;
    });
    ASSERT_TRUE(chunk) << chunk.error().text();
    EXPECT_FALSE(*chunk);
}

TEST_F(SteadyReadTest, ASteadyStoreGivesTheSameChunksAndAnswersForItsRegionFiles) {
    const std::shared_ptr<Store> plain = open_single_region(folder_ / "0.0.region.bin", {}).value();
    const auto steady = make_steady(plain);
    ASSERT_NE(steady, plain);
    ReadContext context;
    EXPECT_TRUE(std::ranges::equal(steady->read({0, 0}, context).value().value(), document()));
    EXPECT_TRUE(std::ranges::equal(steady->read_compressed({0, 0}, context).value()->bytes, whole_));
    EXPECT_FALSE(steady->read({1, 0}, context).value());
    EXPECT_EQ(steady->file_of({0, 0}), (folder_ / "0.0.region.bin").string());
    EXPECT_EQ(steady->blob_info({0, 0}).value()->frame_size, whole_.size());
    EXPECT_EQ(steady->region_files(), plain->region_files());
    EXPECT_EQ(steady->region_editor(), nullptr) << "it is for reading";
    EXPECT_EQ(steady->remove({0, 0}).error().code, Errc::read_only);
}

TEST_F(SteadyReadTest, WhatIsNoRegionFileIsHandedThrough) {
    const std::shared_ptr<Store> other = make_empty_store("nothing");
    EXPECT_EQ(make_steady(other), other);
    ReadContext context;
    EXPECT_FALSE(read_steady(*other, {0, 0}, context).value());
    EXPECT_FALSE(read_agreeing(*other, {0, 0}, context).value());
}

/// Gives another document each time, as long as it is told to.
class RestlessDocuments final : public Store {
public:
    explicit RestlessDocuments(int changes) : changes_(changes) {}
    std::string_view kind() const override { return "test"; }
    const std::string& name() const override { return name_; }
    bool keeps_compressed() const override { return false; }
    std::unique_ptr<Cursor> chunks() const override { return nullptr; }
    Result<bool> contains(ChunkPos) const override { return true; }
    Result<std::optional<Bytes>> read(ChunkPos, ReadContext& context) const override {
        context.gathered.assign(1, static_cast<std::uint8_t>(std::min(reads_++, changes_)));
        return context.gathered;
    }
    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos, ReadContext&) const override {
        return std::nullopt;
    }
    Result<void> write(ChunkPos, Bytes) override { return {}; }
    Result<void> write_compressed(ChunkPos, const CompressedChunk&) override { return {}; }
    Result<bool> remove(ChunkPos) override { return false; }
    Result<void> sync() override { return {}; }
    [[nodiscard]] int reads() const { return reads_; }

private:
    int changes_;
    std::string name_ = "restless";
    mutable int reads_ = 0;
};

TEST(ReadAgreeing, TwoReadsInARowMustBeEqual) {
    for (const int changes : {0, 2}) {
        const RestlessDocuments store(changes);
        ReadContext context;
        EXPECT_EQ(read_agreeing(store, {0, 0}, context).value()->front(), changes);
        EXPECT_EQ(store.reads(), changes + 2);
    }
    const RestlessDocuments never(100);
    ReadContext context;
    EXPECT_TRUE(read_agreeing(never, {0, 0}, context).value());
    EXPECT_EQ(never.reads(), 5);
}

} // namespace
} // namespace orbis::storage
