#include "bytes/recent_map.hpp"
#include "game/serve/histogram.hpp"
#include "game/serve/metrics_text.hpp"

#include <gtest/gtest.h>

#include <array>

namespace orbis::game {
namespace {

TEST(MetricsText, SamplesOfOneFamilyHaveOneHead) {
    MetricsText metrics;
    metrics.gauge("orbis_players", "Players in a world.", 3, {{"world", "default"}});
    metrics.gauge("orbis_players", "Players in a world.", 0, {{"world", "mine"}});
    metrics.counter("orbis_chunks_encoded_total", "Chunks that were made.", 12345678);
    EXPECT_EQ(metrics.text(), "# HELP orbis_players Players in a world.\n"
                              "# TYPE orbis_players gauge\n"
                              "orbis_players{world=\"default\"} 3\n"
                              "orbis_players{world=\"mine\"} 0\n"
                              "# HELP orbis_chunks_encoded_total Chunks that were made.\n"
                              "# TYPE orbis_chunks_encoded_total counter\n"
                              "orbis_chunks_encoded_total 12345678\n");
}

TEST(MetricsText, NamesThatPlayersChooseCannotBreakALine) {
    MetricsText metrics;
    metrics.gauge("a", "b", 1, {{"name", "x\"}\n\\"}});
    EXPECT_EQ(metrics.text(), "# HELP a b\n# TYPE a gauge\na{name=\"x\\\"}\\n\\\\\"} 1\n");
}

TEST(MetricsText, BucketsAddUp) {
    MetricsText metrics;
    const std::array<MetricsText::Bucket, 2> buckets = {{{0.001, 5}, {0.033, 2}}};
    metrics.histogram("tick_seconds", "How long ticks took.", buckets, 1, 0.125);
    EXPECT_EQ(metrics.text(), "# HELP tick_seconds How long ticks took.\n"
                              "# TYPE tick_seconds histogram\n"
                              "tick_seconds_bucket{le=\"0.001\"} 5\n"
                              "tick_seconds_bucket{le=\"0.033\"} 7\n"
                              "tick_seconds_bucket{le=\"+Inf\"} 8\n"
                              "tick_seconds_sum 0.125\n"
                              "tick_seconds_count 8\n");
}

TEST(Histogram, ABoundBelongsToItsOwnBucket) {
    Histogram times;
    for (const auto bound : Histogram::k_bounds) {
        times.add(bound);
        times.add(bound + net::Duration(1));
    }
    EXPECT_EQ(times.counts().front(), 1U);
    for (std::size_t i = 1; i < Histogram::k_bounds.size(); ++i) EXPECT_EQ(times.counts()[i], 2U) << i;
    EXPECT_EQ(times.counts().back(), 1U);
    EXPECT_EQ(times.count(), 24U);
    EXPECT_EQ(times.bound_of(0), Histogram::k_bounds[0]);
    EXPECT_EQ(times.bound_of(23.0 / 24), Histogram::k_bounds.back());
    EXPECT_EQ(times.bound_of(1), net::Duration::max()) << "one is longer than all bounds";
    Histogram one;
    one.add(std::chrono::milliseconds(4));
    EXPECT_EQ(one.bound_of(0.5), std::chrono::milliseconds(5));
    EXPECT_EQ(one.sum(), std::chrono::milliseconds(4));
}

} // namespace
} // namespace orbis::game
