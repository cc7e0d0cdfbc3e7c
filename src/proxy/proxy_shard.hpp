#pragma once

#include "proxy/relay.hpp"

namespace orbis::proxy {

/// A proxy in one loop: accepts clients, and has both connections of each. Several of them can share a port,
/// each in a thread of its own (`Proxy`).
class ProxyShard {
public:
    /// `number` is that among those who share the port. All that is given must outlive this.
    ProxyShard(net::Loop& loop, ProxyShared& shared, const net::Identity& identity,
               std::shared_ptr<net::TlsContext> tls, std::uint8_t number = 0);
    ~ProxyShard();
    ProxyShard(const ProxyShard&) = delete;
    ProxyShard& operator=(const ProxyShard&) = delete;

    /// For `ProxyRules::login`, before anybody comes.
    void set_service(std::unique_ptr<net::SessionService> service) { context_.service = std::move(service); }
    /// Begins to listen. With port 0 the system chooses one; `addresses` tells.
    Result<void> listen(const net::Address& address, bool shares_port = false);
    /// Where clients can come to.
    [[nodiscard]] const std::vector<net::Address>& addresses() const { return addresses_; }
    [[nodiscard]] net::UdpDriver& driver() { return driver_; }
    [[nodiscard]] std::size_t relays() const { return relays_.size(); }
    /// Tells all clients why they must go.
    void send_all_away(const std::string& why);

    /// As of the last tick; any thread may ask.
    [[nodiscard]] std::size_t open_relays() const { return open_relays_; }
    [[nodiscard]] std::size_t held() const { return held_; }
    [[nodiscard]] const net::TrafficCounter& traffic() const { return driver_.traffic(); }

private:
    void tick();

    net::Loop& loop_;
    net::UdpDriver driver_;
    RelayContext context_;
    std::vector<std::unique_ptr<Relay>> relays_;
    std::vector<net::Address> addresses_;
    net::Loop::Timer timer_;
    std::atomic<std::size_t> open_relays_ = 0;
    std::atomic<std::size_t> held_ = 0;
};

/// What a proxy announces to its clients.
net::QuicSettings client_settings(const ProxyRules& rules);

} // namespace orbis::proxy
