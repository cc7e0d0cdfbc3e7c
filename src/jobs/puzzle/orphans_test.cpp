#include "bytes/reader.hpp"
#include "jobs/puzzle/orphans.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "storage/region_store.hpp"
#include "support/amount.hpp"
#include "support/bad_pages.hpp"

#include <fmt/format.h>

#include <cstring>

namespace orbis::jobs {

namespace {

using test_worlds::Version;
using test_worlds::version_blob;
using test_worlds::version_document;
using Basis = Orphan::Basis;
using Sureness = Orphan::Sureness;

constexpr std::size_t k_base = 32 + 4 * 1024;

/// A folder with the region file 0.0, written through the store or byte by byte.
class Folder {
public:
    Folder() { std::filesystem::create_directories(folder_ / "chunks"); }

    void write(ChunkPos pos, const Version& version) {
        EXPECT_TRUE(open(true)->write(pos, version_document(version)));
    }
    void remove(ChunkPos pos) { EXPECT_TRUE(*open(true)->remove(pos)); }
    void put(Bytes image) { test_worlds::put(file(), image); }
    [[nodiscard]] Buffer image() const {
        std::ifstream in(file(), std::ios::binary);
        return Buffer(std::istreambuf_iterator<char>(in), {});
    }

    [[nodiscard]] std::unique_ptr<storage::RegionStore> open(bool write = false) const {
        storage::StoreOptions options;
        options.write = options.create = options.force = write;
        options.sync = storage::SyncPolicy::none;
        auto store =
            storage::open_region_store(storage::Folder(storage::open_disk_tree(folder_ / "chunks")), options);
        EXPECT_TRUE(store) << store.error().text();
        return *std::move(store);
    }
    [[nodiscard]] RegionOrphans search() const {
        auto found = find_orphans(*open(), {0, 0});
        EXPECT_TRUE(found) << found.error().text();
        return *std::move(found);
    }

private:
    [[nodiscard]] std::filesystem::path file() const { return folder_ / "chunks" / "0.0.region.bin"; }
    test::TemporaryFolder folder_;
};

/// Blobs of which those at slots from 900 on become unused: their entries are taken out of the index.
Buffer image_with_orphans(test::RegionContent content) {
    auto image = test::region_v1_image(content);
    for (const auto& [slot, blob] : content)
        if (slot >= 900) store_be(image.data() + 32 + 4 * static_cast<std::size_t>(slot), 0);
    return image;
}

TEST(Orphans, OverwrittenAndRemovedChunksAreFound) {
    Folder folder;
    folder.write({0, 0}, {.seed = 1, .padding = 9000});
    folder.write({1, 0}, {.seed = 2});
    EXPECT_TRUE(folder.search().orphans.empty());
    folder.write({0, 0}, {.seed = 1, .edits = 3, .padding = 9000});
    auto found = folder.search();
    ASSERT_EQ(found.orphans.size(), 1U);
    const auto& orphan = found.orphans[0];
    EXPECT_EQ(orphan.first_segment, 1);
    EXPECT_EQ(orphan.segments, found.unused_segments);
    EXPECT_EQ(orphan.offset, k_base);
    EXPECT_EQ(orphan.chunk, (ChunkPos{0, 0}));
    EXPECT_EQ(orphan.basis, Basis::similarity);
    EXPECT_EQ(orphan.sureness, Sureness::likely);
    EXPECT_TRUE(orphan.sound());

    const auto store = folder.open();
    storage::ReadContext context;
    const auto document = orphan_document(*store, orphan, context);
    ASSERT_TRUE(document) << document.error().text();
    EXPECT_TRUE(std::ranges::equal(*document, version_document({.seed = 1, .padding = 9000})));

    folder.remove({1, 0});
    EXPECT_EQ(folder.search().orphans.size(), 2U);
}

TEST(Orphans, PositionsTellThePlaceAlsoOfChunksThatAreGone) {
    Folder folder;
    folder.put(image_with_orphans({{0, version_blob({.seed = 1})},
                                   {900, version_blob({.seed = 5, .entity = {{70.5, 95.9}}})},
                                   {901, version_blob({.seed = 6, .damaged_block = {{33, 2}}})},
                                   // looks like the one at 2,2 and has no positions itself
                                   {902, version_blob({.seed = 5})},
                                   // of another region, so it says nothing
                                   {903, version_blob({.seed = 8, .entity = {{-1.5, 0.5}}})}}));
    const auto found = folder.search();
    ASSERT_EQ(found.orphans.size(), 4U);
    EXPECT_EQ(found.orphans[0].chunk, (ChunkPos{1, 0}));
    EXPECT_EQ(found.orphans[0].basis, Basis::positions);
    EXPECT_EQ(found.orphans[0].sureness, Sureness::certain);
    EXPECT_EQ(found.orphans[1].chunk, (ChunkPos{2, 2}));
    EXPECT_EQ(found.orphans[1].sureness, Sureness::certain);
    EXPECT_EQ(found.orphans[2].chunk, (ChunkPos{2, 2}));
    EXPECT_EQ(found.orphans[2].basis, Basis::similarity);
    EXPECT_EQ(found.orphans[3].chunk, std::nullopt);
    EXPECT_EQ(found.orphans[3].basis, Basis::unknown);
}

TEST(Orphans, FlatChunksStayAmbiguous) {
    Folder folder;
    folder.put(image_with_orphans({{0, version_blob({})},
                                   {1, version_blob({})},
                                   {33, version_blob({})},
                                   {34, version_blob({.seed = 4})},
                                   {900, version_blob({})}}));
    const auto found = folder.search();
    ASSERT_EQ(found.orphans.size(), 1U);
    EXPECT_EQ(found.orphans[0].chunk, std::nullopt);
    EXPECT_EQ(found.orphans[0].sureness, Sureness::open);
    EXPECT_EQ(found.orphans[0].candidates, (std::vector<ChunkPos>{{0, 0}, {1, 0}, {1, 1}}));
}

TEST(Orphans, OneFlatChunkIsNoMoreThanAGuess) {
    Folder folder;
    folder.put(image_with_orphans({{7, version_blob({})}, {900, version_blob({})}}));
    const auto found = folder.search();
    ASSERT_EQ(found.orphans.size(), 1U);
    EXPECT_EQ(found.orphans[0].chunk, (ChunkPos{7, 0}));
    EXPECT_EQ(found.orphans[0].sureness, Sureness::guess);
    EXPECT_EQ(newest_orphan_of(found.orphans, {7, 0}), nullptr);
}

TEST(Orphans, TheOnlyChunkWithoutContentIsOfferedToWhatFitsNoOther) {
    test::RegionContent content{{900, version_blob({.seed = 9})}};
    content[0] = version_blob({.seed = 1});
    content[1] = version_blob({.seed = 2});
    auto image = image_with_orphans(content);
    // Chunk 1,0 breaks: the first block of its frame gets a type that there is none of.
    const auto first = static_cast<std::size_t>(load_be<std::int32_t>(image.data() + 36));
    const auto frame = k_base + (first - 1) * 4096 + 8;
    std::memset(image.data() + frame + 9, 0xFF, 40);
    Folder folder;
    folder.put(image);
    const auto found = folder.search();
    ASSERT_EQ(found.orphans.size(), 1U);
    EXPECT_EQ(found.partly_overwritten, 0U); // the damaged chunk is none
    EXPECT_EQ(found.orphans[0].chunk, (ChunkPos{1, 0}));
    EXPECT_EQ(found.orphans[0].basis, Basis::elimination);
    EXPECT_EQ(found.orphans[0].sureness, Sureness::guess);
}

TEST(Orphans, AWholeFrameBehindWrongLengthsIsFoundByItsEntry) {
    for (const auto& [offset, value] : {std::pair(0, 5), {0, -1}, {4, 0x7FFFFFFF}, {4, -1}, {4, 20}}) {
        SCOPED_TRACE(fmt::format("{} at {}", value, offset));
        auto image = test::region_v1_image({{3, version_blob({.seed = 3})}, {4, version_blob({.seed = 4})}});
        store_be(image.data() + k_base + offset, value);
        Folder folder;
        folder.put(image);
        const auto found = folder.search();
        ASSERT_EQ(found.orphans.size(), 1U);
        EXPECT_TRUE(found.orphans[0].lengths_fixed);
        EXPECT_EQ(found.orphans[0].chunk, (ChunkPos{3, 0}));
        EXPECT_EQ(found.orphans[0].basis, Basis::entry);
        EXPECT_EQ(found.orphans[0].sureness, Sureness::certain);
        ASSERT_NE(newest_orphan_of(found.orphans, {3, 0}), nullptr);
        storage::ReadContext context;
        const auto document = orphan_document(*folder.open(), found.orphans[0], context);
        ASSERT_TRUE(document);
        EXPECT_TRUE(std::ranges::equal(*document, version_document({.seed = 3})));
    }
}

TEST(Orphans, CopiesWithAnOverwrittenEndAreCountedAndNotListed) {
    Folder folder;
    folder.write({0, 0}, {.seed = 1, .padding = 30000});
    folder.write({1, 0}, {.seed = 2});
    folder.remove({0, 0});
    // Takes the first segments of the old one, so its beginning is gone; nothing is left to be seen.
    folder.write({2, 0}, {.seed = 3});
    EXPECT_TRUE(folder.search().orphans.empty());
    EXPECT_EQ(folder.search().partly_overwritten, 0U);

    // The end is gone where a later blob is in the middle of it, in use or unused itself.
    const auto old_blob = version_blob({.seed = 4, .padding = 30000});
    const auto later = version_blob({.seed = 5});
    for (const bool in_use : {true, false}) {
        test::RegionContent content{{900, old_blob}};
        auto image = image_with_orphans(content);
        const auto at = k_base + 2 * 4096;
        store_be(image.data() + at, later.raw_size);
        store_be(image.data() + at + 4, static_cast<std::uint32_t>(later.frame.size()));
        std::ranges::copy(later.frame, image.begin() + static_cast<std::ptrdiff_t>(at + 8));
        if (in_use) store_be(image.data() + 32, 3);
        folder.put(image);
        const auto found = folder.search();
        if (in_use) {
            EXPECT_EQ(found.partly_overwritten, 1U);
            EXPECT_TRUE(found.orphans.empty());
            continue;
        }
        // Bytes that do not compress are stored as they are, so this old frame still decompresses, with the
        // later blob in the middle of its content. It must not pass for what was saved.
        ASSERT_EQ(found.orphans.size(), 2U);
        for (const auto& orphan : found.orphans) EXPECT_EQ(orphan.sound(), orphan.first_segment == 3);
    }
}

TEST(Orphans, SeveralVersionsComeNewestFirstWhereGameTimesTell) {
    Folder folder;
    folder.put(image_with_orphans({{5, version_blob({.seed = 5})},
                                   {900, version_blob({.seed = 5, .game_time = "0001-01-02T00:00:00.5Z"})},
                                   {901, version_blob({.seed = 5, .game_time = "0001-01-03T00:00:00Z"})},
                                   {902, version_blob({.seed = 5, .edits = 1})},
                                   {903, version_blob({.seed = 5, .game_time = "0001-01-02T00:00:00Z"})}}));
    const auto found = folder.search();
    ASSERT_EQ(found.orphans.size(), 4U);
    EXPECT_EQ(found.orphans[0].game_time, "0001-01-03T00:00:00Z");
    EXPECT_EQ(found.orphans[1].game_time, "0001-01-02T00:00:00.5Z");
    EXPECT_EQ(found.orphans[2].game_time, "0001-01-02T00:00:00Z");
    EXPECT_EQ(found.orphans[3].game_time, "");
    EXPECT_EQ(newest_orphan_of(found.orphans, {5, 0}), &found.orphans[0]);
    EXPECT_EQ(newest_orphan_of(found.orphans, {6, 0}), nullptr);
}

TEST(Orphans, WhatIsNoChunkIsCountedOnly) {
    Buffer document;
    bson::Writer(document).string("Name", "no chunk").finish();
    Folder folder;
    folder.put(image_with_orphans({{0, version_blob({})}, {900, test::compressed_blob(document)}}));
    const auto found = folder.search();
    EXPECT_TRUE(found.orphans.empty());
    EXPECT_EQ(found.no_chunks, 1U);
}

TEST(Orphans, HostileHeadersAreNeverBelieved) {
    const auto good = image_with_orphans({{0, version_blob({.seed = 1})}, {900, version_blob({.seed = 2})}});
    Folder folder;
    folder.put(good);
    const auto sound = folder.search();
    ASSERT_EQ(sound.orphans.size(), 1U);
    const auto orphan = static_cast<std::size_t>(sound.orphans[0].offset);
    std::mt19937_64 random(3);
    for (int round = 0; round < 300; ++round) {
        auto image = good;
        // Its lengths, the header of its frame and the first blocks.
        for (int i = 0; i < 1 + round % 4; ++i)
            image[orphan + random() % 64] = static_cast<std::uint8_t>(random());
        if (round % 5 == 0) image.resize(image.size() - random() % 3000);
        if (round % 7 == 0) image[32 + random() % 8] = static_cast<std::uint8_t>(random());
        folder.put(image);
        const auto found = folder.search();
        EXPECT_LE(found.orphans.size(), 2U);
    }
    for (std::size_t size = k_base; size < good.size(); size += 997) {
        folder.put(Bytes(good).first(size));
        EXPECT_LE(folder.search().orphans.size(), 1U);
    }
    // A frame that promises more than any chunk has.
    auto bomb = good;
    const std::array<std::uint8_t, 13> frame{0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0xFF, 0xFF,
                                             0xFF, 0x7F, 0,    0,    0,    0};
    std::ranges::copy(frame, bomb.begin() + static_cast<std::ptrdiff_t>(orphan + 8));
    store_be(bomb.data() + orphan, 0x7FFFFFFF);
    folder.put(bomb);
    EXPECT_EQ(folder.search().partly_overwritten, 1U);
}

TEST(Orphans, FilesOfVersionZeroAreNotSearched) {
    Folder folder;
    folder.put(test::region_v0_image({{0, version_blob({.seed = 1})}}));
    const auto found = folder.search();
    EXPECT_FALSE(found.searched);
    EXPECT_TRUE(found.orphans.empty());
}

TEST(Orphans, AFileThatWasWrittenSinceIsNoticed) {
    Folder folder;
    folder.write({0, 0}, {.seed = 1});
    folder.write({0, 0}, {.seed = 1, .edits = 2});
    const auto found = folder.search();
    ASSERT_EQ(found.orphans.size(), 1U);
    folder.write({1, 0}, {.seed = 2});
    storage::ReadContext context;
    const auto frame = orphan_frame(*folder.open(), found.orphans[0], context);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, Errc::mismatch);
}

TEST(Orphans, OfSeveralRegionsComeInTheirOrder) {
    Folder folder;
    for (int x = 0; x < 5; ++x) {
        folder.write({32 * x, 0}, {.seed = 1 + x});
        for (int i = 0; i < x; ++i) folder.write({32 * x, 0}, {.seed = 1 + x, .edits = 1 + i});
    }
    struct Steps final : Progress {
        void begin(std::string_view what, std::uint64_t count) override {
            text += fmt::format("{} {}", what, count);
        }
        void step() override { text += " step"; }
        std::string text;
    };
    const std::vector<RegionPos> regions{{3, 0}, {0, 0}, {4, 0}, {9, 9}, {1, 0}};
    for (const std::size_t threads : {1U, 3U}) {
        Steps steps;
        std::string found;
        find_orphans(*folder.open(), regions, threads, steps, [&](Result<RegionOrphans>&& one) {
            ASSERT_TRUE(one) << one.error().text();
            found += fmt::format("{:n} {}; ", one->region, one->orphans.empty() ? "none" : "some");
        });
        EXPECT_EQ(found, "3.0 some; 0.0 none; 4.0 some; 9.9 none; 1.0 some; ");
        EXPECT_EQ(steps.text, "Searching 5 step step step step step");
    }
}

TEST(Orphans, WhatTheDiskDoesNotDeliverIsNoCopy) {
    const auto image = image_with_orphans(
        {{0, version_blob({.seed = 1})}, {900, version_blob({.seed = 2, .padding = 9000})}});
    const auto search = [&](test::BadPages bad) {
        const auto store =
            storage::open_region_store(
                storage::Folder(std::make_shared<test::BadPagesTree>("0.0.region.bin", image, bad)), {})
                .value();
        return find_orphans(*store, {0, 0}).value();
    };
    const auto sound = search({0, 0});
    ASSERT_EQ(sound.orphans.size(), 1U);
    const auto orphan = sound.orphans[0];
    const auto at = orphan.offset;
    for (const auto bad : {at, at + 25}) { // its lengths, and the header of its frame
        const auto found = search({bad, bad + 1});
        EXPECT_TRUE(found.orphans.empty()) << bad;
        EXPECT_EQ(found.partly_overwritten, 0U) << bad;
        EXPECT_EQ(found.unused_segments, sound.unused_segments);
    }
    const auto end = at + 8 + orphan.frame_size;
    for (const auto bad : {at + 26, end - 1}) {
        const auto found = search({bad, bad + 1});
        EXPECT_TRUE(found.orphans.empty()) << bad;
        EXPECT_EQ(found.partly_overwritten, 1U) << bad;
    }
    EXPECT_EQ(search({end, end + 1}).orphans.size(), 1U);
    const test::BadPages bad{at + 100, at + 101};
    const auto store =
        storage::open_region_store(
            storage::Folder(std::make_shared<test::BadPagesTree>("0.0.region.bin", image, bad)), {})
            .value();
    storage::ReadContext context;
    EXPECT_EQ(orphan_frame(*store, orphan, context).error().code, Errc::io);
}

TEST(Orphans, EveryOlderCopyInRealFilesIsWhole) {
    const auto files = test::real_region_files();
    std::size_t orphans = 0;
    std::size_t attributed = 0;
    for (std::size_t i = 0; i < files.size(); i += static_cast<std::size_t>(test::step())) {
        const auto store = storage::open_single_region(files[i], {});
        ASSERT_TRUE(store) << store.error().text();
        const auto regions = *(*store)->regions();
        NoProgress progress;
        find_orphans(**store, regions, 2, progress, [&](Result<RegionOrphans>&& found) {
            ASSERT_TRUE(found) << found.error().text();
            EXPECT_EQ(found->partly_overwritten, 0U) << found->file;
            EXPECT_EQ(found->no_chunks, 0U) << found->file;
            orphans += found->orphans.size();
            for (const auto& orphan : found->orphans) {
                EXPECT_TRUE(orphan.sound()) << found->file << " segment " << orphan.first_segment;
                EXPECT_FALSE(orphan.lengths_fixed);
                attributed += orphan.sureness <= Sureness::likely ? 1U : 0U;
            }
        });
    }
    if (files.empty() || test::looks_at_fewer()) return;
    EXPECT_EQ(orphans, 29U);
    EXPECT_EQ(attributed, 13U);
}

} // namespace

} // namespace orbis::jobs
