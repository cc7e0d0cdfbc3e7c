#pragma once

#include <functional>
#include <optional>
#include <string>

/// A benchmark here is a row: one figure, its goal and which way is better. Most figures are ratios of two
/// loops that run in turn in the same process, so that they mean the same on every machine.
namespace orbis::bench {

enum class Better { lower, higher };

struct Row {
    std::string name;
    std::string unit;           ///< `×` for a ratio
    std::optional<double> goal; ///< none where it would mean nothing, such as a time on made data
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

/// Whether rows shall only show that they run: each does as little as it can, and its figure means nothing.
bool is_quick();

/// How much of something a row does.
template <typename Amount>
Amount amount(Amount usual, Amount quick) {
    return is_quick() ? quick : usual;
}

/// Each file of rows has one of these.
struct Registration {
    explicit Registration(void (*add_rows)());
};

struct RunOptions {
    std::string filter; ///< a regular expression for the names of rows
    bool json = false;
    bool quick = false;
};

/// Called by main: measures what matches the filter and prints a table, or a JSON object per row. An exit
/// code: 1 where a row could not be measured.
int run(const RunOptions& options);

} // namespace orbis::bench
