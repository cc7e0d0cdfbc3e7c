#include "proxy/routes.hpp"

#include <arpa/inet.h>

namespace orbis::proxy {
namespace {

bool is_numeric(const std::string& host) {
    in6_addr unused{};
    return inet_pton(AF_INET, host.c_str(), &unused) == 1 || inet_pton(AF_INET6, host.c_str(), &unused) == 1;
}

} // namespace

Routes::Routes(net::Loop& loop, net::UdpDriver& driver, const ProxyRules& rules)
    : loop_(loop), driver_(driver), rules_(rules) {
    routes_.push_back(std::make_unique<Route>(Route{{rules.target_name, 0}, rules.targets}));
}

Routes::~Routes() = default;

const Route& Routes::of(const net::Address& local) const {
    const auto at = std::ranges::find_if(routes_, [&](const std::unique_ptr<Route>& route) {
        return route->is_referral && route->listener.family_and_port() == local.family_and_port();
    });
    return at != routes_.end() ? **at : *routes_.front();
}

Result<const Route*> Routes::open(const net::HostPort& to, const net::Address& beside) {
    for (const auto& route : routes_)
        if (route->is_referral && route->host.host == to.host && route->host.port == to.port
            && route->listener.is_same_host(beside) && route->listener.family() == beside.family())
            return route.get();
    if (routes_.size() > rules_.most_referrals)
        return fail(Errc::too_large, "the proxy leads to {} other servers already", rules_.most_referrals);
    auto address = beside;
    address.set_port(0);
    TRY(auto socket, loop_.bind_udp(address, false));
    auto& route =
        *routes_.emplace_back(std::make_unique<Route>(Route{to, {}, false, true, socket.address()}));
    driver_.add(std::move(socket));
    look_up(route);
    return &route;
}

void Routes::look_up(Route& route) {
    // The system may take seconds for a name; others must not wait for it.
    if (!is_numeric(route.host.host)) {
        threads_.emplace_back([this, &route, host = route.host] {
            auto found = net::resolve(host);
            loop_.post([&route, found = std::move(found)]() mutable {
                if (found) route.targets = *std::move(found);
                route.is_looked_up = true;
            });
        });
        return;
    }
    if (auto found = net::resolve(route.host)) route.targets = *std::move(found);
    route.is_looked_up = true;
}

} // namespace orbis::proxy
