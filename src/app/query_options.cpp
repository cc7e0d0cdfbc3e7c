#include "app/query_options.hpp"

#include <memory>
#include <utility>

namespace orbis::app {

query::SessionOptions query_options(Console& console, ProblemLines& problems, std::size_t threads) {
    query::SessionOptions options;
    options.threads = threads;
    options.on_problem = [&problems](const Error& problem) { problems.add(problem); };
    struct Scan {
        std::uint64_t done = 0;
        std::uint64_t total = 0;
    };
    options.on_progress = [&console, last = Scan()](std::uint64_t done, std::uint64_t total) mutable {
        if (done <= last.done || total != last.total) console.begin("Reading chunks", total); // another scan
        last = {done, total};
        console.step();
    };
    return options;
}

} // namespace orbis::app
