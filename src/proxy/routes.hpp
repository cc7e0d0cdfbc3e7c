#pragma once

#include "net/loop.hpp"
#include "net/udp_driver.hpp"
#include "proxy/proxy_settings.hpp"

#include <thread>

namespace orbis::proxy {

/// A server, and where clients come to who want to get there.
struct Route {
    net::HostPort host;                ///< as it was typed, or as a server said it
    std::vector<net::Address> targets; ///< its addresses; empty if it has none
    bool is_looked_up = true;          ///< false while the system is asked for them
    bool is_referral = false;          ///< found on the way, not asked for by the user
    net::Address listener{};           ///< of a referral
};

/// The servers that one thread of a proxy leads to: that of the user, and those to which servers refer their
/// players. Each of the latter has a port of its own, which only this thread reads.
class Routes {
public:
    Routes(net::Loop& loop, net::UdpDriver& driver, const ProxyRules& rules);
    /// Waits for names that are being looked up.
    ~Routes();
    Routes(const Routes&) = delete;
    Routes& operator=(const Routes&) = delete;

    /// Where those are led who come to this port. It lives as long as this.
    [[nodiscard]] const Route& of(const net::Address& local) const;
    /// The route to a server, with a listener on the same address as `beside`: a new one, or one that is
    /// there.
    Result<const Route*> open(const net::HostPort& to, const net::Address& beside);

private:
    void look_up(Route& route);

    net::Loop& loop_;
    net::UdpDriver& driver_;
    const ProxyRules& rules_;
    std::vector<std::unique_ptr<Route>> routes_; ///< the first is that of the user
    std::vector<std::jthread> threads_;
};

} // namespace orbis::proxy
