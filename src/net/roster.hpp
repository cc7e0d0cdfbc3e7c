#pragma once

#include "net/address.hpp"
#include "net/password_guard.hpp"
#include "protocol/types.hpp"

#include <functional>
#include <map>
#include <mutex>

namespace orbis::net {

/// Who is online. A player who comes again from the same host replaces the old connection; one who comes from
/// elsewhere is refused. For any number of threads.
class Roster {
public:
    using Ticket = std::uint64_t;
    /// Asks the old connection to go; called from the thread of the new one.
    using Leave = std::function<void()>;

    /// Nothing when the player is online from another host.
    std::optional<Ticket> enter(const protocol::Uuid& player, const Address& from, Leave leave);
    /// The connection with this ticket is over.
    void leave(const protocol::Uuid& player, Ticket ticket);

    [[nodiscard]] std::size_t size() const;
    /// Guesses of the password, counted over all threads, like the players who are online.
    [[nodiscard]] PasswordGuard& passwords() { return passwords_; }

private:
    struct Entry {
        Ticket ticket;
        Address from;
        Leave leave;
    };
    mutable std::mutex mutex_;
    Ticket tickets_ = 0;
    std::map<protocol::Uuid, Entry> online_;
    PasswordGuard passwords_;
};

} // namespace orbis::net
