#include "game/chunks/encode_workers.hpp"

#include "game/chunks/chunk_encoder.hpp"

#include <algorithm>
#include <sys/resource.h>

namespace orbis::game {

namespace {

/// Where processors are short, a chunk comes a little later, and the tick of the game in time.
constexpr int k_niceness = 5;

} // namespace

EncodeWorkers::EncodeWorkers(std::size_t threads) {
    for (std::size_t count = 0; count < std::max<std::size_t>(threads, 1); ++count)
        threads_.emplace_back([this] { run(); });
}

EncodeWorkers::~EncodeWorkers() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
        jobs_.clear();
    }
    wake_.notify_all();
}

void EncodeWorkers::add(Job job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void EncodeWorkers::run() {
    setpriority(PRIO_PROCESS, 0, k_niceness); // of this thread alone
    ChunkEncoder maker;
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return is_stopping_ || !jobs_.empty(); });
            if (is_stopping_) return;
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        job(maker);
    }
}

} // namespace orbis::game
