#pragma once

#include "net/link.hpp"
#include "net/password_guard.hpp"

#include <memory>
#include <optional>
#include <string>

namespace orbis::net {

class ServerSession;
class SessionService;

/// What a client has said of itself. Its identity is certain only in `AuthMode::authenticated`.
struct Player {
    protocol::Uuid uuid{};
    std::string name{};
    std::string language{};
    bool is_editor = false;
    Buffer referral_data{};                    ///< from the server that referred it; not checked
    std::optional<HostPort> referral_source{}; ///< that server
};

/// A player from setup on: what the program behind the session does with packets. What it throws ends the
/// session with an internal error.
class SessionHandler {
public:
    virtual ~SessionHandler() = default;
    /// A packet of setup or play that the session does not deal with itself. False when it means nothing
    /// here: the client is disconnected then. The frame is valid during the call only.
    virtual bool on_packet(const protocol::Frame& frame) = 0;
    /// Something that was sent on this channel has arrived: there may be room for more.
    virtual void on_delivered(Channel) {}
    /// The last call.
    virtual void on_closed(const Close&) {}
};

/// The program behind all sessions of a server.
class ServerHandler {
public:
    virtual ~ServerHandler() = default;
    /// Why no player is let in, such as while the server starts or stops; nothing when it is open.
    virtual std::optional<std::string> closed_because() { return {}; }
    /// Why this player is not let in, such as when the server is full; nothing to let it in.
    virtual std::optional<std::string> refuse(const Player&, const PeerFacts&) { return {}; }
    /// This player gave a wrong password, or gave one too early after others.
    virtual void on_password_trouble(const Player&, const PeerFacts&, const PasswordTrouble&) {}
    /// The service that vouches for players, asked from this thread; null if no account is asked for.
    virtual SessionService* session_service() { return nullptr; }
    /// The player has passed all checks: sends `WorldSettings` or a referral, now or soon. Null disconnects.
    /// Where the player replaces an older connection of its own, the handler of that may get `on_closed`
    /// only a few seconds later, and in another thread: what both have in common must be kept by uuid.
    virtual std::unique_ptr<SessionHandler> welcome(ServerSession& session) = 0;
};

} // namespace orbis::net
