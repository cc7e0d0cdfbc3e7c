#pragma once

#include "net/server.hpp"
#include "orbis/wire/server.hpp"
#include "wire/outgoing.hpp"

#include <condition_variable>
#include <deque>

namespace orbis::wire {

/// A server with the events that nobody has received yet. Players refer to it weakly.
struct ServerState : std::enable_shared_from_this<ServerState> {
    /// Called by the threads of the server.
    void add(ServerEvent event);
    /// Whether so many events wait that nobody else is let in.
    [[nodiscard]] bool is_full() const;
    std::optional<ServerEvent> receive(std::optional<std::chrono::milliseconds> longest);
    void stop(std::string_view reason);

    bool sets_up = true;
    std::string fingerprint;

    mutable std::mutex mutex;
    std::condition_variable changed;
    std::deque<ServerEvent> events;
    bool is_stopped = false;
    std::unique_ptr<net::Server> server; ///< the last, so that its threads end first
};

/// A player as its handles and the thread of its connection see it.
struct PlayerState : std::enable_shared_from_this<PlayerState> {
    std::string name;
    std::string uuid;
    std::string address;
    std::weak_ptr<ServerState> server;
    net::Loop* loop = nullptr; ///< there as long as the server's state

    std::atomic<bool> is_connected = true;
    std::atomic<bool> is_in_world = false;
    std::atomic<std::size_t> kept = 0; ///< bytes of frames that nobody has received
    std::atomic<bool> is_paused = false;
    OnTheWay on_the_way;
    net::ServerSession* session = nullptr; ///< of the thread; null when it is over

    /// Of the thread.
    [[nodiscard]] std::size_t held() const;
    void keep(std::size_t bytes);
    /// Of any thread.
    void received(std::size_t bytes);
    Result<void> send(const net::OutgoingFrame& frame);
    /// Runs a task in the thread of the connection if both are still there; whether the server was.
    bool post(std::move_only_function<void(net::ServerSession&)> task);

    static Player handle(const std::shared_ptr<PlayerState>& state) { return Player(state); }
    static PlayerState& of(const Player& player) { return *player.state_; }
};

/// The handlers for the sessions of one thread.
std::unique_ptr<net::ServerHandler> make_server_handler(ServerState& server, net::Loop& loop);

} // namespace orbis::wire
