#include "care/snapshot/snapshot_worlds_test.hpp"
#include "care/snapshot/steady_read.hpp"

#include <functional>

namespace orbis::care::snapshot {
namespace {

using namespace test_worlds;

/// A region store beside a writer: what a reader gets of a chunk can be told for each time it asks.
class StoreBesideAWriter final : public storage::RegionStore {
public:
    using Answer = std::function<Result<std::optional<storage::Frame>>(int reads, storage::Frame frame)>;
    StoreBesideAWriter(std::unique_ptr<storage::RegionStore> store, Answer answer)
        : store_(std::move(store)), answer_(std::move(answer)) {}

    std::string_view kind() const override { return store_->kind(); }
    const std::string& name() const override { return store_->name(); }
    bool keeps_frames() const override { return true; }
    std::unique_ptr<storage::Cursor> chunks() const override { return store_->chunks(); }
    Result<bool> contains(ChunkPos pos) const override { return store_->contains(pos); }
    Result<std::optional<Bytes>> read(ChunkPos pos, storage::ReadContext& context) const override {
        return store_->read(pos, context);
    }
    Result<std::optional<storage::Frame>> read_frame(ChunkPos pos,
                                                     storage::ReadContext& context) const override {
        TRY(const auto frame, store_->read_frame(pos, context));
        return answer_(++reads_, *frame);
    }
    Result<void> write(ChunkPos, Bytes) override { return {}; }
    Result<void> write_frame(ChunkPos, const storage::Frame&) override { return {}; }
    Result<bool> remove(ChunkPos) override { return false; }
    Result<void> sync() override { return {}; }
    Result<std::vector<RegionPos>> regions() const override { return store_->regions(); }
    Result<std::shared_ptr<storage::Region>> region(RegionPos pos) const override {
        return store_->region(pos);
    }
    Result<void> migrate(RegionPos) override { return {}; }
    Result<void> put_bytes(ChunkPos, Bytes) override { return {}; }
    Result<void> put_entry(ChunkPos, std::int32_t) override { return {}; }

private:
    std::unique_ptr<storage::RegionStore> store_;
    Answer answer_;
    mutable int reads_ = 0;
};

class SteadyReadTest : public testing::Test {
protected:
    SteadyReadTest() {
        put(folder_ / "0.0.region.bin",
            as_text(test::region_v1_image({{0, test::compressed_blob(document(1))}})));
    }
    Result<std::optional<SteadyChunk>> read(StoreBesideAWriter::Answer answer) {
        const StoreBesideAWriter store(storage::open_single_region(folder_ / "0.0.region.bin", {}).value(),
                                       std::move(answer));
        storage::ReadContext context;
        return read_steady(store, {0, 0}, context);
    }
    /// The frame with bytes of another version from the middle on, as a reader sees it who slept there.
    Bytes torn(const storage::Frame& frame) {
        bytes_.assign(frame.bytes.begin(), frame.bytes.end());
        for (auto i = bytes_.size() / 2; i < bytes_.size(); ++i) bytes_[i] ^= 0x55U;
        return bytes_;
    }

    test::TemporaryFolder folder_;
    Buffer bytes_;
    const Buffer whole_ = test::compressed_blob(document(1)).frame;
};

TEST_F(SteadyReadTest, BytesOfTwoVersionsAreNotBelievedThoughTheEntryIsBackWhereItWas) {
    for (const int slept : {1, 2}) {
        const auto chunk = read([&](int reads, storage::Frame frame) {
            if (reads == slept) frame.bytes = torn(frame);
            return std::optional(frame);
        });
        ASSERT_TRUE(chunk && *chunk);
        EXPECT_EQ((*chunk)->frame, whole_) << "torn at read " << slept;
    }
}

TEST_F(SteadyReadTest, AChunkThatNeverStaysIsToldAndNotKept) {
    const auto chunk = read([&](int reads, storage::Frame frame) {
        if (reads % 2 == 1) frame.bytes = torn(frame);
        return std::optional(frame);
    });
    ASSERT_FALSE(chunk);
    EXPECT_EQ(chunk.error().code, Errc::busy);
}

TEST_F(SteadyReadTest, AnErrorThatPassesIsNoDamageAndOneThatStaysIs) {
    const auto failing = [](int last) {
        return [last](int reads, storage::Frame frame) -> Result<std::optional<storage::Frame>> {
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

} // namespace
} // namespace orbis::care::snapshot
