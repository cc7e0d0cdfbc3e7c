#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace orbis::game {

class ChunkEncoder;

/// The threads that make chunks, for all worlds of a server. Jobs begin in the order in which they come.
class EncodeWorkers {
public:
    using Job = std::move_only_function<void(ChunkEncoder&)>;

    explicit EncodeWorkers(std::size_t threads);
    /// Drops the jobs that have not begun and waits for the others.
    ~EncodeWorkers();
    EncodeWorkers(const EncodeWorkers&) = delete;
    EncodeWorkers& operator=(const EncodeWorkers&) = delete;

    void add(Job job);
    [[nodiscard]] std::size_t threads() const { return threads_.size(); }

private:
    void run();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;     ///< by `mutex_`
    bool is_stopping_ = false; ///< by `mutex_`
    std::vector<std::jthread> threads_;
};

} // namespace orbis::game
