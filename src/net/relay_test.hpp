#pragma once

#include "net/address.hpp"
#include "net/udp_socket.hpp"

#include <atomic>
#include <deque>
#include <poll.h>
#include <thread>

namespace orbis::net::test {

/// Stands between one client and its server and passes their datagrams on. It can hold back for a while what
/// the client says.
class Relay {
public:
    explicit Relay(const Address& server)
        : front_(UdpSocket::bind(Address::loopback_v4(0)).value()),
          back_(UdpSocket::connect(server).value()),
          server_(server),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}

    /// Where the client finds it.
    [[nodiscard]] const Address& address() const { return front_.address(); }
    void hold() { holds_ = true; }
    void let_go() { holds_ = false; }

private:
    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::array<pollfd, 2> ready{{{front_.descriptor(), POLLIN, 0}, {back_.descriptor(), POLLIN, 0}}};
            ::poll(ready.data(), ready.size(), 5);
            front_.receive(buffers_, [&](const ReceivedBatch& batch) {
                client_ = batch.path.remote;
                held_.push_back({Buffer(batch.bytes.begin(), batch.bytes.end()), batch.segment});
            });
            for (; !holds_ && !held_.empty(); held_.pop_front())
                pass(back_, {back_.address(), server_}, held_.front().bytes, held_.front().segment);
            back_.receive(buffers_, [&](const ReceivedBatch& batch) {
                if (client_) pass(front_, {front_.address(), *client_}, batch.bytes, batch.segment);
            });
        }
    }
    static void pass(UdpSocket& socket, const Path& path, Bytes bytes, std::size_t segment) {
        std::size_t done = 0;
        (void)socket.send({path, bytes, segment, 0}, done);
    }

    struct Held {
        Buffer bytes;
        std::size_t segment;
    };

    UdpSocket front_;
    UdpSocket back_;
    Address server_;
    std::optional<Address> client_;
    ReceiveBuffers buffers_;
    std::deque<Held> held_;
    std::atomic<bool> holds_ = false;
    std::jthread thread_;
};

} // namespace orbis::net::test
