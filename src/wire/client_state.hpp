#pragma once

#include "net/client.hpp"
#include "orbis/wire/client.hpp"
#include "wire/outgoing.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace orbis::wire {

/// A connection of a client with its thread. What the thread and its owner share is under `mutex`.
struct ClientState {
    using Phase = net::ClientSession::Phase;

    static Result<std::unique_ptr<ClientState>> start(const net::HostPort& place, net::ClientRules rules,
                                                      net::Duration timeout);
    ~ClientState();

    /// Waits until the server has let the client in.
    Result<void> wait_until_let_in(std::chrono::milliseconds longest);
    /// The next frame, or why there will be none; nothing when the time is over first.
    Result<std::optional<Frame>> receive(std::optional<std::chrono::milliseconds> longest);
    Result<void> send(const net::OutgoingFrame& frame);
    void close(std::string_view reason, CloseCode code);

    // For the handler of the session, in the thread.
    void on_phase(net::ClientSession& session);
    void on_frame(net::ClientSession& session, const protocol::Frame& frame);
    void on_closed(const net::Close& close, const std::optional<std::string>& said);

    mutable std::mutex mutex;
    std::condition_variable changed;
    std::deque<Frame> frames;
    std::size_t kept = 0; ///< bytes of the frames
    bool is_paused = false;
    Phase phase = Phase::connecting;
    std::string note; ///< why the client itself gave up
    std::optional<Ending> ending;

    OnTheWay on_the_way;
    std::atomic<net::Duration> round_trip = net::Duration::zero();

    std::unique_ptr<net::Loop> loop;
    std::optional<net::ClientContext> context;
    std::optional<net::UdpDriver> driver;
    net::ClientSession* session = nullptr; ///< of the thread; null when it is over
    std::jthread thread;

private:
    ClientState() = default;
    void tick();
    void resume_later();
};

} // namespace orbis::wire
