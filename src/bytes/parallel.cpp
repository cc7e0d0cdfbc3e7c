#include "bytes/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace orbis {

std::size_t default_threads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&set)));
}

namespace {

/// Takes a lock that others have for moments only: to look again is quicker than to sleep and be woken up.
void take_soon(std::unique_lock<std::mutex>& lock) {
    constexpr int k_looks = 200;
    for (int look = 0; look < k_looks; ++look) {
        if (lock.try_lock()) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    lock.lock();
}

class OrderedRun {
public:
    OrderedRun(const OrderedStream& stream, std::size_t threads)
        : stream_(stream), done_(in_flight_limit(threads), false) {}

    void work(std::size_t worker) {
        std::unique_lock lock(mutex_, std::defer_lock);
        take_soon(lock);
        while (true) {
            room_.wait(lock, [&] { return stop_ || taken_ - pushed_ < done_.size(); });
            if (stop_) return;
            const auto ticket = taken_ % done_.size();
            if (!guarded([&] { stop_ = !stream_.pull(ticket); }) || stop_) {
                room_.notify_all();
                return;
            }
            ++taken_;
            lock.unlock();
            std::exception_ptr thrown;
            try {
                stream_.work(ticket, worker);
            } catch (...) {
                thrown = std::current_exception();
            }
            take_soon(lock);
            if (thrown) give_up(thrown);
            done_[ticket] = true;
            push_finished(lock);
        }
    }

    void finish() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    /// Hands on what is finished, in order. One thread at a time does it, without the lock, so that slow
    /// output does not hold up the others.
    void push_finished(std::unique_lock<std::mutex>& lock) {
        if (pushing_) return;
        pushing_ = true;
        while (!failure_ && pushed_ < taken_ && done_[pushed_ % done_.size()]) {
            const auto ticket = pushed_ % done_.size();
            lock.unlock();
            std::exception_ptr thrown;
            try {
                stream_.push(ticket);
            } catch (...) {
                thrown = std::current_exception();
            }
            take_soon(lock);
            if (thrown) give_up(thrown);
            done_[ticket] = false;
            ++pushed_;
            room_.notify_all();
        }
        pushing_ = false;
    }

    bool guarded(const std::function<void()>& call) {
        try {
            call();
            return true;
        } catch (...) {
            give_up(std::current_exception());
            return false;
        }
    }

    void give_up(const std::exception_ptr& thrown) {
        if (!failure_) failure_ = thrown;
        stop_ = true;
        room_.notify_all();
    }

    const OrderedStream& stream_;
    std::mutex mutex_;
    std::condition_variable room_;
    std::vector<bool> done_; ///< by ticket
    std::size_t taken_ = 0;
    std::size_t pushed_ = 0;
    bool pushing_ = false;
    bool stop_ = false;
    std::exception_ptr failure_;
};

} // namespace

void run_ordered(const OrderedStream& stream, std::size_t threads) {
    if (threads <= 1) {
        while (stream.pull(0)) {
            stream.work(0, 0);
            stream.push(0);
        }
        return;
    }
    OrderedRun run(stream, threads);
    {
        std::vector<std::jthread> workers;
        for (std::size_t i = 1; i < threads; ++i) workers.emplace_back([&run, i] { run.work(i); });
        run.work(0);
    }
    run.finish();
}

} // namespace orbis
