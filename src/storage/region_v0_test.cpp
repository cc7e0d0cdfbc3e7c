#include "bytes/writer.hpp"
#include "storage/migrate_region.hpp"
#include "storage/region_store.hpp"
#include "storage/region_v0.hpp"
#include "storage/stores_test.hpp"
#include "support/memory_file.hpp"
#include "support/region_images.hpp"
#include "support/run_and_kill.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;
using test_stores::read_file;
using test_stores::write_file;

constexpr test::RegionShape k_v0_shape{.version = 0, .blob_count = 16, .segment_size = 64};
constexpr std::size_t k_v0_base = 32 + 8 * 16;
constexpr std::uint32_t k_last = 0x80000000;

test::RegionContent some_content(std::mt19937_64& random, int blobs, std::size_t most) {
    test::RegionContent content;
    for (int i = 0; i < blobs; ++i) {
        Buffer frame(1 + random() % most);
        for (auto& byte : frame) byte = static_cast<std::uint8_t>(random());
        content[static_cast<int>(random() % 16)] = {std::move(frame),
                                                    static_cast<std::uint32_t>(random() % 9999)};
    }
    return content;
}

Result<test::BlobImage> read_blob(const Region& region, int slot) {
    Buffer gathered;
    TRY(const auto blob, region.blob({slot}, gathered));
    if (!blob) return fail(Errc::not_found, "nothing in slot {}", slot);
    return test::BlobImage{Buffer(blob->frame.begin(), blob->frame.end()), blob->raw_size};
}

std::unique_ptr<Region> open_image(Buffer image) {
    return open_region(std::make_unique<test::MemoryFile>(std::move(image)), {-1, 0}).value();
}

TEST(RegionV0, ReadsChainsInAnyOrder) {
    SEEDED_RANDOM(random);
    for (int round = 0; round < 60; ++round) {
        const auto content = some_content(random, 8, 400);
        const auto region =
            open_image(test::region_v0_image(content, k_v0_shape, round % 2 == 0 ? nullptr : &random));
        std::vector<Slot> slots;
        for (const auto& [slot, blob] : content) slots.push_back({slot});
        ASSERT_EQ(region->slots().value(), slots);
        for (const auto& [slot, blob] : content) {
            const auto found = read_blob(*region, slot);
            ASSERT_TRUE(found) << found.error().text();
            ASSERT_EQ(*found, blob);
            ASSERT_EQ(region->info({slot}).value()->segments, (8 + blob.frame.size() + 59) / 60);
        }
        for (int slot = 0; slot < 16; ++slot)
            ASSERT_EQ(region->info({slot}).value().has_value(), content.contains(slot));
    }
}

TEST(RegionV0, TheLastSegmentNeedNotBeWhole) {
    auto image = test::region_v0_image({{3, {Buffer(20, 7), 50}}},
                                       {.version = 0, .blob_count = 4, .segment_size = 4096});
    image.resize(32 + 8 * 4 + 4 + 8 + 20);
    EXPECT_EQ(read_blob(*open_image(image), 3).value().frame, Buffer(20, 7));
    image.pop_back();
    EXPECT_FALSE(read_blob(*open_image(image), 3));
}

/// Two blobs of three segments each: 1 2 3 and 4 5 6.
Buffer two_chains() {
    return test::region_v0_image({{0, {Buffer(150, 1), 1}}, {1, {Buffer(150, 2), 2}}}, k_v0_shape);
}

void set_link(Buffer& image, int segment, std::uint32_t link) {
    store_be(image.data() + k_v0_base + static_cast<std::size_t>(segment - 1) * 64, link);
}

TEST(RegionV0, ADamagedChainIsAnErrorAndTheOtherStaysReadable) {
    struct Damage {
        const char* what;
        int segment;
        std::uint32_t link;
        Errc code;
    };
    for (const auto& damage :
         {Damage{"a circle", 2, 1, Errc::bad_value}, Damage{"a circle on itself", 1, 1, Errc::bad_value},
          Damage{"an early end", 2, k_last, Errc::bad_value},
          Damage{"a link outside of the file", 1, 1000, Errc::out_of_range},
          Damage{"the largest link", 1, 0x7FFFFFFF, Errc::out_of_range},
          Damage{"a negative link", 1, 0xFFFFFFFF, Errc::out_of_range},
          Damage{"the smallest negative link", 1, 0x80000001, Errc::out_of_range},
          Damage{"a free segment", 1, 0, Errc::out_of_range}, Damage{"no end", 3, 4, Errc::bad_value}}) {
        SCOPED_TRACE(damage.what);
        auto image = two_chains();
        set_link(image, damage.segment, damage.link);
        const auto region = open_image(image);
        const auto found = read_blob(*region, 0);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code, damage.code) << found.error().text();
        EXPECT_EQ(found.error().file, "memory");
        EXPECT_EQ(found.error().subject(), "region -1.0, chunk -32,0");
        EXPECT_TRUE(found.error().offset);
        EXPECT_NE(found.error().problem.find("expected"), std::string::npos);
        EXPECT_NE(found.error().problem.find("found"), std::string::npos);
        EXPECT_EQ(read_blob(*region, 1).value().frame, Buffer(150, 2));
    }
}

TEST(RegionV0, LengthsThatCannotBeAreErrors) {
    for (const auto& [offset, value, code] : {std::tuple{4, -1, Errc::bad_value},
                                              {8, -5, Errc::bad_value},
                                              {8, 0, Errc::bad_value},
                                              {8, 0x7FFFFFFF, Errc::truncated},
                                              {8, 100, Errc::bad_value},
                                              {8, 300, Errc::bad_value}}) {
        auto image = two_chains();
        store_be(image.data() + k_v0_base + offset, value);
        const auto region = open_image(image);
        const auto found = read_blob(*region, 0);
        ASSERT_FALSE(found) << value;
        EXPECT_EQ(found.error().code, code) << found.error().text();
        EXPECT_TRUE(read_blob(*region, 1));
    }
}

TEST(RegionV0, EveryTruncationAndEveryBitFlipIsAnErrorOrABlobButNeverACrash) {
    const auto image = two_chains();
    for (std::size_t length = 0; length <= image.size(); ++length) {
        const auto region = open_region(std::make_unique<test::MemoryFile>(
                                            Buffer(image.begin(), image.begin() + static_cast<long>(length))),
                                        {});
        if (length < k_v0_base) {
            EXPECT_FALSE(region);
            continue;
        }
        ASSERT_TRUE(region);
        for (const int slot : {0, 1}) {
            const bool whole =
                length >= k_v0_base + static_cast<std::size_t>(slot * 3 + 2) * 64 + 4 + 158 - 120;
            EXPECT_EQ(read_blob(**region, slot).has_value(), whole) << length;
        }
    }
    for (std::size_t bit = 0; bit < image.size() * 8; ++bit) {
        auto flipped = image;
        flipped[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        const auto region = open_region(std::make_unique<test::MemoryFile>(flipped), {});
        if (!region) continue;
        const auto slots = (*region)->slots();
        for (const auto slot : slots.value()) (void)read_blob(**region, slot.value);
    }
}

TEST(MigrateRegion, GivesTheSameBlobsInVersion1) {
    SEEDED_RANDOM(random);
    const test::TemporaryFolder folder;
    const auto path = folder / "-1.0.region.bin";
    auto content = some_content(random, 9, 30000);
    write_file(path, test::region_v0_image(content, {.version = 0}, &random));
    ASSERT_TRUE(migrate_region_file(path, {-1, 0}));
    const auto region = open_region(open_file(path, FileMode::read).value(), {-1, 0}).value();
    EXPECT_EQ(region->header().version, 1);
    EXPECT_EQ(region->slots().value().size(), content.size());
    for (const auto& [slot, blob] : content) EXPECT_EQ(read_blob(*region, slot).value(), blob);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left beside it";
}

TEST(MigrateRegion, AChunkThatCannotBeMovedLeavesTheOriginalAsItWas) {
    const test::TemporaryFolder folder;
    const auto path = folder / "0.0.region.bin";
    auto image = two_chains();
    set_link(image, 2, k_last);
    write_file(path, image);
    const auto done = migrate_region_file(path, {0, 0});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::bad_value);
    EXPECT_EQ(read_file(path), image);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(MigrateRegion, AFullDiskAtAnyLengthLeavesTheOriginalAsItWas) {
    const test::TemporaryFolder folder;
    const auto path = folder / "0.0.region.bin";
    const auto image = two_chains();
    write_file(path, image);
    for (const rlim_t room : {0U, 100U, 4000U, 4128U, 5000U, 8300U}) {
        const auto child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) { // a limit on the length of files stands for a full disk
            (void)std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{room, room};
            setrlimit(RLIMIT_FSIZE, &limit);
            _exit(migrate_region_file(path, {0, 0}) ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << room;
        EXPECT_EQ(read_file(path), image);
        EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
    }
}

TEST(MigrateRegion, AKillAtAnyMomentLeavesTheOldOrTheNewFileWhole) {
    SEEDED_RANDOM(random);
    const test::TemporaryFolder folder;
    const auto path = folder / "0.0.region.bin";
    const auto content = some_content(random, 14, 60000);
    const auto image = test::region_v0_image(content, {.version = 0});
    const auto migrate = [&] { (void)migrate_region_file(path, {0, 0}); };
    write_file(path, image);
    const auto moments = test::count_moments(migrate);
    int migrated = 0;
    constexpr int k_rounds = 60;
    for (int round = 0; round < k_rounds; ++round) {
        write_file(path, image);
        test::run_and_kill(migrate, moments - moments * round / k_rounds);
        const auto region = open_region(open_file(path, FileMode::read).value(), {0, 0}).value();
        migrated += region->header().version;
        ASSERT_EQ(region->slots().value().size(), content.size());
        for (const auto& [slot, blob] : content) ASSERT_EQ(read_blob(*region, slot).value(), blob);
    }
    EXPECT_TRUE(migrated > 0 && migrated < k_rounds) << migrated << " of " << k_rounds;
    ASSERT_TRUE(migrate_region_file(path, {0, 0})) << "also over what a killed run left";
}

TEST(RegionStore, TheFirstWriteToAVersion0FileMigratesIt) {
    const test::TemporaryFolder folder;
    const auto path = folder / "0.0.region.bin";
    const test::RegionContent content{{0, test::compressed_blob(as_bytes("old"))},
                                      {33, test::compressed_blob(as_bytes("kept"))}};
    write_file(path, test::region_v0_image(content, {.version = 0}));
    StoreOptions options;
    options.write = true;
    const auto store = open_region_store(Folder(open_disk_tree(folder.path())), options).value();
    ReadContext context;
    EXPECT_EQ(as_text(store->read({0, 0}, context).value().value()), "old");
    EXPECT_EQ(store->region({0, 0}).value()->header().version, 0) << "reading changes nothing";
    ASSERT_TRUE(store->write({0, 0}, as_bytes("new")));
    EXPECT_EQ(store->region({0, 0}).value()->header().version, 1);
    EXPECT_EQ(as_text(store->read({0, 0}, context).value().value()), "new");
    EXPECT_EQ(as_text(store->read({1, 1}, context).value().value()), "kept");
}

TEST(MigrateRegion, AFileWithEntriesBehindTheChunksIsLeftAlone) {
    const test::TemporaryFolder folder;
    const auto path = folder / "0.0.region.bin";
    const auto image = test::region_v0_image(
        {{0, test::compressed_blob(as_bytes("a"))}, {1500, test::compressed_blob(as_bytes("b"))}},
        {.version = 0, .blob_count = 2048});
    write_file(path, image);
    EXPECT_EQ(migrate_region_file(path, {0, 0}).error().code, Errc::unsupported);
    EXPECT_EQ(fs::file_size(path), image.size());
}

/// After the index of version 0 stands another of what is being written: it is not an index of chunks.
TEST(RegionV0, TheSecondIndexIsNotTakenForTheFirst) {
    auto image = two_chains();
    store_be(image.data() + 32 + 4 * 16, std::int32_t{1});
    const auto region = open_image(image);
    EXPECT_EQ(region->entry({16}).value(), 0);
    EXPECT_EQ(region->entry({-1}).value(), 0);
    EXPECT_EQ(region->entry({1}).value(), 4);
    EXPECT_FALSE(region->info({16}).value());
    EXPECT_EQ(region->slots().value().size(), 2U);
}

TEST(RegionV0, AnEntryMustLeaveRoomForALinkAndTheLengths) {
    for (const auto& [room, code] : {std::pair{11U, Errc::out_of_range}, {12U, Errc::truncated}}) {
        auto image = two_chains();
        image.resize(k_v0_base + 6 * 64 + room);
        store_be(image.data() + 32, std::int32_t{7});
        if (room == 12) store_be(image.data() + k_v0_base + 6 * 64 + 8, std::int32_t{100'000});
        const auto region = open_image(image);
        EXPECT_EQ(region->info({0}).error().code, code) << room;
        EXPECT_TRUE(region->info({1}).value());
    }
}

TEST(RegionStore, OnlyUnfinishedRegionFilesAreRemovedAndOnlyByAWriter) {
    const test::TemporaryFolder folder;
    const auto unfinished = folder / "0.0.region.bin.orbis-tmp";
    const std::vector<fs::path> others{folder / "notes.orbis-tmp", folder / "1.0.region.bin.orbis-tmp",
                                       folder / "2.0.region.bin.orbis-tmp", folder / "0.0.region.bin.tmp"};
    for (const auto& path : {unfinished, others[0], others[3]}) std::ofstream(path) << "x";
    fs::create_symlink("notes.orbis-tmp", others[1]);
    fs::create_directory(others[2]);
    ASSERT_TRUE(open_region_store(Folder(open_disk_tree(folder.path())), {}));
    EXPECT_TRUE(fs::exists(unfinished));
    StoreOptions options;
    options.write = true;
    ASSERT_TRUE(open_region_store(Folder(open_disk_tree(folder.path())), options));
    EXPECT_FALSE(fs::exists(unfinished));
    for (const auto& path : others) EXPECT_TRUE(fs::exists(fs::symlink_status(path))) << path;
}

TEST(RegionStore, AFileOfVersion0IsMigratedWhenAsked) {
    const test::TemporaryFolder folder;
    write_file(folder / "0.0.region.bin",
               test::region_v0_image({{5, test::compressed_blob(as_bytes("kept"))}}, {.version = 0}));
    StoreOptions options;
    options.write = true;
    const auto store = open_region_store(Folder(open_disk_tree(folder.path())), options).value();
    ASSERT_TRUE(store->migrate({0, 0}));
    EXPECT_EQ(store->region({0, 0}).value()->header().version, 1);
    ReadContext context;
    EXPECT_EQ(as_text(store->read({5, 0}, context).value().value()), "kept");
    EXPECT_TRUE(store->migrate({1, 0})) << "where there is none, nothing is made";
    EXPECT_FALSE(fs::exists(folder / "1.0.region.bin"));
}

} // namespace
} // namespace orbis::storage
