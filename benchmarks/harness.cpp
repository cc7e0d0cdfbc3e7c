#include "harness.hpp"

#include "bench_world.hpp"
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

bool g_quick = false; // NOLINT: set before any row is made

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
    auto* const made = benchmark::RegisterBenchmark(name.c_str(), [&pass](benchmark::State& state) {
        for (auto _ : state) pass();
    });
    made->UseRealTime()->ReportAggregatesOnly(false);
    if (is_quick())
        made->Iterations(1);
    else
        made->MinTime(k_least_seconds)->Repetitions(k_repetitions);
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
    json.object().member("row", row.name).member("ratio", figure);
    if (row.goal)
        json.member("goal", *row.goal);
    else
        json.key("goal").null();
    json.member("better", row.better == Better::lower ? "lower" : "higher").member("unit", row.unit);
    if (is_quick()) json.member("quick", true);
    json.end();
    fmt::print("{}\n", json.text());
}

std::string verdict(const Row& row, double figure) {
    if (is_quick()) return "not measured, only tried";
    if (!row.goal) return "no goal";
    const bool is_lower = row.better == Better::lower;
    const bool is_reached = is_lower ? figure <= *row.goal : figure >= *row.goal;
    return fmt::format("{} {:<8g} {}", is_lower ? "≤" : "≥", *row.goal, is_reached ? "reached" : "MISSED");
}

void print_line(const Row& row, double figure) {
    fmt::print("{:<64} {:>9.3f} {:<24} {}\n", row.name, figure, row.unit, verdict(row, figure));
}

/// False where the row could not be measured.
bool measure(const Entry& entry, bool json) {
    try {
        const auto figure = figure_of(entry);
        json ? print_json(entry.row, figure) : print_line(entry.row, figure);
        std::fflush(stdout);
        return true;
    } catch (const std::exception& failure) {
        fmt::print(stderr, "{}: failed, {}\n", entry.row.name, failure.what());
        return false;
    }
}

} // namespace

void add_ratio(Row row, Pass subject, Pass baseline) {
    entries().push_back({std::move(row), std::move(subject), std::move(baseline), {}, 0, 1, false});
}

void add_speedup(Row row, Pass subject, Pass baseline) {
    add_ratio(std::move(row), std::move(subject), std::move(baseline));
    entries().back().by_wall_clock = true;
}

void add_rate(Row row, double items, double scale, Pass pass) {
    entries().push_back({std::move(row), std::move(pass), {}, {}, items, scale, false});
}

void add_value(Row row, std::function<double()> measure) {
    entries().push_back({std::move(row), {}, {}, std::move(measure), 0, 1, false});
}

bool is_quick() { return g_quick; }

Registration::Registration(void (*add_rows)()) { registrations().push_back(add_rows); }

int run(const RunOptions& options) {
    g_quick = options.quick;
    for (auto* add_rows : registrations()) add_rows();
    std::ranges::stable_sort(entries(), {}, [](const Entry& entry) { return entry.row.name; });
    const std::regex wanted(options.filter);
    if (!options.json) fmt::print("{:<64} {:>9} {:<24} {}\n", "row", "figure", "unit", "goal");
    bool all = true;
    for (const auto& entry : entries())
        if (std::regex_search(entry.row.name, wanted)) all &= measure(entry, options.json);
    if (!options.json) fmt::print("{}\n", about_worlds());
    if (options.quick)
        fmt::print(stderr, "every row was tried as briefly as possible: the figures mean nothing\n");
    return all ? 0 : 1;
}

} // namespace orbis::bench
