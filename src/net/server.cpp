#include "net/server.hpp"

#include "net/identity.hpp"

namespace orbis::net {
namespace {

/// The first byte of an id says which thread it belongs to.
constexpr std::size_t k_most_threads = 256;

} // namespace

std::vector<Address> any_addresses(std::uint16_t port) {
    // A host without IPv6 cannot open such a socket; asking is the only way to know.
    if (UdpSocket::bind(Address::any_v6(0))) return {Address::any_v6(port), Address::any_v4(port)};
    return {Address::any_v4(port)};
}

Result<std::unique_ptr<Server>> Server::start(ServerSettings settings, const Identity& identity,
                                              MakeHandler make) {
    std::unique_ptr<Server> made(new Server(std::move(settings)));
    TRY_DO(made->begin(identity, make));
    return made;
}

Result<void> Server::begin(const Identity& identity, const MakeHandler& make) {
    settings_.quic.idle_timeout = settings_.rules.times.play; // as the game has it
    const bool is_quic = settings_.transport == ServerSettings::Transport::quic;
    const auto count = is_quic ? std::clamp<std::size_t>(settings_.threads, 1, k_most_threads) : 1;
    std::shared_ptr<TlsContext> tls;
    if (is_quic) {
        TRY(tls, TlsContext::server(identity));
    }
    for (std::size_t number = 0; number < count; ++number) {
        auto& thread = threads_.emplace_back();
        TRY(thread.loop, Loop::make());
        thread.handler = make(*thread.loop, number);
        thread.shard = std::make_unique<ServerShard>(*thread.loop, settings_, tls, *thread.handler, roster_,
                                                     static_cast<std::uint8_t>(number));
        // The first decides about ports that the system chooses; the others share them.
        for (const auto& address : number == 0 ? settings_.addresses : addresses_)
            TRY_DO(thread.shard->listen(address, count > 1));
        if (number == 0) addresses_ = thread.shard->addresses();
        if (count > 1)
            thread.shard->driver().set_forward(
                static_cast<std::uint8_t>(number),
                [this](std::uint8_t to, const Path& path, std::uint8_t ecn, Bytes datagram) {
                    if (to < threads_.size()) threads_[to].shard->driver().receive_soon(path, ecn, datagram);
                });
    }
    for (auto& thread : threads_) thread.thread = std::jthread([loop = thread.loop.get()] { loop->run(); });
    return {};
}

std::size_t Server::connections() const {
    std::size_t sum = 0;
    for (const auto& thread : threads_)
        if (thread.shard) sum += thread.shard->connections();
    return sum;
}

Server::Traffic Server::traffic() const {
    Traffic sum;
    for (const auto& thread : threads_) {
        if (!thread.shard) continue;
        const auto& traffic = thread.shard->traffic();
        sum.sent_bytes += traffic.sent.bytes;
        sum.sent_datagrams += traffic.sent.datagrams;
        sum.received_bytes += traffic.received.bytes;
        sum.received_datagrams += traffic.received.datagrams;
    }
    return sum;
}

void Server::set_password(const std::string& password) {
    for (auto& thread : threads_)
        thread.loop->post([shard = thread.shard.get(), password] { shard->set_password(password); });
}

void Server::stop(std::string reason, Duration grace) {
    const std::lock_guard lock(stopping_);
    if (std::exchange(is_stopped_, true)) return;
    const auto deadline = std::chrono::steady_clock::now() + grace;
    for (auto& thread : threads_)
        if (thread.thread.joinable() && !reason.empty())
            thread.loop->post([shard = thread.shard.get(), reason] { shard->disconnect_all(reason); });
    if (!reason.empty())
        while (std::chrono::steady_clock::now() < deadline && connections() > 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (auto& thread : threads_)
        if (thread.thread.joinable()) thread.loop->stop();
    for (auto& thread : threads_)
        if (thread.thread.joinable()) thread.thread.join();
    // No thread runs any more: what is left ends in this one. The threads stay to be asked.
    for (auto& thread : threads_) thread.shard.reset();
}

Server::~Server() { stop({}, Duration::zero()); }

} // namespace orbis::net
