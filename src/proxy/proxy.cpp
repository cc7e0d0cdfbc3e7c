#include "proxy/proxy.hpp"

#include "net/session_service_thread.hpp"

namespace orbis::proxy {
namespace {

/// The first byte of an id says which thread it belongs to.
constexpr std::size_t k_most_threads = 256;

} // namespace

Proxy::Proxy(ProxySettings settings, net::Identity identity, ProxyEvents& events, FrameObserver* observer)
    : settings_(std::move(settings)),
      identity_(std::move(identity)),
      shared_(settings_.rules, events, observer) {}

Result<std::unique_ptr<Proxy>> Proxy::start(ProxySettings settings, net::Identity identity,
                                            ProxyEvents& events, FrameObserver* observer,
                                            const Prepare& prepare) {
    std::unique_ptr<Proxy> made(new Proxy(std::move(settings), std::move(identity), events, observer));
    TRY_DO(made->begin(prepare));
    return made;
}

Result<void> Proxy::begin(const Prepare& prepare) {
    const auto count = std::clamp<std::size_t>(settings_.threads, 1, k_most_threads);
    TRY(const auto tls, net::TlsContext::server_of_any_version(identity_));
    for (std::size_t number = 0; number < count; ++number) {
        auto& thread = threads_.emplace_back();
        TRY(thread.loop, net::Loop::make());
        if (number == 0 && prepare) prepare(*thread.loop);
        thread.shard = std::make_unique<ProxyShard>(*thread.loop, shared_, identity_, tls,
                                                    static_cast<std::uint8_t>(number));
        if (const auto& login = shared_.rules.login) {
            TRY(auto service, net::SessionServiceThread::start(
                                  login->service,
                                  [loop = thread.loop.get()](auto task) { loop->post(std::move(task)); }, 1));
            thread.shard->set_service(std::move(service));
        }
        // The first decides about ports that the system chooses; the others share them.
        for (const auto& address : number == 0 ? settings_.addresses : addresses_)
            TRY_DO(thread.shard->listen(address, count > 1));
        if (number == 0) addresses_ = thread.shard->addresses();
        if (count > 1)
            thread.shard->driver().set_forward(
                static_cast<std::uint8_t>(number),
                [this](std::uint8_t to, const net::Path& path, std::uint8_t ecn, Bytes datagram) {
                    if (to < threads_.size()) threads_[to].shard->driver().receive_soon(path, ecn, datagram);
                });
    }
    for (auto& thread : threads_) thread.thread = std::jthread([loop = thread.loop.get()] { loop->run(); });
    return {};
}

Proxy::Figures Proxy::figures() const {
    Figures sum;
    for (const auto& thread : threads_) {
        if (!thread.shard) continue;
        const auto& traffic = thread.shard->traffic();
        sum.held_bytes += thread.shard->held();
        sum.sent_bytes += traffic.sent.bytes;
        sum.sent_datagrams += traffic.sent.datagrams;
        sum.received_bytes += traffic.received.bytes;
        sum.received_datagrams += traffic.received.datagrams;
    }
    return sum;
}

void Proxy::stop(const std::string& reason, net::Duration grace) {
    if (std::exchange(is_stopped_, true)) return;
    const auto deadline = std::chrono::steady_clock::now() + grace;
    if (!reason.empty()) {
        std::atomic<std::size_t> told = 0;
        std::size_t asked = 0;
        for (auto& thread : threads_) {
            if (!thread.thread.joinable()) continue;
            ++asked;
            thread.loop->post([shard = thread.shard.get(), &reason, &told] {
                shard->send_all_away(reason);
                ++told;
            });
        }
        const auto is_done = [&] {
            return told == asked && std::ranges::all_of(threads_, [](const Thread& thread) {
                       return !thread.shard || thread.shard->open_relays() == 0;
                   });
        };
        // The tasks must have run: they refer to what is here.
        while (told < asked || (std::chrono::steady_clock::now() < deadline && !is_done()))
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (auto& thread : threads_)
        if (thread.thread.joinable()) thread.loop->stop();
    for (auto& thread : threads_)
        if (thread.thread.joinable()) thread.thread.join();
    // No thread runs any more: what is left ends in this one. The threads stay to be asked.
    for (auto& thread : threads_) thread.shard.reset();
}

Proxy::~Proxy() { stop({}, net::Duration::zero()); }

} // namespace orbis::proxy
