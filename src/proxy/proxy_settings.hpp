#pragma once

#include "net/quic_connection.hpp"
#include "net/rough_path.hpp"
#include "proxy/frame_observer.hpp"
#include "proxy/login.hpp"
#include "proxy/rules.hpp"

#include <atomic>
#include <map>
#include <mutex>

namespace orbis::proxy {

/// What a proxy does with everybody who comes.
struct ProxyRules {
    std::vector<net::Address> targets; ///< of the server: the first that answers
    std::string target_name;           ///< that servers are told if the client names none; may be empty
    std::size_t most_players = 1'000;
    std::size_t most_per_address = 1'000;
    /// What one stream may hold that the other side has not taken, in each direction.
    std::size_t stream_buffer = 4 << 20;
    /// Most bytes per second of one player, both directions together, after a second's worth at once; 0 for
    /// no limit.
    std::uint64_t player_rate = 0;
    net::Duration idle_timeout = std::chrono::seconds(60);
    net::Duration connect_timeout = std::chrono::seconds(5); ///< for each address of the server
    /// What happens when a server refers its player to another one.
    enum class Referrals : std::uint8_t {
        follow, ///< the player comes back to the proxy, which leads them there
        pass,   ///< the player goes there, past the proxy
        forbid, ///< the player is told that it is not allowed
    } referrals = Referrals::follow;
    std::size_t most_referrals = 64; ///< other servers, in each thread
    /// By which players come back; empty for the name or address by which they came.
    std::string public_host{};
    RuleBook book{};              ///< what is done with single frames
    std::optional<Login> login{}; ///< the account for servers that ask for one
    net::RoughConditions rough{}; ///< bad networks to try servers and clients with
};

/// Why a player is gone.
struct Leave {
    enum class By : std::uint8_t { client, server, proxy } by = By::client;
    std::string why; ///< for people
    net::Duration time{};
    std::uint64_t sent_bytes = 0;     ///< by the client
    std::uint64_t received_bytes = 0; ///< by the client
};

/// Hears what happens. Called in the threads of the proxy, by all of them at once.
class ProxyEvents {
public:
    virtual ~ProxyEvents() = default;
    /// The server answers, and it is known who the player is, as far as that can be known.
    virtual void on_join(const PlayerFacts& player) = 0;
    /// After `on_join`.
    virtual void on_leave(const PlayerFacts& player, const Leave& leave) = 0;
    /// A player was turned away, or the server was not reached.
    virtual void on_refused(const PlayerFacts& player, const std::string& why) = 0;
    /// A server sends a player to another one; `back` is where the player comes to instead, if they do.
    virtual void on_referral(const PlayerFacts& player, const net::HostPort& to,
                             const std::optional<net::HostPort>& back) = 0;
    /// A rule shows a frame, as it travels on.
    virtual void on_shown(const PlayerFacts& player, const ShownFrame& frame) = 0;
    /// A rule could not be applied.
    virtual void on_rule_problem(const PlayerFacts& player, const std::string& problem) = 0;
};

/// What the threads of a proxy share.
struct ProxyShared {
    ProxyShared(ProxyRules rules_, ProxyEvents& events_, FrameObserver* observer_ = nullptr)
        : rules(std::move(rules_)), events(events_), observer(observer_) {}

    const ProxyRules rules;
    ProxyEvents& events;
    FrameObserver* const observer;

    std::atomic<std::uint64_t> sessions = 0; ///< that ever were
    std::atomic<std::size_t> players = 0;
    std::atomic<std::uint64_t> joined = 0;
    std::atomic<std::uint64_t> refused = 0;                ///< because of a limit
    std::atomic<std::uint64_t> unreachable = 0;            ///< because the server did not answer
    std::array<std::atomic<std::uint64_t>, 3> left{};      ///< by `Leave::By`
    std::array<std::atomic<std::uint64_t>, 2> forwarded{}; ///< bytes by `End`

    /// Counts a player; nothing when there is room, otherwise why not.
    std::optional<std::string> admit(const net::Address& client);
    void dismiss(const net::Address& client);

private:
    std::mutex mutex_;
    std::map<std::string, std::size_t> by_host_; ///< players, by `mutex_`
};

} // namespace orbis::proxy
