#include "storage/region_file.hpp"
#include "storage/segment_map.hpp"
#include "storage/stores_test.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace orbis::storage {
namespace {

/// Which segments are free, in the plainest way.
class NaiveMap {
public:
    void use(SegmentRun run) {
        for (std::uint64_t i = 0; i < run.count; ++i) ++users_[run.first + static_cast<std::int64_t>(i)];
    }
    void release(SegmentRun run) {
        for (std::uint64_t i = 0; i < run.count; ++i)
            if (--users_[run.first + static_cast<std::int64_t>(i)] == 0)
                users_.erase(run.first + static_cast<std::int64_t>(i));
    }
    [[nodiscard]] std::int64_t first_fit(std::uint64_t count) const {
        for (std::int64_t first = 1;; ++first) {
            bool fits = true;
            for (std::uint64_t i = 0; i < count && fits; ++i)
                fits = !users_.contains(first + static_cast<std::int64_t>(i));
            if (fits) return first;
        }
    }
    [[nodiscard]] bool is_free(SegmentRun run) const {
        for (std::uint64_t i = 0; i < run.count; ++i)
            if (users_.contains(run.first + static_cast<std::int64_t>(i))) return false;
        return true;
    }
    [[nodiscard]] std::int64_t last() const { return users_.empty() ? 0 : users_.rbegin()->first; }

private:
    std::map<std::int64_t, int> users_;
};

TEST(SegmentMap, IsFirstFitWhateverWasClaimed) {
    SEEDED_RANDOM(random);
    for (int round = 0; round < 40; ++round) {
        const auto map = std::make_shared<SegmentMap>(random() % 60);
        NaiveMap naive;
        std::vector<SegmentRun> runs;
        // Claims of a damaged file: on each other, across the end and far behind it.
        for (std::uint64_t i = random() % 10; i > 0; --i) {
            runs.push_back({static_cast<std::int32_t>(1 + random() % 100), 1 + random() % 6});
            map->use(runs.back());
            naive.use(runs.back());
        }
        for (int step = 0; step < 300; ++step) {
            if (random() % 5 < 3) {
                const auto count = 1 + random() % 7;
                const auto expected = naive.first_fit(count);
                const auto run = map->allocate(count);
                ASSERT_EQ(run.first, expected);
                ASSERT_EQ(run.count, count);
                naive.use(run);
                runs.push_back(run);
            } else if (random() % 2 == 0) {
                // A run that somebody wants as it is: next to others, across the end, far behind it.
                const SegmentRun run{static_cast<std::int32_t>(1 + random() % 140), 1 + random() % 6};
                const bool is_free = naive.is_free(run);
                ASSERT_EQ(map->take(run), is_free) << run.first << " + " << run.count;
                if (!is_free) continue;
                naive.use(run);
                runs.push_back(run);
            } else if (!runs.empty()) {
                const auto chosen = random() % runs.size();
                map->release(runs[chosen]);
                naive.release(runs[chosen]);
                runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(chosen));
            }
        }
    }
}

TEST(SegmentMap, WhatAReaderMaySeeIsNotGivenAway) {
    const auto map = std::make_shared<SegmentMap>();
    const auto first = map->allocate(2);
    auto early = map->pin();
    map->release(first);
    auto late = map->pin();
    EXPECT_EQ(map->allocate(2).first, 3) << "the early reader may still read the first run";
    late.reset();
    EXPECT_EQ(map->allocate(2).first, 5);
    late = map->pin();
    early.reset();
    EXPECT_EQ(map->allocate(2).first, 1) << "the late reader cannot have seen it";
}

TEST(SegmentMap, AClaimAtTheEndOfAllNumbersCostsNothing) {
    const auto map = std::make_shared<SegmentMap>();
    const SegmentRun far{std::numeric_limits<std::int32_t>::max(), 1};
    map->use(far);
    EXPECT_EQ(map->allocate(3).first, 1);
    map->release(far);
    EXPECT_EQ(map->allocate(3).first, 4);
    EXPECT_EQ(map->allocate(std::uint64_t{1} << 31).count, 0U) << "there are not that many numbers";
}

TEST(RegionFile, RefusesSlotsAndBlobsThatAreNone) {
    const auto file = RegionFile::open(std::make_unique<test::MemoryFile>(test::region_v1_image({})), {0, 0},
                                       RegionAccess::write)
                          .value();
    const Buffer blob(8 + 20, 1);
    for (const std::int32_t slot : {-1, 1024, 5000}) {
        EXPECT_EQ(file->write({slot}, Buffer(10, 1), 10).error().code, Errc::out_of_range) << slot;
        EXPECT_EQ(file->put_bytes({slot}, blob).error().code, Errc::out_of_range) << slot;
        EXPECT_EQ(file->put_entry({slot}, 0).error().code, Errc::out_of_range) << slot;
        EXPECT_EQ(file->remove({slot}), false) << slot;
    }
    EXPECT_EQ(file->put_bytes({1}, Buffer(7, 1)).error().code, Errc::out_of_range);
    EXPECT_EQ(file->write({1}, {}, 10).error().code, Errc::bad_value);
    for (const std::int32_t slot : {0, 1023}) {
        EXPECT_TRUE(file->write({slot}, Buffer(10, 1), 10)) << slot;
        EXPECT_TRUE(file->put_bytes({slot}, blob)) << slot;
        EXPECT_TRUE(file->put_entry({slot}, 0)) << slot;
    }
    EXPECT_TRUE(file->put_bytes({1}, Buffer(8, 0)));
}

TEST(RegionFile, TakesTheFirstFreeRunAndGrowsOnlyWhenNoneFits) {
    SEEDED_RANDOM(random);
    const test::RegionShape shape{.blob_count = 64, .segment_size = 64};
    auto memory = std::make_unique<test::MemoryFile>(test::region_v1_image({}, shape));
    const auto* const file = memory.get();
    const auto region =
        RegionFile::open(std::move(memory), {0, 0}, RegionAccess::write, SyncPolicy::none).value();
    NaiveMap naive;
    std::map<int, SegmentRun> runs;
    for (int step = 0; step < 4000; ++step) {
        const auto slot = static_cast<int>(random() % 64);
        const auto size_before = file->content().size();
        if (random() % 3 != 0) {
            const Buffer frame(1 + random() % 500, static_cast<std::uint8_t>(step));
            const auto count = (8 + frame.size() + 63) / 64;
            const auto expected = naive.first_fit(count);
            const bool fits = expected + static_cast<std::int64_t>(count) - 1 <= naive.last();
            ASSERT_TRUE(region->write({slot}, frame, 1));
            const auto info = region->info({slot}).value().value();
            ASSERT_EQ(info.first_segment, expected);
            ASSERT_EQ(info.segments, count);
            if (fits) {
                ASSERT_EQ(file->content().size(), size_before);
            }
            naive.use({info.first_segment, count});
            if (runs.contains(slot)) naive.release(runs[slot]); // only after the new one has its place
            runs[slot] = {info.first_segment, count};
        } else {
            ASSERT_EQ(region->remove({slot}).value(), runs.contains(slot));
            ASSERT_EQ(file->content().size(), size_before)
                << "a file never shrinks and a removal needs no room";
            if (runs.contains(slot)) naive.release(runs[slot]);
            runs.erase(slot);
        }
    }
}

TEST(RegionFile, StaleBytesBehindABlobDoNotMatter) {
    const test::RegionShape shape{.blob_count = 4, .segment_size = 64};
    auto image = test::region_v1_image({{0, {Buffer(100, 1), 5}}, {1, {Buffer(10, 2), 6}}}, shape);
    std::fill(image.begin() + 32 + 16 + 108, image.begin() + 32 + 16 + 128, std::uint8_t{0xEE});
    image.insert(image.end(), 300, 0xEE);
    auto region = RegionFile::open(std::make_unique<test::MemoryFile>(image), {0, 0}, RegionAccess::write,
                                   SyncPolicy::none)
                      .value();
    Buffer gathered;
    EXPECT_EQ(region->blob({0}, gathered).value()->frame.size(), 100U);
    EXPECT_EQ(region->blob({1}, gathered).value()->frame.size(), 10U);
    ASSERT_TRUE(region->write({2}, Buffer(60, 3), 7));
    EXPECT_EQ(region->info({2}).value()->first_segment, 4) << "bytes behind the last blob belong to nobody";
}

std::unique_ptr<RegionFile> writer_of(test::RegionShape shape, SyncPolicy sync,
                                      test::MemoryFile** memory = nullptr) {
    auto file = std::make_unique<test::MemoryFile>(test::region_v1_image({}, shape));
    if (memory != nullptr) *memory = file.get();
    return RegionFile::open(std::move(file), {0, 0}, RegionAccess::write, sync).value();
}

TEST(RegionFile, ABatchIsWrittenOutWhenItHasManyEntriesOrBytes) {
    const auto region = writer_of({.segment_size = 64}, SyncPolicy::batch);
    EXPECT_TRUE(region->is_settled());
    for (int round = 0; round < 2; ++round)
        for (std::int32_t slot = 0; slot < 512; ++slot) {
            EXPECT_TRUE(slot == 0 || !region->is_settled()) << slot;
            ASSERT_TRUE(region->write({slot}, Buffer(1, 1), 1));
        }
    EXPECT_TRUE(region->is_settled()) << "512 entries are as many as are held back";
    constexpr std::size_t most = 16 << 20;
    for (const bool as_bytes_of_a_blob : {false, true}) {
        const auto put = [&](std::int32_t slot, std::size_t size) {
            return as_bytes_of_a_blob ? region->put_bytes({slot}, Buffer(size, 1))
                                      : region->write({slot}, Buffer(size, 1), 1);
        };
        ASSERT_TRUE(put(1, most - 10));
        EXPECT_FALSE(region->is_settled());
        ASSERT_TRUE(put(2, 10));
        EXPECT_TRUE(region->is_settled()) << "so are 16 MiB";
        ASSERT_TRUE(put(3, 10));
        EXPECT_FALSE(region->is_settled()) << "after which the count begins again";
        ASSERT_TRUE(region->sync());
        EXPECT_TRUE(region->is_settled());
    }
}

TEST(RegionFile, IsSettledWhenThePolicySaysSo) {
    for (const auto sync : {SyncPolicy::each, SyncPolicy::batch, SyncPolicy::none}) {
        const auto region = writer_of({}, sync);
        ASSERT_TRUE(region->write({1}, Buffer(1, 1), 1));
        EXPECT_EQ(region->is_settled(), sync == SyncPolicy::each);
        ASSERT_TRUE(region->sync());
        EXPECT_TRUE(region->is_settled());
        ASSERT_TRUE(region->remove({1}).value());
        EXPECT_EQ(region->is_settled(), sync == SyncPolicy::each);
    }
}

TEST(RegionFile, AWriteThatFailedLeavesItsSegmentsToOthers) {
    test::MemoryFile* memory = nullptr;
    const auto region = writer_of({.blob_count = 8, .segment_size = 64}, SyncPolicy::each, &memory);
    memory->set_capacity(memory->content().size());
    EXPECT_FALSE(region->write({1}, Buffer(300, 1), 1));
    EXPECT_FALSE(region->put_bytes({2}, Buffer(300, 1)));
    memory->set_capacity(std::numeric_limits<std::uint64_t>::max());
    EXPECT_TRUE(region->slots().value().empty());
    ASSERT_TRUE(region->write({3}, Buffer(10, 1), 1));
    EXPECT_EQ(region->entry({3}).value(), 1);
}

TEST(RegionFile, BytesTakeAsManySegmentsAsTheyFill) {
    for (const auto& [size, segments] : {std::pair{8U, 1}, {64U, 1}, {65U, 2}, {128U, 2}, {129U, 3}}) {
        const auto region = writer_of({.blob_count = 8, .segment_size = 64}, SyncPolicy::none);
        ASSERT_TRUE(region->put_bytes({1}, Buffer(size, 0)));
        ASSERT_TRUE(region->write({2}, Buffer(1, 1), 1));
        EXPECT_EQ(region->entry({2}).value(), segments + 1) << size;
    }
}

TEST(RegionFile, LengthsAreThoseThatAHeaderCanSay) {
    const auto region = writer_of({}, SyncPolicy::none);
    EXPECT_TRUE(region->write({1}, Buffer(1, 1), 0x7FFFFFFF));
    EXPECT_EQ(region->write({2}, Buffer(1, 1), 0x80000000).error().code, Errc::too_large);
    EXPECT_EQ(region->entry({2}).value(), 0);
}

TEST(RegionFile, OnlyFilesOfASizeThatAWorldHasAreWritten) {
    const auto opens = [](std::int32_t blobs, RegionAccess access) {
        return RegionFile::open(
                   std::make_unique<test::MemoryFile>(test::region_v1_image({}, {.blob_count = blobs})),
                   {0, 0}, access)
            .has_value();
    };
    EXPECT_TRUE(opens(1024, RegionAccess::write));
    EXPECT_FALSE(opens(1025, RegionAccess::write));
    EXPECT_TRUE(opens(1025, RegionAccess::read));
    // 2^24 segments of 64 bytes, of which none was ever written.
    const test::TemporaryFolder folder;
    const auto path = folder / "0.0.region.bin";
    test_stores::write_file(path, test::region_v1_image({}, {.blob_count = 8, .segment_size = 64}));
    constexpr std::uintmax_t most = std::uintmax_t{64} << 24;
    for (const auto& [size, fits] : {std::pair{most + 63, true}, {most + 64, false}}) {
        std::filesystem::resize_file(path, size);
        const auto region =
            RegionFile::open(open_file(path, FileMode::write).value(), {0, 0}, RegionAccess::write);
        ASSERT_EQ(region.has_value(), fits) << size;
        EXPECT_TRUE(fits || region.error().code == Errc::unsupported);
    }
}

TEST(SegmentMap, CountsWhatIsInUseOnce) {
    const auto map = std::make_shared<SegmentMap>(10);
    map->use({2, 3});
    map->use({4, 2});
    EXPECT_EQ(map->used(), 4U);
    map->release({2, 3});
    EXPECT_EQ(map->used(), 2U);
    EXPECT_FALSE(map->take({3, 2})) << "its last segment is in use";
    EXPECT_FALSE(map->take({5, 2})) << "its first one";
    EXPECT_TRUE(map->take({2, 2}));
    EXPECT_TRUE(map->take({6, 5}));
    EXPECT_EQ(map->allocate(1).first, 1);
    EXPECT_EQ(map->allocate(1).first, 11);
}

} // namespace
} // namespace orbis::storage
