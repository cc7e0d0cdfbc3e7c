#include "bytes/reader.hpp"
#include "jobs/edit/undelete.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"
#include "storage/rocksdb_store.hpp"

#include <array>

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

TEST(Undelete, ARefusalSaysWhyAndWhatHelps) {
    struct Row {
        std::size_t problems = 0;
        bool overlaps = false;
        std::optional<ChunkPos> chunk;
        std::vector<ChunkPos> candidates;
        std::string problem;
        std::string advice;
    };
    const std::string look = "look at it with --show, then say where it belongs with --as X,Z";
    const std::string bytes = "--cat still outputs its bytes";
    for (const auto& row :
         {Row{1, false, {}, {}, "1 part of this copy cannot be read", bytes},
          Row{2, false, {}, {}, "2 parts of this copy cannot be read", bytes},
          Row{1, true, {}, {}, "this copy was partly overwritten", bytes},
          Row{0, false, {}, {}, "chunk position unknown", look},
          Row{0, false, {}, {{1, 1}}, "chunk position unknown: 1 chunk fit equally well", look},
          Row{0, false, {}, {{1, 1}, {2, 1}}, "chunk position unknown: 2 chunks fit equally well", look},
          Row{0,
              false,
              ChunkPos{-3, 4},
              {},
              "that this is chunk -3,4 is only a guess",
              "say where it belongs, such as --as -3,4"}}) {
        Orphan orphan;
        orphan.region = {-1, 0};
        orphan.first_segment = 7;
        orphan.problems = row.problems;
        orphan.overlaps = row.overlaps;
        orphan.chunk = row.chunk;
        orphan.candidates = row.candidates;
        orphan.sureness = row.chunk ? Orphan::Sureness::guess : Orphan::Sureness::open;
        const auto against = reason_against(orphan, std::nullopt);
        ASSERT_TRUE(against) << row.problem;
        EXPECT_EQ(against->code, Errc::usage);
        EXPECT_EQ(against->problem, row.problem);
        EXPECT_EQ(against->advice, row.advice);
        EXPECT_EQ(against->part, "region -1.0, segment 7");
    }
}

TEST(Undelete, TheTextOfADifferenceCountsEachKind) {
    const auto text = [](const auto& edit) {
        OlderVersion version;
        version.present = PresentState::differs;
        edit(version.diff);
        return difference_text(version);
    };
    const auto component = [](ChunkDiff& diff, std::vector<std::string> names) {
        ++diff.components;
        diff.component_changes.push_back({{}, ChangeKind::changed, std::move(names)});
    };
    EXPECT_EQ(text([](ChunkDiff&) {}), "only light, heights and similar data");
    EXPECT_EQ(text([](ChunkDiff& diff) { diff.heights = diff.light_sections = 3; }),
              "only light, heights and similar data");
    EXPECT_EQ(text([&](ChunkDiff& diff) {
                  diff.blocks = diff.fluids = diff.entities = diff.environments = diff.tints = 1;
                  component(diff, {"container"});
                  component(diff, {"Farming"});
              }),
              "1 block, 1 fluid, 1 container, 1 block with components, 1 entity, 1 column with another "
              "environment, 1 column with another tint");
    EXPECT_EQ(text([&](ChunkDiff& diff) {
                  diff.blocks = diff.fluids = diff.entities = diff.environments = diff.tints = 2;
                  for (int i = 0; i < 2; ++i) {
                      component(diff, {"Light", "ItemContainerBlock"});
                      component(diff, {"containers"});
                  }
                  diff.other = {"Health", "Flag"};
                  diff.unreadable = {"Block"};
              }),
              "2 blocks, 2 fluids, 2 containers, 2 blocks with components, 2 entities, 2 columns with other "
              "environments, 2 columns with other tints, Health, Flag, parts that cannot be read");
    EXPECT_EQ(text([&](ChunkDiff& diff) {
                  component(diff, {"container"});
                  diff.components = 5; // of which only the first is listed
              }),
              "5 blocks with components");
    const std::array<std::string, 5> texts{"chunk position unknown", "no difference", "",
                                           "the world does not have this chunk now",
                                           "the chunk is unreadable now"};
    const std::array<std::string, 5> names{"unknown", "same", "differs", "missing", "unreadable"};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        OlderVersion version;
        version.present = static_cast<PresentState>(i);
        EXPECT_EQ(name(version.present), names.at(i));
        if (version.present != PresentState::differs) {
            EXPECT_EQ(difference_text(version), texts.at(i));
        }
    }
}

TEST(Undelete, TheReportCountsFilesSegmentsAndWhatIsKnown) {
    const OlderWorld world({{0, version_blob({.seed = 1, .edits = 4})},
                            {900, version_blob({.seed = 1})},
                            {901, version_blob({.seed = 7})},
                            {902, test::compressed_blob(Buffer(50, 3))},
                            {903, version_blob({.seed = 1, .edits = 2})}});
    const auto folder = world.world().folder.on_disk().value();
    test_worlds::put(folder / "1.0.region.bin", test::region_v0_image({{0, version_blob({.seed = 3})}}));
    test_worlds::put(folder / "2.0.region.bin", Bytes());
    NoProgress progress;
    std::size_t versions = 0;
    const auto report = list_older_versions(
        world.world(), *world.open(),
        {.selection = {}, .threads = 1, .on_version = [&](const OlderVersion&) { ++versions; }}, progress);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(versions, 3U);
    EXPECT_EQ(report->versions, 3U);
    EXPECT_EQ(report->attributed, 2U) << "nothing is like the other";
    EXPECT_EQ(report->files, 3U);
    EXPECT_EQ(report->not_searched, 1U);
    ASSERT_EQ(report->problems.size(), 1U);
    EXPECT_TRUE(report->problems[0].file.ends_with("2.0.region.bin"));
    EXPECT_EQ(report->no_chunks, 1U);
    EXPECT_EQ(report->partly_overwritten, 0U);
    std::uint64_t segments = 0;
    std::uint64_t unused = 0;
    find_orphans(*world.open()->region_files(), std::array{RegionPos{0, 0}, RegionPos{1, 0}}, 1, progress,
                 [&](Result<RegionOrphans>&& found) {
                     segments += found->segments;
                     unused += found->unused_segments;
                 });
    EXPECT_EQ(report->segments, segments);
    EXPECT_EQ(report->unused_segments, unused);
    EXPECT_GT(unused, 0U);
    EXPECT_LT(unused, segments);
}

TEST(Undelete, OnlyRegionFilesKeepOlderCopies) {
    const test::TemporaryFolder folder;
    auto rocks = storage::open_rocksdb_store(folder / "db", {.write = true, .create = true});
    if (!rocks && rocks.error().code == Errc::unsupported) return;
    ASSERT_TRUE((*rocks)->write({1, 0}, version_document({.seed = 1})));
    rocks->reset();
    const auto world = world::find_location(folder / "db").value().worlds.at(0);
    const auto listed = open_region_files(world);
    ASSERT_FALSE(listed);
    EXPECT_EQ(listed.error().code, Errc::usage);
    EXPECT_EQ(listed.error().problem.find("only region files keep older copies of chunks; this world is in "),
              0U);
    const auto done = undelete(world, {}, {.verb = "undelete"});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::unsupported);
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
