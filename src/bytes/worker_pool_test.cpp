#include "bytes/worker_pool.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace orbis {
namespace {

TEST(WorkerPool, UrgentJobsComeTheNewestFirstAndOthersInTheirOrder) {
    std::mutex mutex;
    std::condition_variable done;
    std::vector<int> order;
    bool go = false;
    int failures = 0; // only the pool's thread writes it
    WorkerPool<int> pool({.threads = 1, .failed = [&](const std::exception&) { ++failures; }});
    const auto job = [&](int number) {
        return [&, number](auto&) {
            const std::lock_guard lock(mutex);
            order.push_back(number);
            done.notify_all();
        };
    };
    pool.add_urgent([&](auto&) {
        std::unique_lock lock(mutex);
        done.wait(lock, [&] { return go; });
    });
    pool.add(job(100));
    for (int i = 0; i < 3; ++i) pool.add_urgent(job(i));
    pool.add_urgent([](auto&) { throw std::runtime_error("as the test wants it"); });
    pool.add(job(101));
    std::unique_lock lock(mutex);
    go = true;
    done.notify_all();
    done.wait(lock, [&] { return order.size() == 5; });
    EXPECT_EQ(order, (std::vector<int>{2, 1, 0, 100, 101}));
    EXPECT_EQ(failures, 1);
}

TEST(WorkerPool, WhatHasNotBegunIsDroppedAtTheEnd) {
    std::atomic<bool> is_working = false;
    std::atomic<bool> go = false;
    std::atomic<int> done = 0;
    {
        WorkerPool<int> pool({});
        pool.add_urgent([&](auto&) {
            is_working = true;
            go.wait(false);
            ++done;
        });
        ASSERT_TRUE(orbis::test::wait_for([&] { return is_working.load(); }));
        for (int i = 0; i < 3; ++i) pool.add_urgent([&](auto&) { ++done; });
        pool.add([&](auto&) { ++done; });
        pool.stop();
        pool.add_urgent([&](auto&) { ++done; });
        go = true;
        go.notify_all();
    }
    EXPECT_EQ(done, 1) << "and what has is waited for";
}

TEST(WorkerPool, EachThreadKeepsItsStateUntilAJobThrows) {
    std::atomic<int> made = 0;
    std::atomic<int> seen = 0;
    WorkerPool<int> pool({.threads = 1, .failed = [](const std::exception&) {}}, [&] {
        ++made;
        return std::make_unique<int>(0);
    });
    const auto count = [&](int& state) { seen = ++state; };
    for (int i = 0; i < 3; ++i) pool.add(count);
    EXPECT_TRUE(test::wait_for([&] { return seen == 3; }));
    EXPECT_EQ(made, 1);
    pool.add([](int&) { throw std::runtime_error("as the test wants it"); });
    pool.add(count);
    EXPECT_TRUE(test::wait_for([&] { return seen == 1; }));
    EXPECT_EQ(made, 2);
}

TEST(WorkerPool, MoreThanMayWaitPushOutTheOldest) {
    std::atomic<bool> go = false;
    std::atomic<int> sum = 0;
    std::atomic<bool> is_last_done = false;
    WorkerPool<int> pool({.most_waiting = 2});
    std::atomic<bool> is_working = false;
    pool.add_urgent([&](int&) {
        is_working = true;
        go.wait(false);
    });
    ASSERT_TRUE(test::wait_for([&] { return is_working.load(); }));
    for (const int value : {1, 10, 100}) pool.add([&, value](int&) { is_last_done = (sum += value) == 110; });
    go = true;
    go.notify_all();
    EXPECT_TRUE(test::wait_for([&] { return is_last_done.load(); }));
    EXPECT_EQ(sum, 110);
    EXPECT_EQ(pool.threads(), 1U);
}

} // namespace
} // namespace orbis
