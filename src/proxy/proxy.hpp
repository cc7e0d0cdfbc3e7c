#pragma once

#include "net/identity.hpp"
#include "proxy/proxy_shard.hpp"

#include <thread>

namespace orbis::proxy {

/// Where a proxy listens, and how.
struct ProxySettings {
    std::vector<net::Address> addresses{};
    std::size_t threads = 1;
    ProxyRules rules{};
};

/// A proxy on one or more threads. A player has both connections in one thread.
class Proxy {
public:
    /// Called with the first loop before the threads begin.
    using Prepare = std::function<void(net::Loop& loop)>;

    /// Clients and servers are shown the same certificate. `events` and `observer` must outlive this.
    static Result<std::unique_ptr<Proxy>> start(ProxySettings settings, net::Identity identity,
                                                ProxyEvents& events, FrameObserver* observer = nullptr,
                                                const Prepare& prepare = {});
    /// Stops as `stop` does, without a reason.
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    [[nodiscard]] const std::vector<net::Address>& addresses() const { return addresses_; }
    [[nodiscard]] net::Loop& loop() { return *threads_.front().loop; }
    [[nodiscard]] const ProxyShared& shared() const { return shared_; }

    struct Figures {
        std::size_t held_bytes = 0;
        std::uint64_t sent_bytes = 0;
        std::uint64_t sent_datagrams = 0;
        std::uint64_t received_bytes = 0;
        std::uint64_t received_datagrams = 0;
    };
    /// As of a moment ago. Any thread may ask.
    [[nodiscard]] Figures figures() const;

    /// Tells all clients why they must go, waits until they know, but not longer than `grace`, and ends. For
    /// any thread but those of the proxy.
    void stop(const std::string& reason, net::Duration grace = std::chrono::seconds(2));

private:
    struct Thread {
        std::unique_ptr<net::Loop> loop;
        std::unique_ptr<ProxyShard> shard;
        std::jthread thread;
    };

    Proxy(ProxySettings settings, net::Identity identity, ProxyEvents& events, FrameObserver* observer);
    Result<void> begin(const Prepare& prepare);

    ProxySettings settings_;
    const net::Identity identity_;
    ProxyShared shared_;
    std::vector<net::Address> addresses_;
    std::vector<Thread> threads_;
    bool is_stopped_ = false;
};

} // namespace orbis::proxy
