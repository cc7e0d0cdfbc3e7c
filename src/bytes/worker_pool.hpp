#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

namespace orbis {

struct WorkerOptions {
    std::size_t threads = 1; ///< one at least
    int niceness = 0;        ///< more: others come first where processors are short
    /// More jobs of `add` push out the oldest of them.
    std::size_t most_waiting = std::numeric_limits<std::size_t>::max();
    /// Told what a job threw, after which its thread begins with a new state. Without this no job may throw.
    std::function<void(const std::exception&)> failed{};
};

/// Threads that do jobs, each with a state of its own that it keeps from one job to the next.
template <typename State>
class WorkerPool {
public:
    using Job = std::move_only_function<void(State&)>;

    using Make = std::function<std::unique_ptr<State>()>;

    /// `make` makes a state, in the thread that uses it, when its first job begins.
    WorkerPool(WorkerOptions options, Make make) : options_(std::move(options)), make_(std::move(make)) {
        for (std::size_t i = 0; i < std::max<std::size_t>(options_.threads, 1); ++i)
            threads_.emplace_back([this] { work(); });
    }
    explicit WorkerPool(WorkerOptions options)
        : WorkerPool(std::move(options), [] { return std::make_unique<State>(); }) {}
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    /// Waits for the jobs in work; the others are dropped.
    ~WorkerPool() {
        stop();
        threads_.clear();
    }

    /// Jobs begin in the order in which they come.
    void add(Job job) {
        Job dropped; // outside the lock, as below: what goes with a job may take locks of its own
        {
            const std::lock_guard lock(mutex_);
            if (is_stopping_) return;
            waiting_.push_back(std::move(job));
            if (waiting_.size() > options_.most_waiting) {
                dropped = std::move(waiting_.front());
                waiting_.pop_front();
            }
        }
        wake_.notify_one();
    }
    /// Before all jobs of `add`, the newest first.
    void add_urgent(Job job) {
        {
            const std::lock_guard lock(mutex_);
            if (is_stopping_) return;
            urgent_.push_back(std::move(job));
        }
        wake_.notify_one();
    }
    /// No further jobs are begun.
    void stop() {
        std::deque<Job> waiting;
        std::vector<Job> urgent;
        {
            const std::lock_guard lock(mutex_);
            is_stopping_ = true;
            waiting.swap(waiting_);
            urgent.swap(urgent_);
        }
        wake_.notify_all();
    }

    [[nodiscard]] std::size_t threads() const { return threads_.size(); }

private:
    bool take(Job& job) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return is_stopping_ || !urgent_.empty() || !waiting_.empty(); });
        if (is_stopping_) return false;
        if (!urgent_.empty()) {
            job = std::move(urgent_.back());
            urgent_.pop_back();
        } else {
            job = std::move(waiting_.front());
            waiting_.pop_front();
        }
        return true;
    }

    void work() {
        if (options_.niceness != 0) setpriority(PRIO_PROCESS, 0, options_.niceness); // of this thread alone
        std::unique_ptr<State> state;
        for (Job job; take(job); job = nullptr) {
            if (!options_.failed) {
                do_job(job, state);
                continue;
            }
            try {
                do_job(job, state);
            } catch (const std::exception& problem) {
                options_.failed(problem);
                state.reset();
            }
        }
    }
    void do_job(Job& job, std::unique_ptr<State>& state) {
        if (!state) state = make_();
        job(*state);
    }

    WorkerOptions options_;
    Make make_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Job> urgent_; ///< by `mutex_`, as the next two
    std::deque<Job> waiting_;
    bool is_stopping_ = false;
    std::vector<std::jthread> threads_; ///< last: they use all others
};

} // namespace orbis
