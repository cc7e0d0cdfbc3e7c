#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>

namespace orbis::http {

/// Looks after the sockets of a server: clients that take too long are cut off. The server notices as if the
/// client had closed the connection.
class ConnectionWatch {
public:
    using Clock = std::chrono::steady_clock;

    enum class Phase : std::uint8_t {
        head,    ///< new, or a part of a request was read
        idle,    ///< answered, and waits for the next request
        working, ///< the answer is being made
        sending, ///< the answer is on its way
        stream,  ///< an answer without an end: has a bound of its own
    };

    struct Connection {
        int socket = -1;
        std::string client; ///< the address of the other end
        Phase phase = Phase::head;
        Clock::time_point since;
        bool cut = false;
    };
    using Watched = std::list<Connection>::iterator;

    struct Limits {
        std::size_t most = 0;
        std::size_t silent = 0; ///< of one client, that have not asked for anything or have been answered
        Clock::duration head;   ///< from its first byte, or from the beginning of the connection
        Clock::duration idle;
        Clock::duration send;
        Clock::duration newcomer; ///< that must not make room before
    };

    explicit ConnectionWatch(Limits limits) : limits_(limits) {}

    /// Where the client has as many connections as it may have without a request, its oldest one goes: a
    /// client that asks for something at once is served, however many others were opened from there.
    Watched add(int socket, std::string client = {});
    /// To be called before the socket is closed.
    void remove(Watched place);
    void enter(Watched place, Phase phase);
    /// A part of the head of a request has come. Those who send theirs byte by byte get no more time for it.
    void note_head(Watched place);
    /// Cuts this one off.
    void cut(Watched place);
    /// Cuts off those whose time is over, and when most places are taken also the longest idle ones.
    void sweep(Clock::time_point now);
    [[nodiscard]] std::size_t size() const;

private:
    static void cut_locked(Connection& connection);
    static bool is_silent(const Connection& connection) {
        return !connection.cut && (connection.phase == Phase::head || connection.phase == Phase::idle);
    }

    Limits limits_;
    mutable std::mutex mutex_;
    std::list<Connection> connections_; ///< longest in its phase first
};

} // namespace orbis::http
