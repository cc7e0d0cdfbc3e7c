#include "net/identity_test_support.hpp"
#include "net/rough_path.hpp"
#include "net/simulated_loop.hpp"
#include "net/udp_driver.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

TEST(RoughPath, LosesHoldsBackAndDelaysAsOftenAsItShall) {
    RoughPath path({.loss = 0.2, .reorder = 0.1, .delay = 30ms, .seed = 7});
    int lost = 0;
    int held = 0;
    for (int count = 0; count < 10'000; ++count) {
        const auto later = path.next();
        if (!later) {
            ++lost;
            continue;
        }
        EXPECT_GE(*later, 30ms);
        EXPECT_LE(*later, 75ms);
        if (*later > 30ms) ++held;
    }
    EXPECT_NEAR(lost, 2000, 200);
    EXPECT_NEAR(held, 800, 150);
}

TEST(RoughPath, DoesTheSameForTheSameSeed) {
    const auto all = [](std::uint64_t seed) {
        RoughPath path({.loss = 0.3, .reorder = 0.3, .delay = 1ms, .seed = seed});
        std::vector<std::optional<Duration>> made;
        for (int count = 0; count < 100; ++count) made.push_back(path.next());
        return made;
    };
    EXPECT_EQ(all(1), all(1));
    EXPECT_NE(all(1), all(2));
}

/// Counts bytes and answers none.
struct Quiet final : QuicHandler {
    explicit Quiet(std::size_t& bytes, QuicConnection** kept = nullptr) : bytes_(bytes), kept_(kept) {}
    void on_confirmed(QuicConnection& connection) override {
        if (kept_) *kept_ = &connection;
    }
    void on_data(QuicConnection& connection, StreamId stream, Bytes data, bool) override {
        bytes_ += data.size();
        connection.consume(stream, data.size());
    }
    void on_closed(QuicConnection&, const Close&) override {
        if (kept_) *kept_ = nullptr;
    }
    std::size_t& bytes_;
    QuicConnection** kept_;
};

TEST(RoughPath, ConnectionsBearIt) {
    std::vector<Duration> times;
    for (const auto& conditions :
         {RoughConditions{}, RoughConditions{.loss = 0.1, .reorder = 0.2, .delay = 20ms},
          RoughConditions{.loss = 0.1, .reorder = 0.2, .delay = 20ms}}) {
        const auto loop = SimulatedLoop::make().value();
        std::size_t at_server = 0;
        std::size_t at_client = 0;
        QuicConnection* connection = nullptr;
        UdpDriver server(*loop, {});
        UdpDriver client(*loop, {});
        server.add(loop->bind_udp(Address::loopback_v4(5520), false).value());
        server.endpoint().listen(TlsContext::server(test::identity()).value(), QuicSettings::server(),
                                 [&](QuicConnection&) { return std::make_unique<Quiet>(at_server); });
        if (conditions.is_any()) server.set_rough(conditions);
        ASSERT_TRUE(client.connect(Address::loopback_v4(5520), TlsContext::client(&test::identity()).value(),
                                   QuicSettings::client(), "",
                                   std::make_unique<Quiet>(at_client, &connection)));
        ASSERT_TRUE(loop->run_until([&] { return connection != nullptr; }, 30s));
        const auto begin = loop->now();
        connection->open_bidi();
        connection->write(0, Buffer(300'000, 1));
        ASSERT_TRUE(loop->run_until([&] { return at_server == 300'000; }, 120s));
        times.push_back(loop->now() - begin);
    }
    EXPECT_GT(times[1], times[0] + 40ms);
}

} // namespace
} // namespace orbis::net
