#pragma once

#include "bytes/worker_pool.hpp"
#include "game/chunks/chunk_encoder.hpp"

#include <cstddef>

namespace orbis::game {

/// The threads that encode chunks, for all worlds of a server. Jobs begin in the order in which they come.
class EncodeWorkers : public WorkerPool<ChunkEncoder> {
public:
    explicit EncodeWorkers(std::size_t threads);
};

} // namespace orbis::game
