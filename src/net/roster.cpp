#include "net/roster.hpp"

namespace orbis::net {

std::optional<Roster::Ticket> Roster::enter(const protocol::Uuid& player, const Address& from, Leave leave) {
    Leave old;
    Ticket ticket = 0;
    {
        const std::lock_guard lock(mutex_);
        const auto at = online_.find(player);
        if (at != online_.end() && !at->second.from.is_same_host(from)) return {};
        ticket = ++tickets_;
        Entry entry{ticket, from, std::move(leave)};
        if (at != online_.end()) {
            old = std::move(at->second.leave);
            at->second = std::move(entry);
        } else {
            online_.emplace(player, std::move(entry));
        }
    }
    if (old) old();
    return ticket;
}

void Roster::leave(const protocol::Uuid& player, Ticket ticket) {
    const std::lock_guard lock(mutex_);
    const auto at = online_.find(player);
    if (at != online_.end() && at->second.ticket == ticket) online_.erase(at);
}

std::size_t Roster::size() const {
    const std::lock_guard lock(mutex_);
    return online_.size();
}

} // namespace orbis::net
