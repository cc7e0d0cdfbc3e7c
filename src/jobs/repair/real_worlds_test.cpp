#include "jobs/repair/repair.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::jobs {
namespace {

/// What a repair does to worlds that the game loads must be certain (docs/repair.md).
TEST(RepairOfRealWorlds, ChangesOnlyWhatIsCertain) {
    const auto shared = test::shared_folder();
    if (!shared) GTEST_SKIP() << "no real worlds here";
    NoProgress quiet;
    for (const auto& entry : std::filesystem::directory_iterator(*shared / "worlds")) {
        if (!std::filesystem::is_directory(entry.path() / "chunks")) continue;
        const auto name = entry.path().filename().string();
        const auto location = world::find_location(entry.path()).value();
        // Some came without one, and it is said that it is missing.
        const std::uint64_t lacks_config = std::filesystem::exists(entry.path() / "config.json") ? 0 : 1;
        const auto is_missing_config = [](const RepairStep& step) {
            return step.outcome == RepairStep::Outcome::left && step.file.ends_with("/config.json");
        };
        RepairOptions options;
        options.dry_run = true;
        options.threads = 2;
        const auto report = repair(
            location, world::Assets::built_in(), options,
            [&](const RepairStep& step) {
                const bool fillers = step.part == "fillers";
                const bool light = step.text.starts_with("removed outdated light");
                // One writer put 79 everywhere; one chunk was saved before its heights were.
                const bool heights =
                    step.part == "BlockChunk" && (name == "foreign-writer" || name == "old-v6");
                EXPECT_TRUE(fillers || light || heights || is_missing_config(step)) << to_text(step);
            },
            quiet);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->left, lacks_config) << name;
        EXPECT_EQ(report->chunks_removed + report->chunks_restored + report->files, 0U) << name;
        options.damage_only = true;
        const auto damage = repair(
            location, world::Assets::built_in(), options,
            [&](const RepairStep& step) { EXPECT_TRUE(is_missing_config(step)) << to_text(step); }, quiet);
        ASSERT_TRUE(damage);
        EXPECT_EQ(damage->chunks_repaired, 0U) << name;
    }
}

} // namespace
} // namespace orbis::jobs
