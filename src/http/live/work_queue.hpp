#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace orbis::http {

/// What a worker keeps between jobs, whatever they are.
class WorkerMemory {
public:
    virtual ~WorkerMemory() = default;
};

/// Threads that do what somebody waits for: the newest first, because that is what a page shows now. Jobs
/// that nobody waits for yet come after them.
class WorkQueue {
public:
    using Job = std::move_only_function<void(std::unique_ptr<WorkerMemory>& memory)>;

    /// More jobs of the second kind push out the oldest of them.
    static constexpr std::size_t k_most_later = 4096;

    explicit WorkQueue(std::size_t threads);
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;
    /// Waits for the jobs in work; the others are dropped.
    ~WorkQueue();

    void ask(Job job);
    void later(Job job);
    /// No further jobs are begun.
    void stop();

private:
    void work();
    bool take(Job& job);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Job> asked_;
    std::deque<Job> later_;
    bool stopping_ = false;
    std::vector<std::jthread> threads_;
};

} // namespace orbis::http
