#include "game/bot/crowd_report.hpp"

#include <gtest/gtest.h>

namespace orbis::game {
namespace {

/// Each number is another, so that one in the place of another shows.
CrowdReport made_report() {
    CrowdReport report;
    report.bots = 12;
    report.joined = 11;
    report.seconds = 4;
    report.join.sorted = {1, 2, 3, 4};
    report.first_chunk.sorted = {5};
    report.last_chunk.sorted = {6, 60};
    report.ping.sorted = {7};
    report.edit.sorted = {8};
    report.chunks = 100;
    report.unloaded = 13;
    report.best_chunks_per_second = 77;
    report.bytes = 2000;
    report.packets = 14;
    report.best_bytes_per_second = 888;
    report.moves = 15;
    report.teleports = 16;
    report.chats = 17;
    report.edits = 18;
    report.edits_confirmed = 19;
    report.edits_refused = 20;
    report.referrals = 21;
    report.bad_packets = 22;
    report.expectations = 5;
    report.errors = {{"it broke", 23}};
    report.unmet = {{"line 3", "too late"}};
    return report;
}

TEST(CrowdReport, EachNumberStandsInItsLine) {
    using Lines = std::vector<std::string>;
    EXPECT_EQ(made_report().lines(),
              (Lines{"11 of 12 bots joined, 4.0 s",
                     "  time to join          p50 2.0 ms, p90 4.0 ms, p99 4.0 ms, longest 4.0 ms (4)",
                     "  time to first chunk   p50 5.0 ms, p90 5.0 ms, p99 5.0 ms, longest 5.0 ms (1)",
                     "  time to last chunk    p50 6.0 ms, p90 60.0 ms, p99 60.0 ms, longest 60.0 ms (2)",
                     "  ping                  p50 7.0 ms, p90 7.0 ms, p99 7.0 ms, longest 7.0 ms (1)",
                     "  edit seen after       p50 8.0 ms, p90 8.0 ms, p99 8.0 ms, longest 8.0 ms (1)",
                     "  chunks                100 (25.0 per second, 77 in the best second), 13 unloaded",
                     "  bytes                 2000 (500 per second, 888 in the best second) in 14 packets",
                     "  others                15 moves, 16 teleports, 17 chat messages heard, 21 referrals",
                     "  edits                 18 sent, 19 confirmed, 20 refused",
                     "  expectations          4 of 5 met", "  errors                23: it broke",
                     "  not met: line 3: too late"}));
    EXPECT_EQ(CrowdReport().lines()[1], "  time to join          -");
}

TEST(CrowdReport, EachNumberStandsAtItsKey) {
    JsonWriter json;
    made_report().write(json);
    EXPECT_EQ(
        json.text(),
        R"({"bots":12,"joined":11,"seconds":4.000,)"
        R"("time_to_join":{"count":4,"p50_ms":2.000,"p90_ms":4.000,"p99_ms":4.000,"longest_ms":4.000},)"
        R"("time_to_first_chunk":{"count":1,"p50_ms":5.000,"p90_ms":5.000,"p99_ms":5.000,"longest_ms":5.000},)"
        R"("time_to_last_chunk":{"count":2,"p50_ms":6.000,"p90_ms":60.000,"p99_ms":60.000,"longest_ms":60.000},)"
        R"("ping":{"count":1,"p50_ms":7.000,"p90_ms":7.000,"p99_ms":7.000,"longest_ms":7.000},)"
        R"("edit":{"count":1,"p50_ms":8.000,"p90_ms":8.000,"p99_ms":8.000,"longest_ms":8.000},)"
        R"("chunks":100,"chunks_unloaded":13,"chunks_per_second":25.000,"best_chunks_per_second":77,)"
        R"("bytes":2000,"packets":14,"bytes_per_second":500,"best_bytes_per_second":888,)"
        R"("moves":15,"teleports":16,"chats":17,"edits":18,"edits_confirmed":19,"edits_refused":20,)"
        R"("referrals":21,"bad_packets":22,"errors":[{"error":"it broke","count":23}],)"
        R"("expectations":5,"unmet":[{"place":"line 3","text":"too late"}]})");
}

TEST(Summary, APercentileIsTheLowestThatSoManyDoNotExceed) {
    Summary hundred;
    for (int i = 100; i >= 1; --i) hundred.sorted.push_back(i);
    hundred.sort();
    for (const int percent : {1, 50, 90, 99, 100}) EXPECT_EQ(hundred.percentile(percent), percent);
    EXPECT_EQ(hundred.percentile(0), 1);
    EXPECT_EQ(hundred.percentile(50.5), 51);
    EXPECT_EQ(Summary().percentile(50), 0);
}

} // namespace
} // namespace orbis::game
