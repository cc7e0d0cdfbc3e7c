#pragma once

#include "app/grouped_lines.hpp"

#include <mutex>
#include <vector>

namespace orbis::app {

/// What could not be read while a verb goes on with the rest: told after the answer, those of one kind
/// together and with their advice once. A file that was cut makes hundreds of them.
class ProblemLines {
public:
    explicit ProblemLines(Console& console) : console_(console) {}

    /// Any thread.
    void add(const Error& problem);
    /// Prints what was added since the last time; whether there was anything.
    bool print();

private:
    Console& console_;
    std::mutex mutex_;
    GroupedLines lines_{false};
    std::vector<Error> first_; ///< for JSON
    std::uint64_t count_ = 0;
};

} // namespace orbis::app
