#include "http/live/tile_worker.hpp"

#include "bytes/printable.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>

namespace orbis::http {

TileWorkers::TileWorkers(std::size_t threads)
    : WorkerPool({.threads = threads,
                  .niceness = 0,
                  .most_waiting = k_most_later,
                  .failed = [](const std::exception& problem) {
                      // Requests that wait are answered when the job goes.
                      fmt::print(stderr, "orbis: a request failed: {}\n", printable(problem.what(), true));
                  }}) {}

} // namespace orbis::http
