#include "net/simulated_loop.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

TEST(SimulatedLoop, ADayIsOverAtOnceAndInOrder) {
    const auto loop = SimulatedLoop::make().value();
    const auto begin = loop->now();
    const auto wall = loop->wall();
    std::vector<Duration> seen;
    for (const auto time : std::initializer_list<Duration>{24h, 1ms, 1h})
        loop->after(time, [&] { seen.push_back(loop->now() - begin); });
    EXPECT_TRUE(loop->run_until([&] { return seen.size() == 3; }, 48h));
    EXPECT_EQ(seen, (std::vector<Duration>{1ms, 1h, 24h}));
    EXPECT_EQ(loop->wall() - wall, 24h);
    EXPECT_FALSE(loop->run_until([] { return false; }, 1min));
    EXPECT_EQ(loop->now() - begin, 24h + 1min) << "not a moment longer";
}

TEST(SimulatedLoop, DatagramsArriveAfterTheDelayAndOnlyWhereSomebodyListens) {
    const auto loop = SimulatedLoop::make().value();
    loop->delay = 20ms;
    auto front = loop->bind_udp(Address::loopback_v4(0), false).value();
    EXPECT_EQ(loop->bind_udp(front.address(), false).error().code, Errc::busy);
    EXPECT_FALSE(loop->connect_udp(Address::any_v4(5520))) << "no other machine can be reached";
    auto back = loop->connect_udp(front.address()).value();
    std::string heard;
    ReceiveBuffers buffers;
    loop->watch(front.descriptor(), true, false, [&](bool, bool) {
        front.receive(buffers, [&](const ReceivedBatch& batch) {
            EXPECT_EQ(batch.path, (Path{front.address(), back.address()}));
            EXPECT_EQ(batch.segment, 2U);
            heard += as_text(batch.bytes);
        });
    });
    const auto begin = loop->now();
    std::size_t done = 0;
    const Path path{back.address(), front.address()};
    EXPECT_EQ(back.send({path, as_bytes("abc"), 2, 0}, done), UdpSocket::Sent::yes);
    EXPECT_EQ(done, 3U);
    EXPECT_TRUE(loop->run_until([&] { return !heard.empty(); }, 1s));
    EXPECT_EQ(heard, "abc");
    EXPECT_EQ(loop->now() - begin, 20ms);
    EXPECT_EQ(back.take_failure(), 0);

    const Path nowhere{back.address(), Address::loopback_v4(9)};
    EXPECT_EQ(back.send({nowhere, as_bytes("abc"), 3, 0}, done), UdpSocket::Sent::yes);
    loop->run_until([] { return false; }, 1s);
    EXPECT_EQ(back.take_failure(), ECONNREFUSED);
    EXPECT_EQ(back.take_failure(), 0) << "once";
}

TEST(SimulatedLoop, DatagramsOfAPortCanBeHeldBack) {
    const auto loop = SimulatedLoop::make().value();
    auto front = loop->bind_udp(Address::loopback_v4(0), false).value();
    auto back = loop->connect_udp(front.address()).value();
    ReceiveBuffers buffers;
    std::string heard;
    loop->watch(front.descriptor(), true, false, [&](bool, bool) {
        front.receive(buffers, [&](const ReceivedBatch& batch) { heard += as_text(batch.bytes); });
    });
    const auto send = [&](std::string_view text) {
        std::size_t done = 0;
        const Path path{back.address(), front.address()};
        (void)back.send({path, as_bytes(text), text.size(), 0}, done);
    };
    loop->hold(back.address().port());
    send("a");
    send("b");
    EXPECT_FALSE(loop->run_until([&] { return !heard.empty(); }, 1h));
    loop->let_go();
    send("c");
    EXPECT_TRUE(loop->run_until([&] { return heard == "abc"; }, 1s)) << heard;
}

TEST(SimulatedLoop, WhatIsPostedComesBeforeTimeGoesOn) {
    const auto loop = SimulatedLoop::make().value();
    bool has_heard = false;
    loop->post([&] { has_heard = true; });
    const auto begin = loop->now();
    EXPECT_TRUE(loop->run_until([&] { return has_heard; }, 1h));
    EXPECT_EQ(loop->now(), begin);
}

} // namespace
} // namespace orbis::net
