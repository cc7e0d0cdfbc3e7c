#pragma once

#include "net/quic_connection.hpp"

#include <deque>
#include <set>
#include <unordered_map>

namespace orbis::net {

struct EndpointSettings {
    /// Bytes of the ids that peers call us by. A client may have 0 when it has one connection only.
    std::size_t id_length = ConnectionId::k_largest;
    /// The first byte of every id: endpoints that share a port find each other's connections by it.
    std::uint8_t shard = 0;
    std::size_t most_connections = 20'000; ///< of this endpoint
    /// Handshakes that are not done. Above this the oldest is dropped for the newest.
    std::size_t most_handshakes = 1'024;
    /// Handshakes that may begin between two flushes; later ones wait. Each takes as long as hundreds
    /// of other datagrams, and those who are in should not feel how many want to come.
    std::size_t handshakes_per_turn = 4;
    /// Clients that wait for that; more are ignored, and ask again.
    std::size_t most_waiting = 1'024;
};

/// Makes the user of a connection that a client begins; null refuses it.
using Acceptor = std::function<std::unique_ptr<QuicHandler>(QuicConnection&)>;

/// Many connections behind one or more sockets: leads datagrams to their connections, begins new ones, keeps
/// time. Without sockets, threads and a clock of its own.
class QuicEndpoint final : private ConnectionIds {
public:
    explicit QuicEndpoint(EndpointSettings settings = {});
    ~QuicEndpoint() override;

    /// Lets clients in from now on.
    void listen(std::shared_ptr<TlsContext> tls, const QuicSettings& settings, Acceptor acceptor);
    /// Begins a connection. It lives until it is over, or until the endpoint is gone.
    Result<QuicConnection*> connect(std::shared_ptr<TlsContext> tls, const QuicSettings& settings,
                                    const std::string& server_name, const Path& path,
                                    std::unique_ptr<QuicHandler> handler, Time now);

    void receive(const Path& path, std::uint8_t ecn, Bytes datagram, Time now);
    /// Sends what may be sent now; true when there is more, and others should have a turn first.
    bool flush(const DatagramSink& sink, Time now);
    [[nodiscard]] Time deadline() const;
    void expire(Time now);
    /// Ends all connections; the next flush tells the peers.
    void close_all(const Close& close);

    [[nodiscard]] std::size_t connections() const { return entries_.size(); }
    /// Those of them that were begun here.
    [[nodiscard]] std::size_t own_connections() const { return clients_.size(); }
    /// Ids that lead to a connection; a connection that is gone has none.
    [[nodiscard]] std::size_t known_ids() const { return ids_.size(); }
    [[nodiscard]] bool has(const QuicConnection* connection) const {
        return entries_.contains(const_cast<QuicConnection*>(connection));
    }

    /// The shard that a datagram is for; nothing when it does not say, as with the first of a connection.
    [[nodiscard]] std::optional<std::uint8_t> shard_of(Bytes datagram) const;

private:
    struct Listener {
        std::shared_ptr<TlsContext> tls;
        QuicSettings settings;
        Acceptor acceptor;
    };
    struct Loose { ///< an answer that belongs to no connection
        Path path;
        Buffer datagram;
    };
    struct First { ///< of a client whose turn has not come
        Path path;
        std::uint8_t ecn;
        Buffer datagram;
    };

    ConnectionId make_id() override;
    void add_id(const ConnectionId& id, QuicConnection& connection) override;
    void remove_id(const ConnectionId& id) override;
    std::array<std::uint8_t, 16> reset_token(const ConnectionId& id) override;
    void on_ready(QuicConnection& connection) override;
    LazyPages& pages() override { return pages_; }

    QuicConnection& keep(std::unique_ptr<QuicConnection> connection, std::unique_ptr<QuicHandler> handler);
    QuicConnection* begin(const Path& path, Bytes datagram, Time now);
    void answer(const Path& path, Buffer datagram);
    void update(QuicConnection& connection);
    void begin_some(Time now);
    void forget_oldest();
    void drop(QuicConnection& connection);

    EndpointSettings settings_;
    LazyPages pages_; ///< outlives the connections
    std::optional<Listener> listener_;
    std::array<std::uint8_t, 32> secret_{};
    std::unordered_map<ConnectionId, QuicConnection*, ConnectionId::Hash> ids_;
    std::unordered_map<QuicConnection*, std::unique_ptr<QuicConnection>> entries_;
    std::unordered_map<std::uint32_t, QuicConnection*> clients_; ///< by family and port
    std::set<std::pair<Time, QuicConnection*>> timers_;
    std::vector<QuicConnection*> ready_;
    std::list<QuicConnection*> handshakes_; ///< of clients, oldest first
    std::vector<Loose> loose_;
    std::deque<First> firsts_;
    std::size_t begun_ = 0; ///< handshakes in this turn
    Buffer buffer_;
};

} // namespace orbis::net
