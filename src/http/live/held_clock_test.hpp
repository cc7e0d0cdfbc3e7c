#pragma once

#include "http/live/live_clock.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <set>

namespace orbis::http::test {

/// Time that passes when the test says so, for the threads that rest by it; a live map has two.
class HeldClock final : public LiveClock {
public:
    explicit HeldClock(std::size_t threads = 2) : threads_(threads) {}

    [[nodiscard]] Time now() const override {
        const std::lock_guard lock(mutex_);
        return now_;
    }
    bool rest(const std::stop_token& stop, std::chrono::milliseconds time) override {
        std::unique_lock lock(mutex_);
        const auto until = resting_.insert(now_ + time);
        changed_.notify_all();
        changed_.wait(lock, stop, [&] { return now_ >= *until; });
        resting_.erase(until);
        return !stop.stop_requested();
    }

    /// Lets time pass in one leap, and all threads do what they do in it: each that rested less comes by
    /// once.
    void pass(std::chrono::milliseconds time) {
        leap(time);
        wait_for_rest();
    }
    /// The same without waiting for them to be done.
    void leap(std::chrono::milliseconds time) {
        wait_for_rest();
        {
            const std::lock_guard lock(mutex_);
            now_ += time;
        }
        changed_.notify_all();
    }

private:
    void wait_for_rest() {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, orbis::test::k_patience, [&] {
            return resting_.size() == threads_ && *resting_.begin() > now_;
        })) << "the threads have not come to rest";
    }

    const std::size_t threads_;
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    Time now_ = Time(std::chrono::hours(1));
    std::multiset<Time> resting_; ///< until when
};

} // namespace orbis::http::test
