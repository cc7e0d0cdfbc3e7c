#include "jobs/snapshot/thin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace orbis::jobs::snapshot {
namespace {

constexpr std::int64_t k_hour = 3600;
constexpr std::int64_t k_monday = 1'763'337'600; ///< 17 November 2025, 00:00 UTC

Snapshot at(std::int64_t time, std::string source = "a", std::string name = {}) {
    Snapshot snapshot;
    snapshot.id = id_of_time(time) + (source == "a" ? "" : "-" + source);
    snapshot.manifest.time = time;
    snapshot.manifest.source = std::move(source);
    snapshot.manifest.name = std::move(name);
    return snapshot;
}

std::set<std::string> kept(const std::vector<Snapshot>& all, std::string_view rule) {
    std::set<std::string> ids;
    for (const auto& snapshot : all) ids.insert(snapshot.id);
    for (const auto& id : to_be_thinned(all, KeepRule::parse(rule).value())) ids.erase(id);
    return ids;
}

TEST(Thin, KeepsTheNewestOfEachPeriod) {
    std::vector<Snapshot> all;
    for (int hour = 0; hour < 24 * 21; ++hour) all.push_back(at(k_monday + hour * k_hour + 60));
    EXPECT_EQ(kept(all, "hourly=3"), (std::set<std::string>{"2025-12-07T23-01-00Z", "2025-12-07T22-01-00Z",
                                                            "2025-12-07T21-01-00Z"}));
    EXPECT_EQ(kept(all, "daily=2"), (std::set<std::string>{"2025-12-07T23-01-00Z", "2025-12-06T23-01-00Z"}));
    EXPECT_EQ(kept(all, "weekly=5"), (std::set<std::string>{"2025-12-07T23-01-00Z", "2025-11-30T23-01-00Z",
                                                            "2025-11-23T23-01-00Z"}));
    EXPECT_EQ(kept(all, "monthly=2"),
              (std::set<std::string>{"2025-12-07T23-01-00Z", "2025-11-30T23-01-00Z"}));
    EXPECT_EQ(kept(all, "hourly=24,daily=7,weekly=8").size(), 24U + 6U + 2U);
    EXPECT_EQ(kept(all, "last=5").size(), 5U);
    EXPECT_EQ(kept(all, "last=0"), (std::set<std::string>{"2025-12-07T23-01-00Z"})) << "the newest stays";
}

TEST(Thin, HoursWithoutASnapshotDoNotCount) {
    std::vector<Snapshot> all;
    for (int i = 0; i < 5; ++i) all.push_back(at(k_monday + i * 100 * k_hour));
    EXPECT_EQ(kept(all, "hourly=4").size(), 4U);
}

TEST(Thin, NamesAreKeptAndSourcesDoNotCompete) {
    std::vector<Snapshot> all;
    for (int i = 0; i < 4; ++i) {
        all.push_back(at(k_monday + i, "a", i == 1 ? "before the update" : ""));
        all.push_back(at(k_monday + i, "b"));
    }
    EXPECT_EQ(kept(all, "last=1"), (std::set<std::string>{all[2].id, all[6].id, all[7].id}));
}

TEST(Thin, OfTheSameSecondTheLastIsKept) {
    std::vector<Snapshot> all(3, at(k_monday));
    all[1].id += "-2";
    all[2].id += "-3";
    EXPECT_EQ(kept(all, "last=1"), std::set<std::string>{all[2].id});
    std::ranges::reverse(all);
    EXPECT_EQ(kept(all, "hourly=1"), std::set<std::string>{all[0].id});
}

TEST(Thin, WhatIsNoRuleIsRefused) {
    for (const char* text :
         {"", "hourly", "hourly=", "hourly=x", "yearly=3", "daily=1,", "daily=-1", "daily=1 "})
        EXPECT_EQ(KeepRule::parse(text).error().code, Errc::usage) << text;
}

TEST(Thin, PeriodsBefore1970AreAsLongAsOthers) {
    std::vector<Snapshot> all{at(1), at(-1), at(-k_hour), at(-k_hour - 1)};
    EXPECT_EQ(kept(all, "hourly=2"), (std::set<std::string>{all[0].id, all[1].id}));
    EXPECT_EQ(kept(all, "hourly=3"), (std::set<std::string>{all[0].id, all[1].id, all[3].id}));
    EXPECT_EQ(kept(all, "daily=9"), (std::set<std::string>{all[0].id, all[1].id}));
}

TEST(Thin, ARuleHasANumberForEachPeriod) {
    const auto rule = KeepRule::parse("monthly=5,weekly=4,daily=3,hourly=2,last=1").value();
    EXPECT_EQ(rule.last, 1U);
    EXPECT_EQ(rule.hourly, 2U);
    EXPECT_EQ(rule.daily, 3U);
    EXPECT_EQ(rule.weekly, 4U);
    EXPECT_EQ(rule.monthly, 5U);
    EXPECT_EQ(KeepRule::parse("last=4294967295")->last, 4294967295U);
    EXPECT_EQ(KeepRule::parse("last=1,last=7")->last, 7U) << "the last one counts";
    for (const auto& [text, term] :
         {std::pair{"last=4294967296", "last=4294967296"}, std::pair{"daily=1,x", "x"},
          std::pair{"", "nothing"}, std::pair{"daily=1,", "nothing"}, std::pair{"=3", "=3"},
          std::pair{"last=+1", "last=+1"}}) {
        const auto refused = KeepRule::parse(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().problem,
                  fmt::format("not a list such as hourly=24,daily=7,weekly=8,monthly=12,last=3: {}", term));
    }
}

TEST(Thin, APeriodBeginsWithItsFirstSecond) {
    constexpr std::int64_t k_day = 24 * k_hour;
    constexpr std::int64_t k_new_year = 1'767'225'600; ///< 2026, a Thursday
    const auto both = [](std::int64_t before, std::int64_t after, std::string_view rule) {
        return kept({at(before), at(after)}, rule).size();
    };
    EXPECT_EQ(both(k_monday - 1, k_monday, "hourly=2"), 2U);
    EXPECT_EQ(both(k_monday, k_monday + k_hour - 1, "hourly=2"), 1U);
    EXPECT_EQ(both(k_monday - 1, k_monday, "daily=2"), 2U);
    EXPECT_EQ(both(k_monday, k_monday + k_day - 1, "daily=2"), 1U);
    EXPECT_EQ(both(k_monday - 1, k_monday, "weekly=2"), 2U) << "a week begins on Monday";
    EXPECT_EQ(both(k_monday, k_monday + 7 * k_day - 1, "weekly=2"), 1U);
    EXPECT_EQ(both(k_monday + 7 * k_day - 1, k_monday + 7 * k_day, "weekly=2"), 2U);
    EXPECT_EQ(both(k_new_year - 1, k_new_year, "monthly=2"), 2U);
    EXPECT_EQ(both(k_new_year, k_new_year + 31 * k_day - 1, "monthly=2"), 1U);
    EXPECT_EQ(both(k_new_year + 31 * k_day - 1, k_new_year + 31 * k_day, "monthly=2"), 2U);
    EXPECT_EQ(both(k_new_year - 365 * k_day, k_new_year, "monthly=2"), 2U)
        << "the same month of another year";
    EXPECT_EQ(both(k_monday, k_monday + k_day, "hourly=1,daily=0"), 1U);
    EXPECT_EQ(both(k_monday, k_monday + k_day, "last=2"), 2U);
    EXPECT_EQ(both(k_monday, k_monday + k_day, "last=1"), 1U);
}

} // namespace
} // namespace orbis::jobs::snapshot
