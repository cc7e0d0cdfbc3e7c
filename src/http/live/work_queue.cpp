#include "http/live/work_queue.hpp"

#include "bytes/printable.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>

namespace orbis::http {

WorkQueue::WorkQueue(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkQueue::~WorkQueue() {
    stop();
    threads_.clear();
}

void WorkQueue::stop() {
    std::vector<Job> asked;
    std::deque<Job> later;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        asked.swap(asked_);
        later.swap(later_);
    }
    wake_.notify_all();
}

void WorkQueue::ask(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
        asked_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void WorkQueue::later(Job job) {
    Job dropped; // outside of the lock: it may answer somebody
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
        later_.push_back(std::move(job));
        if (later_.size() > k_most_later) {
            dropped = std::move(later_.front());
            later_.pop_front();
        }
    }
    wake_.notify_one();
}

bool WorkQueue::take(Job& job) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return stopping_ || !asked_.empty() || !later_.empty(); });
    if (stopping_) return false;
    if (!asked_.empty()) {
        job = std::move(asked_.back());
        asked_.pop_back();
    } else {
        job = std::move(later_.front());
        later_.pop_front();
    }
    return true;
}

void WorkQueue::work() {
    std::unique_ptr<WorkerMemory> memory;
    for (Job job; take(job); job = nullptr) {
        try {
            job(memory);
        } catch (const std::exception& problem) {
            // Whoever waits is answered when the job goes.
            fmt::print(stderr, "orbis: a request failed: {}\n", printable(problem.what(), true));
            memory = nullptr;
        }
    }
}

} // namespace orbis::http
