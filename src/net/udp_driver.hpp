#pragma once

#include "bytes/self.hpp"
#include "net/loop.hpp"
#include "net/quic_endpoint.hpp"
#include "net/rough_path.hpp"
#include "net/udp_socket.hpp"

#include <atomic>
#include <deque>

namespace orbis::net {

/// What has gone through sockets so far. One thread counts, any may read.
struct TrafficCounter {
    struct Way {
        std::atomic<std::uint64_t> bytes = 0; ///< without the headers of UDP and IP
        std::atomic<std::uint64_t> datagrams = 0;

        void add(std::size_t count, std::size_t segment) {
            bytes.fetch_add(count, std::memory_order_relaxed);
            datagrams.fetch_add(segment > 0 ? (count + segment - 1) / segment : 1, std::memory_order_relaxed);
        }
    };
    Way sent{};
    Way received{};
};

/// Joins an endpoint to sockets and to a loop: reads what arrives, keeps its moments, sends what it writes.
class UdpDriver final : public Worker {
public:
    UdpDriver(Loop& loop, EndpointSettings settings);
    ~UdpDriver() override;
    UdpDriver(const UdpDriver&) = delete;
    UdpDriver& operator=(const UdpDriver&) = delete;

    [[nodiscard]] QuicEndpoint& endpoint() { return endpoint_; }
    void add(UdpSocket socket);
    /// The addresses of all sockets.
    [[nodiscard]] std::vector<Address> addresses() const;

    /// Begins a connection from a socket of its own, which goes when the connection is over.
    Result<QuicConnection*> connect(const Address& server, std::shared_ptr<TlsContext> tls,
                                    const QuicSettings& settings, const std::string& server_name,
                                    std::unique_ptr<QuicHandler> handler);

    /// Where datagrams go whose ids belong to other endpoints of the same port.
    using Forward =
        std::function<void(std::uint8_t shard, const Path& path, std::uint8_t ecn, Bytes datagram)>;
    void set_forward(std::uint8_t own_shard, Forward forward);
    /// A datagram that another endpoint forwarded.
    void receive(const Path& path, std::uint8_t ecn, Bytes datagram);
    /// The same from another thread. If too many wait for this one they are lost, as in a socket that is
    /// full.
    void receive_soon(const Path& path, std::uint8_t ecn, Bytes datagram);

    /// From now on datagrams are lost and delayed on purpose, those that come and those that go.
    void set_rough(const RoughConditions& conditions) { rough_.emplace(conditions); }

    [[nodiscard]] const TrafficCounter& traffic() const { return traffic_; }

    /// The last thing that the system said about sending, 0 for nothing; once. A client learns from it that
    /// nothing listens.
    int take_failure();
    /// The same of the socket of one connection that was begun here.
    int take_failure(const QuicConnection& of);

    bool turn() override;
    [[nodiscard]] Time deadline() const override;

private:
    struct Waiting { ///< a batch that did not fit into its socket
        Path path;
        Buffer bytes;
        std::size_t segment;
        std::uint8_t ecn;
    };
    struct Port {
        UdpSocket socket;
        const QuicConnection* client = nullptr; ///< the only connection of this socket, if it is one's own
        std::deque<Waiting> waiting;
    };

    void read(Port& port);
    void deliver(const Path& path, std::uint8_t ecn, Bytes datagram);
    void send(const DatagramBatch& batch);
    void send_now(const DatagramBatch& batch);
    /// Does something with a copy of a datagram when it has travelled, if it arrives.
    void travel(const Path& path, std::uint8_t ecn, Bytes datagram,
                void (UdpDriver::*arrive)(const Path&, std::uint8_t, Bytes));
    void send_one(const Path& path, std::uint8_t ecn, Bytes datagram);
    void send_waiting(Port& port);
    void watch(Port& port);
    void close_unused();
    Port* port_of(const Address& local);

    Loop& loop_;
    std::unique_ptr<ReceiveBuffers> buffers_;
    QuicEndpoint endpoint_;
    std::vector<std::unique_ptr<Port>> ports_;
    std::unordered_multimap<std::uint32_t, Port*> by_number_; ///< family and port
    std::size_t clients_ = 0;                                 ///< ports that belong to one connection
    std::uint8_t shard_ = 0;
    Forward forward_;
    std::atomic<std::size_t> forwarded_ = 0; ///< datagrams of other threads that wait
    std::size_t full_ports_ = 0;
    TrafficCounter traffic_;
    std::optional<RoughPath> rough_;
    std::size_t travelling_ = 0; ///< datagrams that are delayed on purpose
    Self<UdpDriver> self_{this}; ///< for those
};

} // namespace orbis::net
