#include "net/server_shard.hpp"

#include <cerrno>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

constexpr Duration k_shard_tick = 50ms;

} // namespace

ServerShard::ServerShard(Loop& loop, const ServerSettings& settings, std::shared_ptr<TlsContext> tls,
                         ServerHandler& handler, Roster& roster, std::uint8_t number)
    : loop_(loop),
      settings_(settings),
      rules_(settings.rules),
      context_{loop,   tools_,
               rules_, handler,
               roster, [&loop](std::move_only_function<void()> task) { loop.post(std::move(task)); }},
      driver_(loop, {.shard = number, .most_connections = settings.most_connections}) {
    if (tls)
        driver_.endpoint().listen(std::move(tls), settings_.quic, [this](QuicConnection& connection) {
            auto link = std::make_unique<QuicLink>(Side::server, connection, loop_, settings_.limits,
                                                   tools_.decompressor);
            if (settings_.capture) link->set_tap(std::make_unique<CaptureTap>(settings_.capture));
            link->set_user(std::make_unique<ServerSession>(context_, *link));
            ++connections_;
            return link;
        });
    timer_ = loop_.after(k_shard_tick, [this] { tick(); });
}

ServerShard::~ServerShard() {
    loop_.cancel(timer_);
    // All are told of the end: handlers now, clients as far as the network takes it at once.
    const auto end = Close::application(CloseCode::none);
    driver_.endpoint().close_all(end);
    driver_.turn();
    for (const auto& link : tcp_links_) link->close(end);
    for (const auto& listener : listeners_) loop_.unwatch(listener.descriptor());
}

Result<void> ServerShard::listen(const Address& address, bool shares_port) {
    if (settings_.transport == ServerSettings::Transport::quic) {
        TRY(auto socket, loop_.bind_udp(address, shares_port));
        driver_.add(std::move(socket));
        return {};
    }
    TRY(auto socket, listen_tcp(address));
    listeners_.push_back(std::move(socket));
    watch_listeners();
    return {};
}

void ServerShard::watch_listeners() {
    is_accepting_ = true;
    for (std::size_t at = 0; at < listeners_.size(); ++at)
        loop_.watch(listeners_[at].descriptor(), true, false, [this, at](bool, bool) {
            if (accept(listeners_[at])) return;
            // They would be ready all the time; the next tick looks again.
            is_accepting_ = false;
            for (const auto& listener : listeners_) loop_.unwatch(listener.descriptor());
        });
}

std::vector<Address> ServerShard::addresses() const {
    auto found = driver_.addresses();
    for (const auto& listener : listeners_) found.push_back(listener.address());
    return found;
}

bool ServerShard::accept(const Socket& listener) {
    Address peer;
    while (tcp_links_.size() < settings_.most_connections) {
        auto socket = accept_tcp(listener, peer);
        if (!socket)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNABORTED;
        auto link = std::make_unique<TcpLink>(Side::server, *std::move(socket), peer, loop_, settings_.limits,
                                              tools_.decompressor);
        if (settings_.capture) link->set_tap(std::make_unique<CaptureTap>(settings_.capture));
        link->set_user(std::make_unique<ServerSession>(context_, *link));
        tcp_links_.push_back(std::move(link));
        tcp_links_.back()->start();
        ++connections_;
    }
    return false;
}

void ServerShard::tick() {
    context_.tick();
    std::erase_if(tcp_links_, [](const std::unique_ptr<TcpLink>& link) { return link->is_gone(); });
    connections_ = driver_.endpoint().connections() + tcp_links_.size();
    if (!is_accepting_ && !listeners_.empty() && tcp_links_.size() < settings_.most_connections)
        watch_listeners();
    timer_ = loop_.after(k_shard_tick, [this] { tick(); });
}

void ServerShard::disconnect_all(std::string_view reason) {
    const std::vector<ServerSession*> sessions(context_.sessions.begin(), context_.sessions.end());
    for (auto* session : sessions) session->disconnect(reason);
}

} // namespace orbis::net
