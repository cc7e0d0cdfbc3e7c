#include "bytes/reader.hpp"
#include "jobs/edit/undelete.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"

namespace orbis::jobs {

namespace {

using test_worlds::Version;
using test_worlds::version_blob;
using test_worlds::version_document;

/// A world whose file 0.0 has these blobs; those from slot 900 on are in no index.
class OlderWorld {
public:
    explicit OlderWorld(const test::RegionContent& content) {
        auto image = test::region_v1_image(content);
        for (const auto& [slot, blob] : content)
            if (slot >= 900) store_be(image.data() + 32 + 4 * static_cast<std::size_t>(slot), 0);
        put(image);
    }

    void put(Bytes image) const { test_worlds::put(file(), image); }
    [[nodiscard]] Buffer image() const {
        std::ifstream in(file(), std::ios::binary);
        return Buffer(std::istreambuf_iterator<char>(in), {});
    }
    [[nodiscard]] world::World world() const {
        return world::find_location(folder_ / "chunks")->worlds.at(0);
    }
    [[nodiscard]] std::shared_ptr<const storage::Store> open() const {
        return open_region_files(world()).value();
    }
    [[nodiscard]] std::vector<OlderVersion> list(std::string_view selection = {}) const {
        std::vector<OlderVersion> versions;
        NoProgress progress;
        const auto report = list_older_versions(
            world(), *open(),
            {.selection = selection.empty() ? Selection() : Selection::parse(selection).value(),
             .threads = 2,
             .on_version = [&](const OlderVersion& version) { versions.push_back(version); }},
            progress);
        EXPECT_TRUE(report) << report.error().text();
        EXPECT_TRUE(report->problems.empty());
        EXPECT_EQ(report->versions, versions.size());
        return versions;
    }
    [[nodiscard]] ChangeReport put_back(std::vector<Undeletion> versions) const {
        auto report = undelete(world(), std::move(versions), {.verb = "undelete"});
        EXPECT_TRUE(report) << report.error().text();
        return *std::move(report);
    }
    void expect(ChunkPos pos, const Version& version) const {
        storage::ReadContext context;
        const auto document = open()->read(pos, context);
        ASSERT_TRUE(document && *document);
        EXPECT_TRUE(std::ranges::equal(**document, version_document(version))) << pos.x << ',' << pos.z;
    }

private:
    [[nodiscard]] std::filesystem::path file() const { return folder_ / "chunks" / "0.0.region.bin"; }
    test::TemporaryFolder folder_;
};

TEST(Undelete, TellsWhatDiffersFromThePresent) {
    const OlderWorld world({{0, version_blob({.seed = 1, .edits = 4})},
                            {1, version_blob({.seed = 2})},
                            {900, version_blob({.seed = 1, .chests = 1})},
                            {901, version_blob({.seed = 2, .game_time = "0001-01-02T00:00:00Z"})},
                            {902, version_blob({.seed = 3, .entity = {{100.5, 1.5}}})}});
    const auto versions = world.list();
    ASSERT_EQ(versions.size(), 3U);
    EXPECT_EQ(versions[0].present, PresentState::differs);
    EXPECT_EQ(difference_text(versions[0]), "4 blocks, 1 container");
    EXPECT_EQ(versions[1].present, PresentState::same);
    EXPECT_EQ(versions[2].present, PresentState::missing);
    EXPECT_EQ(versions[2].orphan.chunk, (ChunkPos{3, 0}));
    ASSERT_EQ(world.list("1,0").size(), 1U);
    EXPECT_TRUE(world.list("7,7").empty());
}

TEST(Undelete, PutsBackWithoutWritingOverOtherCopies) {
    const Version now{.seed = 1, .edits = 9};
    const Version before{.seed = 1, .edits = 3};
    const Version first{.seed = 1};
    const OlderWorld world({{0, version_blob(now)},
                            {900, version_blob(first)},
                            {901, version_blob(before)},
                            {902, version_blob({.seed = 3, .entity = {{100.5, 1.5}}})}});
    const auto image = world.image();
    const auto versions = world.list();
    ASSERT_EQ(versions.size(), 3U);
    std::vector<Undeletion> chosen;
    for (const auto& version : versions)
        if (version.orphan.first_segment != 2) chosen.push_back({version.orphan, *version.orphan.chunk});
    const auto report = world.put_back(chosen);
    EXPECT_EQ(report.chunks_written, 2U);
    world.expect({0, 0}, before);
    world.expect({3, 0}, {.seed = 3, .entity = {{100.5, 1.5}}});
    // Nothing but the index has changed.
    const auto after = world.image();
    ASSERT_EQ(after.size(), image.size());
    EXPECT_TRUE(std::equal(after.begin() + 4128, after.end(), image.begin() + 4128));
    EXPECT_EQ(world.list().size(), 2U); // the first version, and what was there until now

    std::vector<Error> problems;
    const auto location = world::find_location(world.world().folder.on_disk().value()).value();
    const auto changes = past_changes(location, problems).value();
    ASSERT_EQ(changes.size(), 1U);
    NoProgress progress;
    const auto undone = undo_change(changes[0], {}, progress);
    ASSERT_TRUE(undone) << undone.error().text();
    world.expect({0, 0}, now);
    EXPECT_FALSE(world.open()->contains({3, 0}).value());
}

TEST(Undelete, AChunkBehindWrongLengthsIsWrittenAnew) {
    const Version lost{.seed = 5};
    const OlderWorld world({{4, version_blob(lost)}, {5, version_blob({.seed = 6})}});
    auto image = world.image();
    store_be(image.data() + 4128, 17);
    world.put(image);
    const auto versions = world.list();
    ASSERT_EQ(versions.size(), 1U);
    EXPECT_EQ(versions[0].present, PresentState::unreadable);
    EXPECT_FALSE(reason_against(versions[0].orphan, std::nullopt));
    EXPECT_EQ(world.put_back({{versions[0].orphan, {4, 0}}}).chunks_written, 1U);
    world.expect({4, 0}, lost);
    world.expect({5, 0}, {.seed = 6});
}

TEST(Undelete, AFrameThatIsNotWhereItIsSaidToBeIsWritten) {
    const auto blob = version_blob({.seed = 2});
    for (const std::int32_t segment : {1, 2, 500}) { // in use, other bytes, past the end
        const OlderWorld world(
            {{0, version_blob({.seed = 1})}, {900, version_blob({.seed = 1, .edits = 1})}});
        const auto change = Change::begin(world.world(), {.verb = "test"}).value();
        ASSERT_TRUE(change->relink({7, 7}, segment, {blob.frame, blob.raw_size}));
        ASSERT_TRUE(change->finish());
        world.expect({7, 7}, {.seed = 2});
        world.expect({0, 0}, {.seed = 1});
    }
}

TEST(Undelete, ACopyMayGoToAnotherRegionFile) {
    const OlderWorld world({{0, version_blob({.seed = 1})}, {900, version_blob({.seed = 2})}});
    const auto versions = world.list();
    ASSERT_EQ(versions.size(), 1U);
    EXPECT_TRUE(reason_against(versions[0].orphan, std::nullopt)); // its position is unknown
    EXPECT_FALSE(reason_against(versions[0].orphan, ChunkPos{-1, 40}));
    EXPECT_EQ(world.put_back({{versions[0].orphan, {-1, 40}}}).chunks_written, 1U);
    world.expect({-1, 40}, {.seed = 2});
    world.expect({0, 0}, {.seed = 1});
}

TEST(Undelete, WhatIsNotSoundOrNotSureIsRefused) {
    Orphan orphan;
    orphan.chunk = ChunkPos{1, 2};
    orphan.sureness = Orphan::Sureness::likely;
    EXPECT_FALSE(reason_against(orphan, std::nullopt));
    orphan.sureness = Orphan::Sureness::guess;
    EXPECT_TRUE(reason_against(orphan, std::nullopt));
    EXPECT_FALSE(reason_against(orphan, ChunkPos{1, 2}));
    orphan.problems = 1;
    EXPECT_TRUE(reason_against(orphan, ChunkPos{1, 2}));
    orphan.problems = 0;
    orphan.overlaps = true;
    EXPECT_TRUE(reason_against(orphan, ChunkPos{1, 2}));
}

TEST(Undelete, AnythingWrittenInBetweenIsNoticedBeforeAChangeIsMade) {
    const OlderWorld world({{0, version_blob({.seed = 1})}, {900, version_blob({.seed = 1, .edits = 1})}});
    const auto versions = world.list();
    ASSERT_EQ(versions.size(), 1U);
    auto image = world.image();
    std::fill_n(image.begin() + static_cast<std::ptrdiff_t>(versions[0].orphan.offset), 100, 0);
    world.put(image);
    const auto done = undelete(world.world(), {{versions[0].orphan, {0, 0}}}, {.verb = "undelete"});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::mismatch);
    EXPECT_EQ(world.image(), image);
}

} // namespace

} // namespace orbis::jobs
