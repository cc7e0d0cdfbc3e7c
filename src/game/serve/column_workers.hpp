#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace orbis::game {

class ColumnMaker;

/// The threads that make columns, for all worlds of a server. Jobs begin in the order in which they come.
class ColumnWorkers {
public:
    using Job = std::move_only_function<void(ColumnMaker&)>;

    explicit ColumnWorkers(std::size_t threads);
    /// Drops the jobs that have not begun and waits for the others.
    ~ColumnWorkers();
    ColumnWorkers(const ColumnWorkers&) = delete;
    ColumnWorkers& operator=(const ColumnWorkers&) = delete;

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
