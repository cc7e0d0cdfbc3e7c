#include "harness.hpp"

#include "bytes/json_writer.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <regex>
#include <vector>

namespace orbis::bench {

namespace {

constexpr int k_repetitions = 9;
constexpr double k_least_seconds = 0.15;

struct Entry {
    Row row;
    Pass subject;
    Pass baseline;
    std::function<double()> value; ///< of rows that are not ratios
    double items = 0;
    double scale = 1;
    std::string skipped;
    bool by_wall_clock = false;
};

std::vector<void (*)()>& registrations() {
    static std::vector<void (*)()> all;
    return all;
}

std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}

/// Collects the best time of each benchmark; prints nothing.
class Best final : public benchmark::BenchmarkReporter {
public:
    explicit Best(bool by_wall_clock) : by_wall_clock_(by_wall_clock) {}
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const auto& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            const auto total = by_wall_clock_ ? run.real_accumulated_time : run.cpu_accumulated_time;
            const auto seconds = total / static_cast<double>(run.iterations);
            const auto [at, fresh] = seconds_.try_emplace(run.run_name.function_name, seconds);
            if (!fresh) at->second = std::min(at->second, seconds);
        }
    }
    [[nodiscard]] double of(const std::string& name) const { return seconds_.at(name); }

private:
    bool by_wall_clock_;
    std::map<std::string, double> seconds_;
};

void enlist(const std::string& name, const Pass& pass) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&pass](benchmark::State& state) {
                                     for (auto _ : state) pass();
                                 })
        ->UseRealTime()
        ->MinTime(k_least_seconds)
        ->Repetitions(k_repetitions)
        ->ReportAggregatesOnly(false);
}

double figure_of(const Entry& entry) {
    if (entry.value) return entry.value();
    benchmark::ClearRegisteredBenchmarks();
    enlist("subject", entry.subject);
    if (entry.baseline) enlist("baseline", entry.baseline);
    Best best(entry.by_wall_clock);
    benchmark::RunSpecifiedBenchmarks(&best);
    const auto subject = best.of("subject");
    if (!entry.baseline) return entry.items / subject / entry.scale;
    const auto baseline = best.of("baseline");
    return entry.row.better == Better::lower ? subject / baseline : baseline / subject;
}

void print_json(const Row& row, double figure) {
    JsonWriter json;
    json.object()
        .member("row", row.name)
        .member("ratio", figure)
        .member("goal", row.goal)
        .member("better", row.better == Better::lower ? "lower" : "higher")
        .member("unit", row.unit)
        .end();
    fmt::print("{}\n", json.text());
}

void print_line(const Row& row, double figure) {
    const bool reached = row.better == Better::lower ? figure <= row.goal : figure >= row.goal;
    fmt::print("{:<58} {:>9.3f} {:<8} {} {:<8g} {}\n", row.name, figure, row.unit,
               row.better == Better::lower ? "≤" : "≥", row.goal, reached ? "reached" : "MISSED");
}

} // namespace

void add_ratio(Row row, Pass subject, Pass baseline) {
    entries().push_back({std::move(row), std::move(subject), std::move(baseline), {}, 0, 1, {}, false});
}

void add_speedup(Row row, Pass subject, Pass baseline) {
    add_ratio(std::move(row), std::move(subject), std::move(baseline));
    entries().back().by_wall_clock = true;
}

void add_rate(Row row, double items, double scale, Pass pass) {
    entries().push_back({std::move(row), std::move(pass), {}, {}, items, scale, {}, false});
}

void add_value(Row row, std::function<double()> measure) {
    entries().push_back({std::move(row), {}, {}, std::move(measure), 0, 1, {}, false});
}

void skip(Row row, std::string reason) {
    entries().push_back({std::move(row), {}, {}, {}, 0, 1, std::move(reason), false});
}

Registration::Registration(void (*add_rows)()) { registrations().push_back(add_rows); }

int run(const std::string& filter, bool json) {
    for (auto* add_rows : registrations()) add_rows();
    std::sort(entries().begin(), entries().end(),
              [](const auto& a, const auto& b) { return a.row.name < b.row.name; });
    const std::regex wanted(filter);
    if (!json) fmt::print("{:<58} {:>9} {:<8}   {:<8}\n", "row", "figure", "unit", "goal");
    for (const auto& entry : entries()) {
        if (!std::regex_search(entry.row.name, wanted)) continue;
        if (!entry.skipped.empty()) {
            fmt::print(stderr, "{}: skipped, {}\n", entry.row.name, entry.skipped);
            continue;
        }
        const auto figure = figure_of(entry);
        if (json)
            print_json(entry.row, figure);
        else
            print_line(entry.row, figure);
        std::fflush(stdout);
    }
    return 0;
}

} // namespace orbis::bench
