#include "net/identity_test_support.hpp"
#include "net/udp_driver.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <thread>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;
using orbis::test::k_patience;
using test::identity;

/// Sends back whatever comes on stream 0.
class Echo final : public QuicHandler {
public:
    void on_data(QuicConnection& connection, StreamId id, Bytes bytes, bool) override {
        connection.write(id, bytes);
        connection.consume(id, bytes.size());
    }
    void on_closed(QuicConnection&, const Close&) override {}
};

struct Seen {
    std::size_t bytes = 0;
    std::optional<Close> close;
    bool is_confirmed = false;
};

class Caller final : public QuicHandler {
public:
    Caller(Seen& seen, Buffer words, bool closes = true)
        : seen_(seen), words_(std::move(words)), closes_(closes) {}
    void on_confirmed(QuicConnection& connection) override {
        seen_.is_confirmed = true;
        if (const auto stream = connection.open_bidi()) connection.write(*stream, words_);
    }
    void on_data(QuicConnection& connection, StreamId id, Bytes bytes, bool) override {
        seen_.bytes += bytes.size();
        connection.consume(id, bytes.size());
        if (closes_ && seen_.bytes == words_.size()) connection.close(Close::application(CloseCode::none));
    }
    void on_closed(QuicConnection&, const Close& close) override { seen_.close = close; }

private:
    Seen& seen_;
    Buffer words_;
    bool closes_;
};

struct Fixture : testing::Test {
    std::unique_ptr<Loop> loop = *Loop::make();
    UdpDriver server{*loop, {}};
    UdpDriver client{*loop, {}};

    Address listen(const Address& at, UdpSocket::Options options) {
        server.add(*UdpSocket::bind(at, options));
        server.endpoint().listen(*TlsContext::server(identity()), QuicSettings::server(),
                                 [](QuicConnection&) { return std::make_unique<Echo>(); });
        return server.addresses().back();
    }
    void call(const Address& at, Seen& seen, std::size_t size) {
        ASSERT_TRUE(client.connect(at, *TlsContext::client(&identity()), QuicSettings::client(), "localhost",
                                   std::make_unique<Caller>(seen, Buffer(size, 7))));
    }
};

using UdpDriverTest = Fixture;

TEST_F(UdpDriverTest, EchoesMegabytesOverLoopback) {
    for (const bool fast : {true, false}) {
        auto at = listen(Address::loopback_v4(0), {.uses_gso = fast, .uses_gro = fast});
        Seen seen;
        call(at, seen, 3'000'000);
        ASSERT_TRUE(loop->run_until([&] { return seen.close.has_value(); }, k_patience));
        EXPECT_EQ(seen.bytes, 3'000'000u);
    }
}

TEST_F(UdpDriverTest, SpeaksIpv6) {
    const auto at = listen(Address::loopback_v6(0), {});
    Seen seen;
    call(at, seen, 10'000);
    ASSERT_TRUE(loop->run_until([&] { return seen.close.has_value(); }, k_patience));
    EXPECT_EQ(seen.bytes, 10'000u);
}

TEST_F(UdpDriverTest, AnswersFromTheAddressItWasCalledAt) {
    auto at = listen(Address::any_v4(0), {.tells_address = true});
    for (const auto* host : {"127.0.0.1", "127.0.0.2"}) {
        const auto address = resolve({host, at.port()})->front();
        Seen seen;
        call(address, seen, 1'000);
        ASSERT_TRUE(loop->run_until([&] { return seen.close.has_value(); }, k_patience)) << host;
        EXPECT_EQ(seen.bytes, 1'000u);
    }
}

TEST_F(UdpDriverTest, SocketsOfOverConnectionsAreClosed) {
    const auto at = listen(Address::loopback_v4(0), {});
    for (int turn = 0; turn < 3; ++turn) {
        Seen seen;
        call(at, seen, 10);
        ASSERT_TRUE(
            loop->run_until([&] { return seen.close && client.endpoint().connections() == 0; }, k_patience));
    }
    EXPECT_TRUE(client.addresses().empty());
}

TEST_F(UdpDriverTest, TellsWhenNobodyListens) {
    Address nobody;
    {
        const auto gone = UdpSocket::bind(Address::loopback_v4(0));
        nobody = gone->address();
    }
    Seen seen;
    call(nobody, seen, 1);
    int failure = 0;
    EXPECT_TRUE(loop->run_until([&] { return (failure = client.take_failure()) != 0; }, k_patience));
    EXPECT_EQ(failure, ECONNREFUSED);
}

/// One end of a pair of sockets that hold a few datagrams until the other end reads them: a network that is
/// slower than its users. However fast they are, it is full at every fortieth datagram.
class NarrowSocket final : public ImaginedSocket {
public:
    NarrowSocket(int own, Path path, int& full) : own_(own), path_(std::move(path)), full_(full) {}
    [[nodiscard]] int descriptor() const override { return own_.descriptor(); }
    void receive(const std::function<void(const ReceivedBatch&)>& take) override {
        std::array<std::uint8_t, 2048> buffer;
        const auto got = recv(own_.descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got <= 0) return;
        const auto size = static_cast<std::size_t>(got);
        take({path_, Bytes(buffer).first(size), size, 0});
    }
    std::size_t send(const DatagramBatch& batch) override {
        std::size_t done = 0;
        while (done < batch.bytes.size()) {
            const auto next = batch.bytes.subspan(done, std::min(batch.segment, batch.bytes.size() - done));
            if (++tries_ % 40 == 0) {
                ++full_;
                break;
            }
            if (::send(own_.descriptor(), next.data(), next.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
                EXPECT_EQ(errno, EAGAIN);
                ++full_;
                break;
            }
            done += next.size();
        }
        return done;
    }
    int take_failure() override { return 0; }

private:
    Socket own_;
    Path path_;
    int& full_;
    int tries_ = 0;
};

/// Its client gets the one end of such a pair; the other is the server's.
class NarrowLoop final : public Loop {
public:
    NarrowLoop() {
        EXPECT_TRUE(begin());
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends_.data()), 0);
    }
    Result<UdpSocket> connect_udp(const Address&) override { return end(1, client, server); }
    UdpSocket server_socket() { return end(0, server, client); }

    const Address server = resolve({"127.0.0.1", 5520})->front();
    const Address client = resolve({"127.0.0.1", 40'000})->front();
    int full = 0; ///< times

private:
    UdpSocket end(std::size_t number, const Address& own, const Address& other) {
        return UdpSocket::imagined(own,
                                   std::make_unique<NarrowSocket>(ends_[number], Path{own, other}, full));
    }
    std::array<int, 2> ends_{-1, -1};
};

TEST(UdpDriver, WaitsForRoomInAFullSocketAndLosesNothing) {
    NarrowLoop loop;
    UdpDriver server(loop, {});
    UdpDriver client(loop, {});
    server.add(loop.server_socket());
    server.endpoint().listen(*TlsContext::server(identity()), QuicSettings::server(),
                             [](QuicConnection&) { return std::make_unique<Echo>(); });
    Seen seen;
    ASSERT_TRUE(client.connect(loop.server, *TlsContext::client(&identity()), QuicSettings::client(),
                               "localhost", std::make_unique<Caller>(seen, Buffer(1'000'000, 7), false)));
    const auto is_all_there = [](const UdpDriver& from, const UdpDriver& to) {
        return from.traffic().sent.bytes == to.traffic().received.bytes
               && from.traffic().sent.datagrams == to.traffic().received.datagrams;
    };
    ASSERT_TRUE(loop.run_until([&] { return seen.bytes == 1'000'000; }, k_patience));
    EXPECT_GT(loop.full, 10);
    EXPECT_TRUE(loop.run_until([&] { return is_all_there(server, client); }, k_patience))
        << server.traffic().sent.bytes << " bytes were sent and " << client.traffic().received.bytes
        << " have arrived";
}

TEST(UdpSocket, SaysThatAPortIsTaken) {
    const auto first = UdpSocket::bind(Address::loopback_v4(0));
    ASSERT_TRUE(first);
    const auto second = UdpSocket::bind(first->address());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::busy);
    EXPECT_TRUE(UdpSocket::bind(Address::loopback_v4(0), {.shares_port = true}));
}

TEST(Loop, RunsTimersInOrderAndMessagesOfOtherThreads) {
    auto loop = *Loop::make();
    std::string order;
    loop->after(20ms, [&] { order += 'b'; });
    loop->after(10ms, [&] { order += 'a'; });
    const auto cancelled = loop->after(15ms, [&] { order += 'x'; });
    loop->cancel(cancelled);
    std::jthread other([&] { loop->post([&] { order += 'p'; }); });
    ASSERT_TRUE(loop->run_until([&] { return order.size() == 3; }, k_patience));
    EXPECT_EQ(std::erase(order, 'p'), 1U) << "a message comes whenever the other thread sends it";
    EXPECT_EQ(order, "ab");
    loop->stop();
    loop->run();
}

} // namespace
} // namespace orbis::net
