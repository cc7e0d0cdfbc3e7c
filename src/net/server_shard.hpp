#pragma once

#include "net/capture_tap.hpp"
#include "net/quic_link.hpp"
#include "net/server_session.hpp"
#include "net/tcp_link.hpp"
#include "net/udp_driver.hpp"

#include <atomic>

namespace orbis::net {

/// Where and how a server listens.
struct ServerSettings {
    std::vector<Address> addresses{};
    enum class Transport : std::uint8_t { quic, tcp } transport = Transport::quic;
    QuicSettings quic = QuicSettings::server();
    LinkLimits limits{};
    ServerRules rules{};
    std::size_t threads = 1;                      ///< of `Server`; TCP has one
    std::size_t most_connections = 20'000;        ///< of each thread
    std::shared_ptr<capture::Recorder> capture{}; ///< where all frames are recorded; null: nowhere
};

/// A server in one loop: accepts connections, gives each a session, keeps their times. Several of them can
/// share a port, each in a thread of its own (`Server`).
class ServerShard {
public:
    /// `number` is that among those who share the port.
    ServerShard(Loop& loop, const ServerSettings& settings, std::shared_ptr<TlsContext> tls,
                ServerHandler& handler, Roster& roster, std::uint8_t number = 0);
    ~ServerShard();
    ServerShard(const ServerShard&) = delete;
    ServerShard& operator=(const ServerShard&) = delete;

    /// Begins to listen. With port 0 the system chooses one; `addresses` tells.
    Result<void> listen(const Address& address, bool shares_port = false);
    [[nodiscard]] std::vector<Address> addresses() const;

    [[nodiscard]] UdpDriver& driver() { return driver_; }
    [[nodiscard]] const std::set<ServerSession*>& sessions() const { return context_.sessions; }
    /// Of QUIC; any thread may ask.
    [[nodiscard]] const TrafficCounter& traffic() const { return driver_.traffic(); }
    /// As of the last tick; any thread may ask.
    [[nodiscard]] std::size_t connections() const { return connections_; }

    /// For those who come from now on; empty for none.
    void set_password(std::string password) { rules_.password = std::move(password); }
    /// Tells all clients why they must go. `sessions` empties soon after.
    void disconnect_all(std::string_view reason);

private:
    void tick();
    void watch_listeners();
    /// False when no more can be accepted for now.
    bool accept(const Socket& listener);

    Loop& loop_;
    const ServerSettings& settings_;
    ServerRules rules_; ///< as they are now
    FrameTools<Side::server> tools_;
    ServerContext context_;
    std::vector<Socket> listeners_; ///< TCP
    std::vector<std::unique_ptr<TcpLink>> tcp_links_;
    UdpDriver driver_;
    Loop::Timer timer_;
    bool is_accepting_ = false;
    std::atomic<std::size_t> connections_ = 0;
};

} // namespace orbis::net
