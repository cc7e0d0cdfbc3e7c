// Region files that are damaged: each damage gives one line that says where and what, and costs one chunk.

#include "bytes/writer.hpp"
#include "storage/region_file.hpp"
#include "storage/region_store.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <utility>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_base = 32 + 4 * 1024;
constexpr RegionPos k_region{-1, 2};

/// Chunk -32,64 in slot 0 (segment 1) and chunk -31,64 in slot 1 (segment 2).
Buffer sound_file() {
    return test::region_v1_image({{0, test::compressed_blob(as_bytes("the first"))},
                                  {1, test::compressed_blob(as_bytes("the second"))}});
}

class DamagedRegion : public testing::Test {
protected:
    std::unique_ptr<RegionStore> open(const Buffer& image) {
        std::ofstream out(path_, std::ios::binary);
        out.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
        out.close();
        return open_single_region(path_, {}).value();
    }

    void expect_line(const Error& error, Errc code, std::string_view subject, std::uint64_t offset) {
        const auto line = error.text();
        EXPECT_EQ(error.code, code) << line;
        EXPECT_EQ(error.file, path_.string()) << line;
        EXPECT_EQ(error.subject(), subject) << line;
        EXPECT_EQ(error.offset, offset) << line;
        EXPECT_NE(line.find("expected"), std::string::npos) << line;
        EXPECT_NE(line.find("found"), std::string::npos) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }

    /// The file cannot be opened: every chunk of it gives the same line.
    void expect_refused(const Buffer& image, Errc code, std::uint64_t offset) {
        const auto store = open(image);
        const auto found = store->read({-32, 64}, context_);
        ASSERT_FALSE(found);
        expect_line(found.error(), code, "region -1.2", offset);
        const auto cursor = store->chunks();
        EXPECT_EQ(cursor->next().error().code, code);
        EXPECT_FALSE(cursor->next().value()) << "the walk goes on behind it";
        EXPECT_EQ(store->contains({-32, 64}).error().code, code);
    }

    /// The first chunk cannot be read, the second can.
    void expect_one_chunk_lost(const Buffer& image, Errc code, std::uint64_t offset) {
        const auto store = open(image);
        const auto found = store->read({-32, 64}, context_);
        ASSERT_FALSE(found);
        expect_line(found.error(), code, "region -1.2, chunk -32,64", offset);
        EXPECT_EQ(as_text(store->read({-31, 64}, context_).value().value()), "the second");
        const auto cursor = store->chunks();
        EXPECT_EQ(cursor->next().value(), (ChunkPos{-32, 64}));
        EXPECT_EQ(cursor->next().value(), (ChunkPos{-31, 64}));
    }

    test::TemporaryFolder folder_;
    fs::path path_ = folder_ / region_file_name(k_region);
    ReadContext context_;
};

Buffer with(Buffer image, std::size_t offset, std::int32_t value) {
    store_be(image.data() + offset, value);
    return image;
}

Buffer cut(Buffer image, std::size_t length) {
    image.resize(length);
    return image;
}

TEST_F(DamagedRegion, AMissingPathIsSaid) {
    const auto file = open_single_region(folder_ / "0.0.region.bin", {});
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, Errc::not_found);
    EXPECT_EQ(file.error().file, (folder_ / "0.0.region.bin").string());
    const auto store = open_region_store(Folder(open_disk_tree(folder_ / "none")), {});
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, Errc::not_found);
    EXPECT_EQ(open_single_region(folder_ / "world.bin", {}).error().code, Errc::unknown_kind);
}

TEST_F(DamagedRegion, HeadersThatAreRefused) {
    const auto sound = sound_file();
    expect_refused({}, Errc::truncated, 0);
    expect_refused(cut(sound, 31), Errc::truncated, 31);
    expect_refused(cut(sound, 32), Errc::truncated, 32);
    expect_refused(cut(sound, k_base - 1), Errc::truncated, k_base - 1);
    expect_refused(with(sound, 0, 0), Errc::bad_magic, 0);
    expect_refused(with(sound, 20, 2), Errc::unsupported, 20);
    expect_refused(with(sound, 20, -1), Errc::unsupported, 20);
    for (const auto count : {0, -1, 0x7FFFFFFF}) expect_refused(with(sound, 24, count), Errc::bad_value, 24);
    expect_refused(with(sound, 24, 1 << 20), Errc::truncated, sound.size());
    for (const auto size : {0, -4096, 1, 0x7FFFFFFF})
        expect_refused(with(sound, 28, size), Errc::bad_value, 28);
}

TEST_F(DamagedRegion, IndexEntriesThatLeadOutOfTheFile) {
    const auto sound = sound_file();
    expect_one_chunk_lost(with(sound, 32, 3), Errc::out_of_range, 32);
    for (const auto entry : {1000, 0x7FFFFFFF, -1, std::numeric_limits<std::int32_t>::min()})
        expect_one_chunk_lost(with(sound, 32, entry), Errc::out_of_range, 32);
}

TEST_F(DamagedRegion, LengthsThatCannotBe) {
    const auto sound = sound_file();
    expect_one_chunk_lost(with(sound, k_base, -1), Errc::bad_value, k_base);
    expect_one_chunk_lost(with(sound, k_base + 4, -1), Errc::bad_value, k_base);
    expect_one_chunk_lost(with(sound, k_base + 4, 0), Errc::bad_value, k_base);
    expect_one_chunk_lost(with(sound, k_base + 4, 0x7FFFFFFF), Errc::truncated, k_base);
    expect_one_chunk_lost(with(sound, k_base + 4, 100000), Errc::truncated, k_base);
}

TEST_F(DamagedRegion, FramesThatLie) {
    const auto sound = sound_file();
    expect_one_chunk_lost(with(sound, k_base, 10), Errc::bad_frame, k_base + 8);
    expect_one_chunk_lost(with(sound, k_base + 8, 0), Errc::bad_frame, k_base + 8);
    auto header_lies = sound; // the frame's own content size, one byte after the descriptor
    header_lies[k_base + 8 + 5] = 200;
    header_lies[k_base + 3] = 200;
    expect_one_chunk_lost(header_lies, Errc::bad_frame, k_base + 8);
    expect_one_chunk_lost(with(sound, k_base + 4, 12), Errc::bad_frame, k_base + 8);
}

TEST_F(DamagedRegion, AFrameWithoutContentSizeHoldsWhatTheBlobSays) {
    Buffer frame(200);
    auto* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    frame.resize(ZSTD_compress2(context, frame.data(), frame.size(), "the first", 9));
    ZSTD_freeCCtx(context);
    const auto image = [&](std::uint32_t claimed) {
        return test::region_v1_image(
            {{0, {frame, claimed}}, {1, test::compressed_blob(as_bytes("the second"))}});
    };
    EXPECT_EQ(as_text(open(image(9))->read({-32, 64}, context_).value().value()), "the first");
    for (const std::uint32_t claimed : {0U, 8U, 10U, 60U << 20})
        expect_one_chunk_lost(image(claimed), Errc::bad_frame, k_base + 8);
}

TEST_F(DamagedRegion, ABombIsRefusedBeforeMemoryIsTaken) {
    const auto peak = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss; // KiB
    };
    const auto before = peak();
    expect_one_chunk_lost(with(sound_file(), k_base, 0x7FFFFFFF), Errc::too_large, k_base);
    // A frame that really holds 2 GiB of zeros, and says so.
    Buffer frame{0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0xFF, 0xFF, 0xFF, 0x7F};
    for (int i = 0; i < 16384; ++i)
        frame.insert(frame.end(), {i == 16383 ? std::uint8_t{3} : std::uint8_t{2}, 0, 16, 0});
    const auto bomb = test::region_v1_image(
        {{0, {frame, 0x7FFFFFFF}}, {40, test::compressed_blob(as_bytes("the second"))}});
    const auto store = open(bomb);
    expect_line(store->read({-32, 64}, context_).error(), Errc::too_large, "region -1.2, chunk -32,64",
                k_base);
    EXPECT_LT(peak() - before, 64 * 1024);
}

TEST_F(DamagedRegion, EveryTruncationKeepsTheChunksBeforeIt) {
    const test::RegionShape shape{.blob_count = 8, .segment_size = 64};
    const test::RegionContent content{
        {0, {Buffer(100, 1), 1}}, {3, {Buffer(30, 2), 2}}, {5, {Buffer(70, 3), 3}}};
    const auto image = test::region_v1_image(content, shape);
    for (std::size_t length = 0; length <= image.size(); ++length) {
        const auto region = open_region(std::make_unique<test::MemoryFile>(cut(image, length)), k_region);
        ASSERT_EQ(region.has_value(), length >= 64);
        if (!region) continue;
        Buffer gathered;
        for (const auto& [slot, end] : {std::pair{0, 64 + 108}, {3, 64 + 128 + 38}, {5, 64 + 192 + 78}}) {
            const auto blob = (*region)->blob({slot}, gathered);
            ASSERT_EQ(blob.has_value(), length >= static_cast<std::size_t>(end)) << slot << " at " << length;
            ASSERT_TRUE(blob || blob.error().offset);
        }
    }
}

TEST_F(DamagedRegion, EveryBitFlipIsAnErrorOrCostsOneChunkAlsoForAWriter) {
    const test::RegionShape shape{.blob_count = 8, .segment_size = 64};
    const test::RegionContent content{
        {0, {Buffer(100, 1), 1}}, {3, {Buffer(30, 2), 2}}, {5, {Buffer(70, 3), 3}}};
    const auto image = test::region_v1_image(content, shape);
    for (std::size_t bit = 0; bit < image.size() * 8; ++bit) {
        auto flipped = image;
        flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        auto region = RegionFile::open(std::make_unique<test::MemoryFile>(flipped), k_region,
                                       RegionAccess::write, SyncPolicy::none);
        if (!region) continue;
        Buffer gathered;
        const auto all = [&] {
            std::map<int, Buffer> found;
            for (const int slot : {0, 1, 2, 3, 4, 5, 6, 7})
                if (const auto blob = (*region)->blob({slot}, gathered); blob && *blob)
                    found[slot] = Buffer((*blob)->frame.begin(), (*blob)->frame.end());
            return found;
        };
        auto before = all();
        const auto frame_bytes = bit / 8 >= 64;
        if (frame_bytes) {
            ASSERT_GE(before.size(), 2U);
        }
        if ((*region)->header().blob_count < 8) continue;
        for (const int slot : {6, 0, 7}) {
            const Buffer frame(150, static_cast<std::uint8_t>(slot));
            ASSERT_TRUE((*region)->write({slot}, frame, 9));
            before[slot] = frame;
        }
        const auto after = all();
        for (const auto& [slot, frame] : before)
            ASSERT_EQ(after.at(slot), frame) << "slot " << slot << ", bit " << bit;
    }
}

using Images = std::vector<std::pair<const char*, Buffer>>;

/// Files in which two blobs claim the same segments, in each way.
Images overlapping_files() {
    const test::RegionShape shape{.blob_count = 8, .segment_size = 64};
    const test::RegionContent content{
        {0, {Buffer(150, 1), 1}}, {1, {Buffer(150, 2), 2}}, {2, {Buffer(20, 3), 3}}};
    const auto image = test::region_v1_image(content, shape); // segments 1-3, 4-6, 7
    auto inside = with(image, 36, 2);
    store_be(inside.data() + 64 + 64, std::int32_t{2});
    store_be(inside.data() + 64 + 64 + 4, std::int32_t{40});
    auto reaches = with(image, 64 + 4, 290); // the first blob says that it goes on over the second
    return {{"the same segment", with(image, 36, 1)},
            {"inside of the other", inside},
            {"into the other", reaches}};
}

TEST_F(DamagedRegion, TwoBlobsOnOneSegmentNeverLoseEachOther) {
    for (const auto& [what, image] : overlapping_files())
        for (const auto& [first, second] : {std::pair{0, 1}, {1, 0}})
            for (const bool removes : {false, true}) {
                SCOPED_TRACE(what);
                auto region = RegionFile::open(std::make_unique<test::MemoryFile>(image), k_region,
                                               RegionAccess::write, SyncPolicy::each)
                                  .value();
                Buffer gathered;
                const auto content = [&](int slot) {
                    const auto blob = region->blob({slot}, gathered).value();
                    return Buffer(blob->frame.begin(), blob->frame.end());
                };
                const auto kept = content(second);
                const auto other = content(2);
                if (removes) {
                    ASSERT_TRUE(region->remove({first}).value());
                } else {
                    ASSERT_TRUE(region->write({first}, Buffer(150, 9), 9));
                }
                for (const int slot : {3, 4, 5}) ASSERT_TRUE(region->write({slot}, Buffer(150, 8), 8));
                EXPECT_EQ(content(second), kept);
                EXPECT_EQ(content(2), other);
                ASSERT_TRUE(region->write({second}, Buffer(70, 7), 7));
                for (const int slot : {3, 4, 5, 6}) ASSERT_TRUE(region->write({slot}, Buffer(200, 6), 6));
                EXPECT_EQ(content(second), Buffer(70, 7));
                EXPECT_EQ(content(2), other);
                for (const int slot : {3, 4, 5, 6}) EXPECT_EQ(content(slot), Buffer(200, 6));
            }
}

TEST_F(DamagedRegion, WhatIsWrittenBehindTheOldEndNeverAnswersForADamagedEntry) {
    const test::RegionShape shape{.blob_count = 8, .segment_size = 64};
    const auto image = with(test::region_v1_image({{0, {Buffer(20, 1), 1}}}, shape), 36, 3);
    auto region = RegionFile::open(std::make_unique<test::MemoryFile>(image), k_region, RegionAccess::write,
                                   SyncPolicy::each)
                      .value();
    Buffer gathered;
    ASSERT_EQ(region->blob({1}, gathered).error().code, Errc::out_of_range);
    for (const int slot : {2, 3, 4, 5}) ASSERT_TRUE(region->write({slot}, Buffer(20, 8), 8));
    const auto found = region->blob({1}, gathered);
    EXPECT_FALSE(found) << "it would be the chunk of somebody else";
    ASSERT_TRUE(region->write({1}, Buffer(20, 9), 9));
    EXPECT_EQ(region->blob({1}, gathered).value()->frame[0], 9);
}

TEST_F(DamagedRegion, ADamagedRegionDoesNotStopTheWalkOverTheOthers) {
    (void)open(sound_file());
    for (const char* name : {"-5.0.region.bin", "0.0.region.bin", "7.7.region.bin"})
        std::ofstream(folder_ / name) << "HytaleIndexed";
    std::ofstream(folder_ / "readme.txt") << "other names are ignored";
    fs::create_directory(folder_ / "9.9.region.bin");
    const auto store = open_region_store(Folder(open_disk_tree(folder_.path())), {}).value();
    const auto cursor = store->chunks();
    int chunks = 0;
    int errors = 0;
    for (int i = 0; i < 20; ++i) {
        const auto next = cursor->next();
        if (next && !*next) break;
        ++(next ? chunks : errors);
    }
    EXPECT_EQ(chunks, 2);
    EXPECT_EQ(errors, 3);
}

/// A chunk that was cut off at the end of the file is damaged, and stays so: what others write after the old
/// end must not answer for it.
TEST(RegionDamage, WhatWasCutOffAtTheEndIsNotFilledWithOthers) {
    struct Case {
        std::int32_t claimed; ///< length of the frame that the blob at segment 1 says
        std::int32_t next;    ///< the first segment that others may have
    };
    // One segment of 4096 bytes is in the file; 8 bytes of each blob are its lengths.
    for (const auto& [claimed, next] :
         {Case{100, 2}, Case{4088, 2}, Case{4089, 3}, Case{3 * 4096 - 8, 4}, Case{3 * 4096 - 7, 5},
          Case{256 * 4096 - 8, 257}, Case{257 * 4096 - 8, 258}, Case{300 * 4096, 258},
          Case{INT32_MAX, 258}}) {
        SCOPED_TRACE(claimed);
        auto image = test::region_v1_image({{0, test::compressed_blob(Buffer(100, 7))}});
        image.resize(4128 + 4096);
        store_be(image.data() + 4128 + 4, claimed);
        const auto file =
            RegionFile::open(std::make_unique<test::MemoryFile>(image), {0, 0}, RegionAccess::write).value();
        ASSERT_TRUE(file->write({5}, Buffer(10, 1), 10));
        EXPECT_EQ(file->info({5}).value()->first_segment, next);
        EXPECT_EQ(file->entry({0}).value(), 1);
    }
}

TEST(RegionDamage, TheLimitsOfAHeaderAreExact) {
    const auto opens = [](std::int32_t blobs, std::int32_t segment_size) {
        auto image = test::region_v1_image({});
        store_be(image.data() + 24, blobs);
        store_be(image.data() + 28, segment_size);
        const auto index = 4 * static_cast<std::size_t>(std::max(blobs, 0));
        image.resize(std::max(image.size(), 32 + index));
        return open_region(std::make_unique<test::MemoryFile>(std::move(image)), {0, 0}).has_value();
    };
    EXPECT_TRUE(opens(1, 4096));
    EXPECT_FALSE(opens(0, 4096));
    EXPECT_TRUE(opens(1 << 20, 4096));
    EXPECT_FALSE(opens((1 << 20) + 1, 4096));
    EXPECT_TRUE(opens(1024, 64));
    EXPECT_FALSE(opens(1024, 63));
    EXPECT_TRUE(opens(1024, 1 << 24));
    EXPECT_FALSE(opens(1024, (1 << 24) + 1));
}

TEST(RegionDamage, AHeaderThatIsRefusedSaysWhatStandsThere) {
    auto image = test::region_v1_image({});
    image[0] = 0x7F;
    image[1] = 0x1F;
    const auto bad = open_region(std::make_unique<test::MemoryFile>(image), {0, 0}).error();
    EXPECT_NE(bad.problem.find("\\x7f\\x1ftaleIndexedStorage"), std::string::npos) << bad.problem;
    EXPECT_NE(bad.advice.find("backup"), std::string::npos);
    image = test::region_v1_image({});
    store_be(image.data() + 20, std::int32_t{2});
    const auto newer = open_region(std::make_unique<test::MemoryFile>(image), {0, 0}).error();
    EXPECT_NE(newer.advice.find("newer orbis"), std::string::npos) << newer.advice;
}

/// The name is the only place that says where a region is: no second name may stand for the same one.
TEST(RegionName, OnlyTheGamesOwnSpellingIsOne) {
    for (const RegionPos pos : {RegionPos{0, 0}, RegionPos{-1, 0}, RegionPos{3, -12},
                                RegionPos{-(1 << 26), (1 << 26) - 1}, RegionPos{(1 << 26) - 1, -(1 << 26)}}) {
        const auto name = region_file_name(pos);
        EXPECT_EQ(name, fmt::format("{}.{}.region.bin", pos.x, pos.z));
        EXPECT_EQ(parse_region_file_name(name), pos) << name;
    }
    for (const char* name : {"",
                             ".region.bin",
                             "0.region.bin",
                             "0..region.bin",
                             ".0.region.bin",
                             "00.0.region.bin",
                             "0.01.region.bin",
                             "-0.0.region.bin",
                             "+1.0.region.bin",
                             "0.+1.region.bin",
                             " 0.0.region.bin",
                             "0.0 .region.bin",
                             "0,0.region.bin",
                             "0.0.0.region.bin",
                             "0.0.region.bin.orbis-tmp",
                             "0.0.region.binx",
                             "x0.0.region.bin",
                             "0x1.0.region.bin",
                             "67108864.0.region.bin",
                             "0.67108864.region.bin",
                             "-67108865.0.region.bin",
                             "0.-67108865.region.bin",
                             "4294967296.0.region.bin",
                             "0.4294967296.region.bin",
                             "a.b.region.bin",
                             "0.0.REGION.bin"})
        EXPECT_EQ(parse_region_file_name(name), std::nullopt) << name;
}

TEST(RegionDamage, EntriesAboveTheChunksAreFoundFromTheFirstToTheLast) {
    for (const int version : {0, 1})
        for (const std::int32_t slot : {1023, 1024, 1025, 2047}) {
            const test::RegionShape shape{.version = version, .blob_count = 2048};
            const test::RegionContent content{{slot, test::compressed_blob(as_bytes("b"))}};
            const auto region = open_region(std::make_unique<test::MemoryFile>(
                                                version == 0 ? test::region_v0_image(content, shape)
                                                             : test::region_v1_image(content, shape)),
                                            {0, 0})
                                    .value();
            const auto checked = check_rewritable(*region);
            EXPECT_EQ(region->slots().value().size(), slot < 1024 ? 1U : 0U) << "others are no chunks";
            ASSERT_EQ(checked.has_value(), slot < 1024) << slot;
            if (checked) continue;
            EXPECT_EQ(checked.error().code, Errc::unsupported);
            EXPECT_EQ(checked.error().offset, 32U + 4 * static_cast<unsigned>(slot));
            EXPECT_NE(checked.error().problem.find(std::to_string(slot)), std::string::npos);
        }
}

TEST(RegionDamage, WhatIsLeftOfABlobDecidesHowMuchIsKeptForIt) {
    for (const auto& [left, next] : {std::pair{7U, 2}, {8U, 4}, {9U, 4}}) {
        auto image = test::region_v1_image({{0, test::compressed_blob(Buffer(100, 7))}});
        store_be(image.data() + 4128 + 4, std::int32_t{3 * 4096 - 8});
        image.resize(4128 + left);
        const auto file =
            RegionFile::open(std::make_unique<test::MemoryFile>(image), {0, 0}, RegionAccess::write).value();
        ASSERT_TRUE(file->write({5}, Buffer(10, 1), 10));
        EXPECT_EQ(file->info({5}).value()->first_segment, next) << left;
    }
}

} // namespace
} // namespace orbis::storage
