#include "proxy/proxy_settings.hpp"

namespace orbis::proxy {

std::optional<std::string> ProxyShared::admit(const net::Address& client) {
    const std::lock_guard lock(mutex_);
    if (players >= rules.most_players) return "The proxy is full.";
    auto& here = by_host_[client.host()];
    if (here >= rules.most_per_address) return "Too many players come from your address.";
    ++here;
    ++players;
    return {};
}

void ProxyShared::dismiss(const net::Address& client) {
    const std::lock_guard lock(mutex_);
    const auto here = by_host_.find(client.host());
    if (here == by_host_.end()) return;
    if (--here->second == 0) by_host_.erase(here);
    --players;
}

} // namespace orbis::proxy
