#include "jobs/verify/check_chunk.hpp"
#include "jobs/verify/finding.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace orbis::jobs {
namespace {

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

} // namespace
} // namespace orbis::jobs
