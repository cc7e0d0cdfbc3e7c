#pragma once

#include "net/server_shard.hpp"

#include <mutex>
#include <thread>

namespace orbis::net {

struct Identity;

/// A server on one or more threads. With several, each has sockets of its own on the same port, and the first
/// byte of a connection id says whose connection it is: a datagram that comes to another thread, as when a
/// client's address changes, is passed on.
class Server {
public:
    /// The program behind the sessions of one thread; made before the threads begin, called by its own only.
    using MakeHandler = std::function<std::unique_ptr<ServerHandler>(Loop& loop, std::size_t thread)>;

    static Result<std::unique_ptr<Server>> start(ServerSettings settings, const Identity& identity,
                                                 MakeHandler make);
    /// Stops as `stop` does, without a reason.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] const std::vector<Address>& addresses() const { return addresses_; }
    /// Connections that existed a moment ago, those on their way out included. Any thread may ask.
    [[nodiscard]] std::size_t connections() const;
    [[nodiscard]] Roster& roster() { return roster_; }
    /// What has gone through the sockets so far, of QUIC. Any thread may ask.
    struct Traffic {
        std::uint64_t sent_bytes = 0;
        std::uint64_t sent_datagrams = 0;
        std::uint64_t received_bytes = 0;
        std::uint64_t received_datagrams = 0;
    };
    [[nodiscard]] Traffic traffic() const;
    /// Asks those who come from now on for another password; for none if it is empty. Any thread may call
    /// it.
    void set_password(const std::string& password);

    /// Tells all clients why they must go, waits until they know, but not longer than `grace`, and ends.
    /// Every handler got `on_closed` when it returns. Not to be called by a handler.
    void stop(std::string reason, Duration grace = std::chrono::seconds(2));

private:
    struct Thread {
        std::unique_ptr<Loop> loop;
        std::unique_ptr<ServerHandler> handler;
        std::unique_ptr<ServerShard> shard;
        std::jthread thread;
    };

    explicit Server(ServerSettings settings) : settings_(std::move(settings)) {}
    Result<void> begin(const Identity& identity, const MakeHandler& make);

    ServerSettings settings_;
    Roster roster_;
    std::vector<Address> addresses_;
    std::vector<Thread> threads_;
    std::mutex stopping_; ///< a second call waits for the first
    bool is_stopped_ = false;
};

/// The sockets of a wildcard bind: IPv6 where the host has it, and IPv4.
std::vector<Address> any_addresses(std::uint16_t port);

} // namespace orbis::net
