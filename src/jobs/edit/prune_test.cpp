#include "jobs/compare/diff_worlds.hpp"
#include "jobs/edit/compact.hpp"
#include "jobs/edit/prune.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"

namespace orbis::jobs {
namespace {

using namespace test_worlds;

PruneOptions keeping(std::string_view selection) {
    PruneOptions options;
    options.keep = Selection::parse(selection).value();
    options.threads = 2;
    return options;
}

class PruneTest : public testing::Test {
protected:
    /// Eight chunks in a row that are not chunks at all: who decodes one fails.
    PruneTest() {
        std::vector<Buffer> chunks;
        for (std::uint8_t i = 0; i < 8; ++i) chunks.push_back(Buffer{1, 2, 3, i});
        world_ = make_world(folder_ / "universe" / "worlds" / "w", chunks);
        std::filesystem::copy(folder_ / "universe", folder_ / "copy",
                              std::filesystem::copy_options::recursive);
    }

    Result<PrunePlan> plan(const PruneOptions& options) {
        NoProgress quiet;
        const auto store = world_.open({}).value();
        return plan_prune(world_, *store, options, quiet);
    }
    std::vector<int> run(const PruneOptions& options) {
        NoProgress quiet;
        const auto made = plan(options);
        EXPECT_TRUE(made) << made.error().text();
        const auto report = prune(world_, *made, options, quiet);
        EXPECT_TRUE(report && report->problems.empty());
        return left();
    }
    /// The x of the chunks that are there.
    [[nodiscard]] std::vector<int> left() const {
        std::vector<int> out;
        const auto store = world_.open({}).value();
        const auto cursor = store->chunks();
        for (auto next = cursor->next(); next && *next; next = cursor->next()) out.push_back((**next).x);
        return out;
    }
    using Ints = std::vector<int>;

    test::TemporaryFolder folder_;
    world::World world_;
};

TEST_F(PruneTest, WhatIsNotKeptGoesAndNothingIsDecoded) {
    const auto made = plan(keeping("chunks:2,0..4,0"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->kept, 3U);
    EXPECT_EQ(made->removed.size(), 5U);
    EXPECT_TRUE(made->problems.empty());
    EXPECT_TRUE(made->removes({7, 0}));
    EXPECT_FALSE(made->removes({3, 0}));
    EXPECT_TRUE(std::ranges::equal(made->cut, std::vector<ChunkPos>{{2, 0}, {4, 0}}));
    EXPECT_EQ(left().size(), 8U) << "a plan changes nothing";
    EXPECT_EQ(run(keeping("chunks:2,0..4,0")), (Ints{2, 3, 4}));
}

TEST_F(PruneTest, RemoveTakesOnlyWhatItNamesAndKeepWins) {
    PruneOptions options;
    options.remove = Selection::parse("chunks:0,0..5,0").value();
    options.keep = Selection::parse("3,0").value();
    EXPECT_EQ(run(options), (Ints{3, 6, 7}));
}

TEST_F(PruneTest, AWholeWorldGoesOnlyWhenThatIsSaid) {
    auto options = keeping("100,100");
    ASSERT_FALSE(plan(options));
    EXPECT_EQ(plan(options).error().code, Errc::usage);
    EXPECT_EQ(plan(PruneOptions()).error().code, Errc::usage);
    options.all = true;
    EXPECT_EQ(run(options), Ints());
}

TEST_F(PruneTest, WhatCannotBeJudgedStays) {
    const auto made = plan(keeping("containers"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->kept, 8U);
    EXPECT_EQ(made->unreadable.size(), 8U);
    EXPECT_EQ(made->problems.size(), 8U);
    PruneOptions options;
    options.remove = Selection::parse("!containers").value();
    EXPECT_EQ(plan(options)->removed.size(), 0U);
}

TEST_F(PruneTest, PlayersThatNobodyCanFindStopIt) {
    put(folder_ / "universe" / "players" / "1.json", as_bytes("{"));
    world_ = world::find_location(folder_ / "universe")->worlds.at(0);
    for (const auto* text : {"players~100 0,0", "inhabited 0,0", "spawn~100 0,0"}) {
        const auto made = plan(keeping(text));
        ASSERT_FALSE(made) << text;
        EXPECT_FALSE(made.error().advice.empty());
        PruneOptions options;
        options.remove = Selection::parse(std::string(text) + " 1,0").value();
        EXPECT_FALSE(plan(options)) << "removing " << text;
    }
}

TEST_F(PruneTest, TheBytesItNamesAreThoseThatCompactingGivesBack) {
    NoProgress quiet;
    const auto size = [&] {
        return std::filesystem::file_size(folder_ / "universe" / "worlds" / "w" / "chunks"
                                          / "0.0.region.bin");
    };
    ASSERT_TRUE(compact(world_, {}, quiet));
    const auto before = size();
    const auto made = plan(keeping("2,0"));
    ASSERT_TRUE(made);
    ASSERT_TRUE(prune(world_, *made, keeping("2,0"), quiet));
    EXPECT_EQ(size(), before) << "the file keeps its size until it is compacted";
    ASSERT_TRUE(compact(world_, {}, quiet));
    EXPECT_NEAR(static_cast<double>(before - size()), static_cast<double>(made->segment_bytes), 4096);
}

TEST_F(PruneTest, UndoBringsEverythingBackAlsoAfterCompacting) {
    NoProgress quiet;
    run(keeping("2,0"));
    ASSERT_TRUE(compact(world_, {.drops_lost = true, .keeps_undo = false}, quiet));
    std::vector<Error> problems;
    const auto location = world::find_location(folder_ / "universe").value();
    const auto changes = past_changes(location, problems);
    ASSERT_TRUE(changes && changes->size() == 1);
    ASSERT_TRUE(undo_change(changes->front(), {}, quiet));
    const auto original = world::find_location(folder_ / "copy").value().worlds.at(0).open({}).value();
    const auto now = world_.open({}).value();
    const auto sums = diff_worlds({.before = *original,
                                   .after = *now,
                                   .options = {},
                                   .threads = 1,
                                   .wanted = {},
                                   .on_chunk = {},
                                   .on_error = {}},
                                  quiet);
    EXPECT_TRUE(sums.is_equal());
    EXPECT_EQ(sums.equal, 8U);
}

TEST_F(PruneTest, DamagedEntriesAndRegionsStopNothing) {
    const auto file = folder_ / "universe" / "worlds" / "w" / "chunks" / "0.0.region.bin";
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(32 + 4 * 5); // the entry of chunk 5,0 leads nowhere
    out.write("\x7F\x00\x00\x01", 4);
    out.close();
    put(file.parent_path() / "4.4.region.bin", Bytes());
    const auto made = plan(keeping("0,0"));
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->problems.size(), 1U) << "the region that cannot be read";
    EXPECT_EQ(run(keeping("0,0")), (Ints{0}));
}

TEST_F(PruneTest, OldAndNewTerrainMeetOnFourSidesAndNotAroundTheWorld) {
    const auto chunks = folder_ / "universe" / "worlds" / "w" / "chunks";
    test::RegionContent content;
    for (const int z : {0, 1, 2})
        for (const int x : {0, 1, 2}) content[z * 32 + x] = {{1, 2, 3}, 3};
    put(chunks / "0.0.region.bin", test::region_v1_image(content));
    PruneOptions options;
    options.remove = Selection::parse("1,1").value();
    const auto made = plan(options);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(
        std::ranges::equal(made->cut, ChunkSet(std::vector<ChunkPos>{{1, 0}, {0, 1}, {2, 1}, {1, 2}})));
    // The first and the last chunk that there can be are not neighbours.
    put(chunks / "67108863.0.region.bin", test::region_v1_image({{31, {{1}, 1}}}));
    put(chunks / "-67108864.0.region.bin", test::region_v1_image({{0, {{1}, 1}}}));
    options.remove = Selection::parse("-2147483648,0").value();
    const auto far = plan(options);
    ASSERT_TRUE(far) << far.error().text();
    EXPECT_EQ(far->removed.size(), 1U);
    EXPECT_EQ(far->cut.size(), 0U);
}

TEST_F(PruneTest, ItNamesTheBytesOfTheFramesAndOfTheirSegments) {
    put(folder_ / "universe" / "worlds" / "w" / "chunks" / "0.0.region.bin",
        test::region_v1_image({{0, {Buffer(100), 1}},
                               {1, {Buffer(4088), 1}}, // one segment with its lengths
                               {2, {Buffer(4089), 1}},
                               {3, {Buffer(20000), 1}}}));
    const auto made = plan(keeping("0,0"));
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->frame_bytes, 4088U + 4089U + 20000U);
    EXPECT_EQ(made->segment_bytes, (1U + 2U + 5U) * 4096U);
}

TEST_F(PruneTest, ARegionThatCannotBeReadIsToldOnce) {
    put(folder_ / "universe" / "worlds" / "w" / "chunks" / "4.4.region.bin", Bytes());
    const auto made = plan(keeping("containers"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->problems.size(), 8U + 1U);
}

TEST_F(PruneTest, ARegionThatCannotBeWrittenStopsNothingElse) {
    const auto chunks = folder_ / "universe" / "worlds" / "w" / "chunks";
    auto old = test::region_v0_image({{0, {{1}, 1}}, {1, {{1}, 1}}, {2, {{1}, 1}}});
    for (std::size_t i = 0; i < 4; ++i) old[32 + 2 * 4 + i] = i == 0 ? 0x7F : 0xFF; // leads nowhere
    put(chunks / "0.0.region.bin", old);
    put(chunks / "1.0.region.bin", test::region_v1_image({{0, {{1}, 1}}, {1, {{1}, 1}}}));
    PruneOptions options;
    options.remove = Selection::parse("chunks:0,0..1,0 32,0").value();
    const auto made = plan(options);
    ASSERT_TRUE(made) << made.error().text();
    NoProgress quiet;
    const auto report = prune(world_, *made, options, quiet);
    ASSERT_TRUE(report) << report.error().text();
    ASSERT_EQ(report->problems.size(), 2U);
    EXPECT_EQ(report->change.chunks_removed, 1U);
    EXPECT_EQ(left(), (Ints{0, 1, 2, 33}));
}

} // namespace
} // namespace orbis::jobs
