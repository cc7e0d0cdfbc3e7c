#include "bytes/descriptor.hpp"
#include "http/connection_watch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace orbis::http {
namespace {

using namespace std::chrono_literals;

class ConnectionWatchTest : public testing::Test {
protected:
    /// Both ends of a connection that is watched.
    struct Watched {
        Descriptor ours;
        Descriptor theirs;
        ConnectionWatch::Watched place;

        [[nodiscard]] bool is_cut() const {
            char byte = 0;
            return recv(theirs.number(), &byte, 1, MSG_DONTWAIT) == 0;
        }
    };

    Watched connect(const std::string& client = {}) {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        return {Descriptor(ends[0]), Descriptor(ends[1]), watch_.add(ends[0], client)};
    }

    ConnectionWatch watch_{{4, 3, 10s, 20s, 120s, 1s}};
};

TEST_F(ConnectionWatchTest, EachPhaseHasItsTime) {
    using Phase = ConnectionWatch::Phase;
    const auto idle = connect();
    const auto working = connect();
    watch_.enter(idle.place, Phase::idle);
    const auto sending = connect();
    watch_.enter(working.place, Phase::working);
    watch_.enter(sending.place, Phase::sending);
    const auto begin = ConnectionWatch::Clock::now();
    watch_.sweep(begin + 19s);
    EXPECT_FALSE(idle.is_cut());
    watch_.sweep(begin + 21s);
    EXPECT_TRUE(idle.is_cut());
    EXPECT_FALSE(sending.is_cut());
    watch_.sweep(begin + 121s);
    EXPECT_TRUE(sending.is_cut());
    watch_.sweep(begin + 24h);
    EXPECT_FALSE(working.is_cut()) << "who waits for us has all time";
}

TEST_F(ConnectionWatchTest, TheHeadOfARequestHasATimeHoweverManyBytesCome) {
    const auto client = connect();
    const auto begin = ConnectionWatch::Clock::now();
    watch_.sweep(begin + 9s);
    EXPECT_FALSE(client.is_cut());
    while (ConnectionWatch::Clock::now() <= begin + 1ns) { // a moment later, as short as the clock can tell
    }
    watch_.note_head(client.place);
    watch_.sweep(begin + 10s + 1ns);
    EXPECT_TRUE(client.is_cut());
}

TEST_F(ConnectionWatchTest, WhoSendsAHeadInPartsStaysTheOldest) {
    const auto slow = connect("many");
    const auto second = connect("many");
    const auto third = connect("many");
    watch_.note_head(slow.place);
    const auto fourth = connect("many");
    EXPECT_TRUE(slow.is_cut());
    for (const auto* kept : {&second, &third, &fourth}) EXPECT_FALSE(kept->is_cut());
}

TEST_F(ConnectionWatchTest, WhenMostPlacesAreTakenTheLongestIdleMakeRoomAndNoNewcomers) {
    std::vector<Watched> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(connect(std::to_string(i)));
    watch_.enter(clients[0].place, ConnectionWatch::Phase::idle); // asks again: the second is the oldest now
    const auto begin = ConnectionWatch::Clock::now();
    watch_.sweep(begin);
    for (const auto& client : clients) EXPECT_FALSE(client.is_cut());
    watch_.sweep(begin + 2s);
    EXPECT_FALSE(clients[0].is_cut());
    EXPECT_TRUE(clients[1].is_cut());
    EXPECT_FALSE(clients[2].is_cut()) << "three of four may stay";
    EXPECT_FALSE(clients[3].is_cut());
}

TEST_F(ConnectionWatchTest, WhoIsCutAlreadyMakesRoomOnce) {
    std::vector<Watched> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(connect(std::to_string(i)));
    watch_.cut(clients[3].place);
    EXPECT_TRUE(clients[3].is_cut());
    const auto begin = ConnectionWatch::Clock::now();
    watch_.sweep(begin + 2s);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(clients[static_cast<std::size_t>(i)].is_cut()) << i;
    EXPECT_EQ(watch_.size(), 4U) << "until the connection is gone";
    watch_.remove(clients[3].place);
    EXPECT_EQ(watch_.size(), 3U);
    clients.push_back(connect("new"));
    watch_.sweep(begin + 2s);
    EXPECT_TRUE(clients[0].is_cut()) << "the oldest";
    EXPECT_FALSE(clients[1].is_cut());
}

TEST_F(ConnectionWatchTest, OfOneAddressTheOldestSilentOneMakesRoomAndNobodyElse) {
    using Phase = ConnectionWatch::Phase;
    const auto other = connect("other");
    const auto asks = connect("many");
    watch_.enter(asks.place, Phase::working);
    const auto first = connect("many");
    const auto second = connect("many");
    const auto third = connect("many");
    EXPECT_FALSE(first.is_cut()) << "three may be silent";
    const auto fourth = connect("many");
    EXPECT_TRUE(first.is_cut());
    const auto fifth = connect("many");
    EXPECT_TRUE(second.is_cut());
    for (const auto* kept : {&other, &asks, &third, &fourth, &fifth}) EXPECT_FALSE(kept->is_cut());
}

} // namespace
} // namespace orbis::http
