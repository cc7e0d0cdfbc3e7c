#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/verify/check_chunk.hpp"
#include "jobs/verify/finding.hpp"
#include "jobs/verify/neighbours.hpp"
#include "jobs/verify/verify.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace orbis::jobs {
namespace {

using namespace test_worlds;

RC_GTEST_PROP(CheckFluids, LevelsFitOnlyWhereEveryCellAgrees, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    constexpr std::array<const char*, 4> keys{"Empty", "Water_Source", "Water", "Lava"};
    std::vector<std::string> fluids;
    std::vector<int> levels;
    while (fluids.size() < k_cells) {
        const auto kind = random() % keys.size();
        for (auto run = 1 + random() % 200; run > 0 && fluids.size() < k_cells; --run) {
            fluids.emplace_back(keys[kind]);
            levels.push_back(kind == 0 ? 0 : 1 + static_cast<int>(random() % 15));
        }
    }
    const auto fit = [&] {
        const auto stored = test::fluid_image(fluids, levels);
        chunk::Section section;
        Error problem;
        RC_ASSERT(section.read_fluid(stored, problem));
        return levels_fit(section.fluids, section.levels);
    };
    RC_ASSERT(fit());
    for (int i = 0; i < 3; ++i) {
        const auto cell = random() % k_cells;
        const auto right = levels[cell];
        levels[cell] = right == 0 ? 1 + static_cast<int>(random() % 15) : 0;
        RC_ASSERT(!fit());
        levels[cell] = right;
    }
}

TEST(Findings, EachCodeHasItsSeverity) {
    const std::map<Severity, std::set<std::string_view>> expected{
        {Severity::damage, {"container.header",   "container.short",        "container.entry-outside",
                            "container.lengths",  "container.cut-off",      "container.overlap",
                            "container.folder",   "container.lost-entries", "config.missing",
                            "component.misspelt", "chunk.missing",          "file.missing",
                            "store.unreadable",   "frame.broken",           "frame.size",
                            "document.bson",      "document.empty",         "document.no-components",
                            "component.missing",  "component.unreadable",   "component.too-new",
                            "section.surplus",    "config.unreadable",      "config.too-new",
                            "player.unreadable",  "player.too-new",         "resource.unreadable"}},
        {Severity::wrong,
         {"container.extra-entry",
          "store.log-cut",
          "component.twice",
          "palette.count",
          "palette.id",
          "rotation.range",
          "fluid.level",
          "filler.dangling",
          "height.wrong",
          "column.key",
          "environment.runs",
          "entity.outside",
          "chunk.misplaced",
          "block-component.place",
          "block-component.host",
          "health.outside",
          "config.backup-used",
          "config.storage",
          "player.backup-used",
          "world.unfinished"}},
        {Severity::note,
         {"container.shape", "container.version-0", "container.orphans", "container.stray-file",
          "frame.no-size", "ticking.count", "ticking.empty", "light.stale", "fluid.unknown", "block.unknown",
          "filler.lost", "chunk.fewer", "entity.no-position", "player.world"}}};
    for (const auto& [severity, names] : expected)
        for (const auto& wanted : names) {
            const auto found = std::ranges::find(all_codes(), wanted, &CodeInfo::name);
            ASSERT_NE(found, all_codes().end()) << wanted;
            EXPECT_EQ(name(found->severity), name(severity)) << wanted;
        }
    EXPECT_EQ(name(Severity::damage), "damage");
    EXPECT_EQ(name(Severity::wrong), "wrong");
    EXPECT_EQ(name(Severity::note), "note");
}

TEST(Neighbours, AreThereOrAbsentOrUnknown) {
    const test::TemporaryFolder folder;
    const Buffer noise(100, 0xEE);
    const auto world = make_world(folder / "w", {with_block(1), noise, damaged_document()});
    const auto store = world.open({}).value();
    Neighbours neighbours(*store);
    using BlockKind = NeighbourBlock::Kind;
    const auto kind = [&](int x, int y) { return neighbours.block({x, y, 0}).kind; };
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(kind(1, 32), BlockKind::there);
        EXPECT_EQ(neighbours.block({1, 32, 0}).block.key, "Rock_Marble");
        EXPECT_EQ(neighbours.block({0, 32, 0}).block.key, "Soil_Grass");
        EXPECT_EQ(kind(32, 0), BlockKind::unknown) << "it is there and cannot be read";
        EXPECT_EQ(kind(64, 31), BlockKind::unknown) << "its section is damaged";
        EXPECT_EQ(kind(64, 32), BlockKind::there);
        EXPECT_EQ(kind(-1, 0), BlockKind::absent);
        // More chunks than are kept at once.
        for (int x = 3; x < 40; ++x) EXPECT_EQ(kind(x * 32, 0), BlockKind::absent);
    }
}

TEST(Verification, CountsTheChunksOfEachWorldForItself) {
    const test::TemporaryFolder folder;
    make_world(folder / "u/worlds/a", {with_block(1), with_block(2)});
    make_world(folder / "u/worlds/b", {with_block(1)});
    put(folder / "u/worlds/a/chunks/7.0.region.bin",
        test::region_v1_image({{0, test::compressed_blob(with_block(3))}}));
    put(folder / "u/worlds/b/chunks/8.0.region.bin", as_bytes("noise"));
    put(folder / "u/memories.json", as_bytes("{"));
    NoProgress quiet;
    std::vector<std::string> files;
    const auto report = verify(
        world::find_location(folder / "u").value(), world::Assets::built_in(), {.quick = true, .threads = 1},
        [&](const Finding& finding) {
            if (finding.code == Code::resource_unreadable) files.push_back(finding.file);
        },
        quiet);
    EXPECT_EQ(files, std::vector<std::string>{(folder / "u/memories.json").string()});
    ASSERT_EQ(report.counted.size(), 2U);
    EXPECT_EQ(report.counted[0].regions, (RegionCounts{{{0, 0}, 2}, {{7, 0}, 1}}));
    EXPECT_TRUE(report.counted[0].unreadable.empty());
    EXPECT_EQ(report.counted[1].regions, (RegionCounts{{{0, 0}, 1}}));
    EXPECT_EQ(report.counted[1].unreadable, (RegionCounts{{{8, 0}, 0}}));
    EXPECT_EQ(report.chunks, 4U);
    EXPECT_EQ(report.files, 4U);
}

} // namespace
} // namespace orbis::jobs
