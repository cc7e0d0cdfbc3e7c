#include "bytes/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace orbis {
namespace {

std::vector<int> squares(int count, std::size_t threads) {
    struct Item {
        int in = 0;
        int out = 0;
    };
    std::vector<Item> ring(in_flight_limit(threads));
    std::vector<int> results;
    int next = 0;
    run_ordered({.pull =
                     [&](std::size_t ticket) {
                         if (next == count) return false;
                         ring[ticket].in = next++;
                         return true;
                     },
                 .work = [&](std::size_t ticket,
                             std::size_t) { ring[ticket].out = ring[ticket].in * ring[ticket].in; },
                 .push = [&](std::size_t ticket) { results.push_back(ring[ticket].out); }},
                threads);
    return results;
}

TEST(RunOrdered, GivesEveryResultOnceAndInOrder) {
    for (const std::size_t threads : {1U, 2U, 3U, 8U})
        for (const int count : {0, 1, 7, 2000}) {
            const auto got = squares(count, threads);
            ASSERT_EQ(got.size(), static_cast<std::size_t>(count));
            for (int i = 0; i < count; ++i) ASSERT_EQ(got[static_cast<std::size_t>(i)], i * i);
        }
}

TEST(RunOrdered, AnExceptionInAnyPartReachesTheCaller) {
    for (const std::size_t threads : {1U, 3U})
        for (const std::string part : {"pull", "work", "push"}) {
            int pulled = 0;
            const auto trip = [&](const std::string& here) {
                if (here == part) throw std::runtime_error(here);
            };
            const OrderedStream stream{.pull =
                                           [&](std::size_t) {
                                               if (pulled == 50) trip("pull");
                                               return ++pulled < 100;
                                           },
                                       .work = [&](std::size_t, std::size_t) { trip("work"); },
                                       .push = [&](std::size_t) { trip("push"); }};
            EXPECT_THROW(run_ordered(stream, threads), std::runtime_error) << part;
        }
}

} // namespace
} // namespace orbis
