#pragma once

#include <functional>
#include <string>

/// A benchmark here is a row: one figure, its goal and which way is better. Most figures are ratios of two
/// loops that run in turn in the same process, so that they mean the same on every machine.
namespace orbis::bench {

enum class Better { lower, higher };

struct Row {
    std::string name;
    std::string unit; ///< `×` for a ratio
    double goal = 0;
    Better better = Better::lower;
};

/// One pass over the data; called again and again. What it computes must reach the outside, or the compiler
/// removes it: use benchmark::DoNotOptimize.
using Pass = std::function<void()>;

/// The row's figure is time of `subject` divided by time of `baseline` (lower is better), or the inverse: how
/// many times faster the subject is (higher is better). Each is measured several times, interleaved; the
/// best of each counts. Processor time, of passes that use one thread.
void add_ratio(Row row, Pass subject, Pass baseline);

/// The same by the clock on the wall, for passes that use several threads. Needs a machine that is idle.
void add_speedup(Row row, Pass subject, Pass baseline);

/// The row's figure is how often per second `pass` does its `items`, in units of `scale`.
void add_rate(Row row, double items, double scale, Pass pass);

/// The row's figure is what the function says.
void add_value(Row row, std::function<double()> measure);

/// A row that cannot be measured here, and why.
void skip(Row row, std::string reason);

/// Each file of rows has one of these.
struct Registration {
    explicit Registration(void (*add_rows)());
};

/// Called by main: measures what matches `filter` and prints a table, or a JSON object per row.
int run(const std::string& filter, bool json);

} // namespace orbis::bench
