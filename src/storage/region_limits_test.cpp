#include "bytes/writer.hpp"
#include "storage/region_file.hpp"
#include "storage/region_store.hpp"
#include "storage/segment_map.hpp"
#include "storage/steady_store.hpp"
#include "support/bad_pages.hpp"
#include "support/region_images.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace orbis::storage {
namespace {

constexpr std::uint64_t k_index = 32;
constexpr std::uint64_t k_first_segment = k_index + std::uint64_t{4} * 1024;
constexpr std::uint64_t k_first_segment_v0 = k_index + std::uint64_t{8} * 1024;

/// Region files with bytes that the disk does not deliver.
class BadPages : public testing::Test {
protected:
    using Pages = test::BadPages;

    [[nodiscard]] Buffer image(std::int32_t version, std::int32_t blobs = 1024) const {
        const test::RegionShape shape{.version = version, .blob_count = blobs};
        return version == 0 ? test::region_v0_image(content_, shape) : test::region_v1_image(content_, shape);
    }
    [[nodiscard]] Result<std::unique_ptr<Region>> region(std::int32_t version, Pages bad) const {
        return open_region(std::make_unique<test::BadPagesFile>(image(version), bad), {0, 0});
    }
    [[nodiscard]] std::unique_ptr<RegionStore> store(std::int32_t version, Pages bad) const {
        return open_region_store(
                   Folder(std::make_shared<test::BadPagesTree>("0.0.region.bin", image(version), bad)), {})
            .value();
    }
    template <typename T>
    static Errc code(const Result<T>& result) {
        return result ? Errc{} : result.error().code;
    }

    test::RegionContent content_{{0, test::compressed_blob(as_bytes("the first chunk"))},
                                 {5, test::compressed_blob(Buffer(9000, 7))},
                                 {6, {Buffer(9000, 1), 70000}}};
    Buffer gathered_;
    ReadContext context_;
};

TEST_F(BadPages, OfAHeaderOrAnIndexAreAnErrorAndNoEmptyFile) {
    for (const std::int32_t version : {0, 1}) {
        EXPECT_EQ(code(region(version, {0, 1})), Errc::io);
        EXPECT_EQ(code(region(version, {31, 32})), Errc::io);
        const auto opened = region(version, {k_index + 20, k_index + 24});
        ASSERT_TRUE(opened) << opened.error().text();
        EXPECT_EQ(code((*opened)->slots()), Errc::io);
        EXPECT_EQ(code((*opened)->entry({5})), Errc::io);
        EXPECT_EQ((*opened)->entry({4}).value(), 0);
        EXPECT_GT((*opened)->entry({6}).value(), 0);
        EXPECT_EQ(code((*opened)->blob({5}, gathered_)), Errc::io);
        EXPECT_EQ((*opened)->blob({5}, gathered_).error().chunk, (ChunkPos{5, 0}));
        const auto kept = store(version, {k_index + 20, k_index + 24});
        EXPECT_EQ(code(kept->contains({5, 0})), Errc::io);
        EXPECT_EQ(code(kept->chunks()->next()), Errc::io);
    }
    const auto writes = [&](Pages bad) {
        return RegionFile::open(std::make_unique<test::BadPagesFile>(image(1), bad), {0, 0},
                                RegionAccess::write, SyncPolicy::none);
    };
    EXPECT_TRUE(writes({0, 0}));
    EXPECT_EQ(code(writes({k_first_segment - 1, k_first_segment})), Errc::io);
}

TEST_F(BadPages, OfABlobAreAnErrorOfItsChunk) {
    for (const std::int32_t version : {0, 1}) {
        SCOPED_TRACE(version);
        const auto first = version == 0 ? k_first_segment_v0 : k_first_segment;
        const auto lengths = version == 0 ? first + 4 : first;
        for (const Pages bad : {Pages{lengths, lengths + 1}, Pages{lengths + 7, lengths + 8}}) {
            const auto opened = region(version, bad);
            EXPECT_EQ(code((*opened)->info({0})), Errc::io);
            EXPECT_EQ(code((*opened)->blob({0}, gathered_)), Errc::io);
            EXPECT_TRUE((*opened)->info({5}));
        }
        const Pages frame{lengths + 8 + 12, lengths + 8 + 13};
        const auto kept = store(version, frame);
        EXPECT_TRUE(kept->blob_info({0, 0}));
        const auto read = kept->read({0, 0}, context_);
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().code, Errc::io);
        EXPECT_EQ(read.error().chunk, (ChunkPos{0, 0}));
        EXPECT_EQ(read.error().region, (RegionPos{0, 0}));
        EXPECT_EQ(read.error().file, "bad.bin");
        EXPECT_TRUE(kept->read({5, 0}, context_));
        EXPECT_EQ(code(read_steady(*kept, {0, 0}, context_)), Errc::io);
        EXPECT_TRUE(read_steady(*kept, {5, 0}, context_).value());
    }
}

TEST_F(BadPages, OfEntriesThatAreNoChunksKeepAFileFromBeingRewritten) {
    const auto check = [&](std::int32_t blobs, Pages bad) {
        return check_rewritable(
            **open_region(std::make_unique<test::BadPagesFile>(image(1, blobs), bad), {0, 0}));
    };
    const Pages behind{k_index + 4 * 1024, k_index + 4 * 1025};
    EXPECT_EQ(code(check(1025, behind)), Errc::io);
    EXPECT_TRUE(check(1025, {0, 0}));
    EXPECT_TRUE(check(1024, behind));
    content_[1024] = content_[0];
    const auto more = check(1025, {0, 0});
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, Errc::unsupported);
    EXPECT_EQ(more.error().offset, k_index + 4 * 1024);
    EXPECT_NE(more.error().problem.find("in slot 1024"), std::string::npos) << more.error().problem;
    content_.erase(1024);
    content_[1025] = content_[0];
    EXPECT_EQ(check(1026, {0, 0}).error().offset, k_index + 4 * 1025);
}

/// Counts what is done to a file in memory.
class CountingFile final : public File {
public:
    struct Calls {
        int writes = 0;
        int syncs = 0;
        bool fails_syncs = false;
    };
    CountingFile(Buffer content, Calls& calls) : file_(std::move(content)), calls_(calls) {}

    const std::string& name() const override { return file_.name(); }
    Result<std::uint64_t> size() const override { return file_.size(); }
    Result<FileView> view(std::uint64_t offset, std::uint64_t length) const override {
        return file_.view(offset, length);
    }
    Result<void> check(const FileView&) const override { return {}; }
    Result<void> write(std::uint64_t offset, std::span<const Bytes> parts) override {
        ++calls_.writes;
        return file_.write(offset, parts);
    }
    using File::write;
    Result<void> sync() override {
        ++calls_.syncs;
        if (calls_.fails_syncs) return fail(Errc::io, "the disk is gone");
        return {};
    }

private:
    test::MemoryFile file_;
    Calls& calls_;
};

class RegionWrites : public testing::Test {
protected:
    void open(SyncPolicy sync, RegionAccess access = RegionAccess::write) {
        calls_ = {};
        file_ = RegionFile::open(std::make_unique<CountingFile>(test::region_v1_image(content_), calls_),
                                 {2, 3}, access, sync)
                    .value();
    }
    /// Writes and syncs since the last look.
    std::pair<int, int> calls() {
        const auto now = std::pair(calls_.writes, calls_.syncs);
        calls_.writes = calls_.syncs = 0;
        return now;
    }
    template <typename T>
    static std::string told(const Result<T>& result) {
        if (result) return "done";
        return fmt::format("{} {}: {}", static_cast<int>(result.error().code),
                           result.error().chunk ? fmt::format("{:n}", *result.error().chunk) : "-",
                           result.error().problem);
    }
    static std::string told_as(Errc code, std::string_view rest) {
        return fmt::format("{} {}", static_cast<int>(code), rest);
    }

    test::RegionContent content_{{0, {Buffer(10, 1), 100}}, {1, {Buffer(5000, 1), 100}}};
    CountingFile::Calls calls_;
    std::unique_ptr<RegionFile> file_;
    const Buffer frame_ = Buffer(20, 9);
};

TEST_F(RegionWrites, SyncAsOftenAsTheirPolicySaysAndNotMore) {
    using Calls = std::pair<int, int>;
    open(SyncPolicy::each);
    EXPECT_EQ(calls(), Calls(0, 0));
    ASSERT_TRUE(file_->write({5}, frame_, 30));
    EXPECT_EQ(calls(), Calls(2, 3)) << "once for what was there before, then data and entry";
    EXPECT_TRUE(file_->is_settled());
    ASSERT_TRUE(file_->write({6}, frame_, 30));
    EXPECT_EQ(calls(), Calls(2, 2));
    EXPECT_TRUE(file_->remove({6}).value());
    EXPECT_EQ(calls(), Calls(1, 2));
    EXPECT_FALSE(file_->remove({6}).value());
    ASSERT_TRUE(file_->sync());
    EXPECT_EQ(calls(), Calls(0, 0));

    open(SyncPolicy::batch);
    ASSERT_TRUE(file_->write({5}, frame_, 30));
    ASSERT_TRUE(file_->write({6}, frame_, 30));
    EXPECT_EQ(calls(), Calls(2, 1));
    EXPECT_FALSE(file_->is_settled());
    ASSERT_TRUE(file_->sync());
    EXPECT_EQ(calls(), Calls(2, 2));
    EXPECT_TRUE(file_->is_settled());
    for (int i = 0; i < 511; ++i) ASSERT_TRUE(file_->write({100 + i}, frame_, 30));
    EXPECT_EQ(calls(), Calls(511, 0));
    ASSERT_TRUE(file_->write({700}, frame_, 30));
    EXPECT_EQ(calls(), Calls(1 + 512, 2)) << "a batch is full";
    const Buffer large((8 << 20) - 1);
    ASSERT_TRUE(file_->write({5}, large, 30) && file_->write({6}, large, 30));
    EXPECT_EQ(calls(), Calls(2, 0));
    ASSERT_TRUE(file_->write({7}, Buffer(2), 30));
    EXPECT_EQ(calls(), Calls(1 + 3, 2)) << "so are 16 MiB";

    open(SyncPolicy::none);
    ASSERT_TRUE(file_->write({5}, frame_, 30));
    EXPECT_EQ(calls(), Calls(2, 1));
    EXPECT_FALSE(file_->is_settled());
    ASSERT_TRUE(file_->sync());
    EXPECT_EQ(calls(), Calls(0, 1));
    EXPECT_TRUE(file_->is_settled());
}

TEST_F(RegionWrites, EndWithASyncThatFailed) {
    open(SyncPolicy::batch);
    ASSERT_TRUE(file_->write({5}, frame_, 30));
    calls_.fails_syncs = true;
    EXPECT_EQ(file_->sync().error().code, Errc::io);
    calls_.fails_syncs = false;
    const auto more = file_->write({6}, frame_, 30);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, Errc::io);
    EXPECT_EQ(more.error().advice, "check the disk and open the world again");
    EXPECT_FALSE(file_->sync());
    EXPECT_FALSE(file_->remove({0}));
}

TEST_F(RegionWrites, AreRefusedBeyondTheirLimits) {
    open(SyncPolicy::none, RegionAccess::read);
    const auto only = told_as(Errc::read_only, "65,96: the region file was opened for reading only");
    EXPECT_EQ(told(file_->write({1}, frame_, 1)), only);
    EXPECT_EQ(told(file_->remove({1})), only);
    EXPECT_EQ(told(file_->put_bytes({1}, frame_)), only);
    EXPECT_EQ(told(file_->put_entry({1}, 1)), only);
    EXPECT_EQ(file_->sync().error().code, Errc::read_only);
    open(SyncPolicy::none);
    for (const int slot : {-1, 1024}) {
        const auto outside = fmt::format(": slot {} does not exist; the file has 1024 slots", slot);
        EXPECT_TRUE(told(file_->write({slot}, frame_, 1)).ends_with(outside)) << slot;
        EXPECT_TRUE(told(file_->put_entry({slot}, 1)).ends_with(outside)) << slot;
        EXPECT_EQ(file_->put_bytes({slot}, frame_).error().code, Errc::out_of_range);
        EXPECT_EQ(file_->entry({slot}).value(), 0);
    }
    EXPECT_EQ(told(file_->write({1023}, frame_, 1)), "done");
    EXPECT_EQ(told(file_->write({0}, frame_, 1)), "done");
    EXPECT_EQ(told(file_->write({3}, {}, 1)),
              told_as(Errc::bad_value, "67,96: a compressed chunk cannot have 0 bytes"));
    EXPECT_EQ(told(file_->write({3}, frame_, 0x7FFFFFFF)), "done");
    EXPECT_EQ(file_->write({3}, frame_, 0x80000000).error().code, Errc::too_large);
    EXPECT_EQ(told(file_->put_bytes({3}, Buffer(7))),
              told_as(Errc::out_of_range,
                      "67,96: a chunk needs a slot below 1024 and 8 bytes; this has slot 3 and 7 bytes"));
    EXPECT_EQ(told(file_->put_bytes({3}, Buffer(8))), "done");
}

TEST_F(RegionWrites, AnEntryIsNeverLedIntoAChunkThatIsInUse) {
    open(SyncPolicy::none);
    const auto second = file_->entry({1}).value(); // two segments
    for (const auto segment : {second, second + 1}) {
        const auto refused = file_->put_entry({7}, segment);
        ASSERT_FALSE(refused) << segment;
        EXPECT_EQ(refused.error().code, Errc::overlap);
        EXPECT_EQ(refused.error().problem,
                  fmt::format("another chunk uses segment {} or what follows it", segment));
        EXPECT_EQ(file_->entry({7}).value(), 0);
    }
    EXPECT_TRUE(file_->remove({1}).value());
    ASSERT_TRUE(file_->put_entry({7}, second));
    EXPECT_EQ(file_->entry({7}).value(), second);
    EXPECT_EQ(file_->info({7}).value()->frame_size, 5000U);
    ASSERT_TRUE(file_->put_entry({8}, -1));
    EXPECT_EQ(file_->info({8}).error().code, Errc::out_of_range);
    // What leads past the end keeps what is written later from answering for it.
    ASSERT_TRUE(file_->put_entry({9}, second + 2));
    ASSERT_TRUE(file_->write({10}, Buffer(9000, 3), 10));
    EXPECT_GT(file_->entry({10}).value(), second + 2);
    EXPECT_EQ(file_->put_entry({11}, second + 2).error().code, Errc::overlap);
}

TEST(SegmentMapFar, RunsPastTheEndAreTakenInWhenTheMapReachesThem) {
    const auto map = std::make_shared<SegmentMap>(4);
    map->use({10, 2});
    map->use({6, 1});
    EXPECT_FALSE(map->take({5, 2}));
    EXPECT_FALSE(map->take({9, 2}));
    EXPECT_TRUE(map->take({3, 3}));
    EXPECT_FALSE(map->take({11, 1}));
    EXPECT_FALSE(map->take({6, 1}));
    EXPECT_TRUE(map->take({12, 1}));
    EXPECT_EQ(map->allocate(2).first, 1);
    EXPECT_EQ(map->allocate(3).first, 7);
    EXPECT_EQ(map->allocate(1).first, 13);
    EXPECT_EQ(map->used(), 13U);
    map->release({12, 1});
    map->release({6, 1});
    EXPECT_EQ(map->used(), 11U);
    EXPECT_EQ(map->allocate(1).first, 6);
    EXPECT_EQ(map->allocate(1).first, 12);
    EXPECT_EQ(map->allocate(1).first, 14);
}

TEST(RegionV0Chains, ThatAreTooShortOrTooLongSayWhere) {
    const test::RegionContent content{{3, {Buffer(9000, 1), 100}}}; // three segments
    const auto sound = test::region_v0_image(content);
    const auto problem = [&](std::size_t segment, std::int32_t link) {
        auto image = sound;
        store_be(image.data() + k_first_segment_v0 + segment * 4096, link);
        Buffer gathered;
        const auto opened =
            open_region(std::make_unique<test::MemoryFile>(std::move(image), "old.bin"), {0, 0}).value();
        const auto blob = opened->blob({3}, gathered);
        if (blob) return fmt::format("{} bytes", (*blob)->frame.size());
        EXPECT_EQ(blob.error().chunk, (ChunkPos{3, 0}));
        return fmt::format("{} at {}", blob.error().problem, blob.error().offset.value_or(0));
    };
    EXPECT_EQ(problem(0, 2), "9000 bytes");
    EXPECT_EQ(problem(0, std::numeric_limits<std::int32_t>::min()),
              fmt::format("expected a chain of 3 segments, found its end after 1 at {}", k_first_segment_v0));
    EXPECT_EQ(problem(1, std::numeric_limits<std::int32_t>::min()),
              fmt::format("expected a chain of 3 segments, found its end after 2 at {}",
                          k_first_segment_v0 + 4096));
    EXPECT_EQ(problem(2, 1),
              fmt::format("expected a chain of 3 segments, found its continuation after 3 at {}",
                          k_first_segment_v0 + 2 * 4096));
    EXPECT_EQ(problem(0, 0),
              fmt::format("expected segment 2 of 3 inside the file of {} bytes, found a link to "
                          "segment 0 at {}",
                          sound.size(), k_first_segment_v0));
    EXPECT_EQ(problem(0, 4),
              fmt::format("expected segment 2 of 3 inside the file of {} bytes, found a link to "
                          "segment 4 at {}",
                          sound.size(), k_first_segment_v0));
    Buffer gathered;
    const auto opened = open_region(std::make_unique<test::MemoryFile>(sound), {0, 0}).value();
    EXPECT_EQ(opened->blob({4}, gathered).value().has_value(), false);
    EXPECT_EQ(opened->blob({1024}, gathered).value().has_value(), false);
    EXPECT_EQ(opened->info({3}).value()->segments, 3U);
}

} // namespace
} // namespace orbis::storage
