#include "game/chunks/encode_workers.hpp"

namespace orbis::game {

namespace {

/// Where processors are short, a chunk comes a little later, and the tick of the game in time.
constexpr int k_niceness = 5;

} // namespace

EncodeWorkers::EncodeWorkers(std::size_t threads)
    : WorkerPool(WorkerOptions{.threads = threads, .niceness = k_niceness}) {}

} // namespace orbis::game
