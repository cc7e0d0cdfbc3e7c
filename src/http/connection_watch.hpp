#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>

namespace orbis::http {

/// Looks after the sockets of a server: who takes too long is cut off. The server notices as if the client
/// had closed the connection.
class ConnectionWatch {
public:
    using Clock = std::chrono::steady_clock;

    enum class Phase : std::uint8_t {
        idle,    ///< nothing or a part of a request was read
        working, ///< the answer is being made
        sending, ///< the answer is on its way
        stream,  ///< an answer without an end: has a bound of its own
    };

    struct Connection {
        int socket = -1;
        Phase phase = Phase::idle;
        Clock::time_point since;
        bool cut = false;
    };
    using Place = std::list<Connection>::iterator;

    struct Limits {
        std::size_t most = 0;
        Clock::duration idle;
        Clock::duration send;
        Clock::duration newcomer; ///< that nobody makes room before
    };

    explicit ConnectionWatch(Limits limits) : limits_(limits) {}

    Place add(int socket);
    /// To be called before the socket is closed.
    void remove(Place place);
    void enter(Place place, Phase phase);
    /// Cuts this one off.
    void cut(Place place);
    /// Cuts off those whose time is over, and when most places are taken also the longest idle ones.
    void sweep(Clock::time_point now);
    [[nodiscard]] std::size_t size() const;

private:
    static void cut_locked(Connection& connection);

    Limits limits_;
    mutable std::mutex mutex_;
    std::list<Connection> connections_; ///< longest in its phase first
};

} // namespace orbis::http
