#include "http/connection_watch.hpp"

#include <sys/socket.h>
#include <utility>

namespace orbis::http {

ConnectionWatch::Watched ConnectionWatch::add(int socket, std::string client) {
    const std::lock_guard lock(mutex_);
    std::size_t silent = 0;
    Connection* oldest = nullptr;
    for (auto& other : connections_) {
        if (!is_silent(other) || other.client != client) continue;
        if (oldest == nullptr) oldest = &other;
        ++silent;
    }
    if (oldest != nullptr && silent >= limits_.silent) cut_locked(*oldest);
    return connections_.insert(connections_.end(),
                               {socket, std::move(client), Phase::head, Clock::now(), false});
}

void ConnectionWatch::remove(Watched place) {
    const std::lock_guard lock(mutex_);
    connections_.erase(place);
}

void ConnectionWatch::enter(Watched place, Phase phase) {
    const std::lock_guard lock(mutex_);
    place->phase = phase;
    place->since = Clock::now();
    connections_.splice(connections_.end(), connections_, place);
}

void ConnectionWatch::note_head(Watched place) {
    const std::lock_guard lock(mutex_);
    if (place->phase == Phase::head) return;
    place->phase = Phase::head;
    place->since = Clock::now();
    connections_.splice(connections_.end(), connections_, place);
}

void ConnectionWatch::cut(Watched place) {
    const std::lock_guard lock(mutex_);
    cut_locked(*place);
}

void ConnectionWatch::cut_locked(Connection& connection) {
    if (connection.cut) return;
    connection.cut = true;
    shutdown(connection.socket, SHUT_RDWR);
}

void ConnectionWatch::sweep(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    std::size_t standing = 0;
    for (auto& connection : connections_) {
        const auto age = now - connection.since;
        if ((connection.phase == Phase::head && age > limits_.head)
            || (connection.phase == Phase::idle && age > limits_.idle)
            || (connection.phase == Phase::sending && age > limits_.send))
            cut_locked(connection);
        if (!connection.cut) ++standing;
    }
    // A client that just connected gets the chance to say what it wants.
    const auto crowd = limits_.most / 4 * 3;
    for (auto& connection : connections_) {
        if (standing <= crowd) break;
        if (!is_silent(connection)) continue;
        if (now - connection.since < limits_.newcomer) continue;
        cut_locked(connection);
        --standing;
    }
}

std::size_t ConnectionWatch::size() const {
    const std::lock_guard lock(mutex_);
    return connections_.size();
}

} // namespace orbis::http
