#pragma once

#include "game/replay/captured_connection.hpp"
#include "net/address.hpp"
#include "net/time.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orbis::net {
struct Identity;
class Loop;
} // namespace orbis::net

namespace orbis::game {

/// Which connection of which capture is played, to whom and how.
struct ServerSideRules {
    ConnectionWanted connection{};
    std::vector<net::Address> addresses{}; ///< where clients come; with port 0 the system chooses one
    bool is_at_once = false;               ///< as fast as clients take it, not at the times of the capture
    std::size_t clients = 1;               ///< it ends after so many
    /// A client may stay so long after the last frame, then it is sent away.
    net::Duration stay = std::chrono::seconds(10);
    /// So long a client may take for what it must say to go on, and for what it may say.
    net::Duration required_wait = std::chrono::seconds(30);
    net::Duration usual_wait = std::chrono::seconds(2);
};

/// How it went with one client.
struct PlayedReport {
    std::string address{};
    std::uint64_t sent = 0; ///< frames
    std::uint64_t bytes = 0;
    std::uint64_t left_out = 0;            ///< frames that cannot be said again, or of the login of then
    std::uint64_t received = 0;            ///< frames of the client
    std::vector<std::string> unanswered{}; ///< packets that the client did not send as the player did
    bool has_referral = false;             ///< the server sent the player to another one, which is left out
    bool is_complete = false;              ///< it was played to its end
    double seconds = 0;                    ///< from `Connect` to the last frame
    std::optional<std::string> problem{};  ///< why it ended early
    std::string advice{};                  ///< what can be done about that; may be empty
    std::optional<Error> damage{};         ///< where the capture could not be read further

    /// A client may leave when it wants to.
    [[nodiscard]] bool is_fine() const { return !problem && !damage; }
};

/// What happens, for whoever wants to tell it.
class ServerSideEvents {
public:
    virtual ~ServerSideEvents() = default;
    virtual void on_ready(const CapturedConnection& connection,
                          const std::vector<net::Address>& addresses) = 0;
    /// A client that was not let in, and why.
    virtual void on_refused(const net::Address& client, const std::string& why) = 0;
    virtual void on_played(const PlayedReport& report) = 0;
};

/// Listens, and plays to each client what a server said in a captured connection: each frame as it is, on its
/// stream. What the server said after an answer of the player waits until the client has said something of
/// that kind. Returns how many clients were let in; an error if the capture has no such connection or the
/// address cannot be used. Without a loop it makes its own.
Result<std::size_t> replay_server_side(const ServerSideRules& rules, const net::Identity& identity,
                                       ServerSideEvents& events, const std::function<bool()>& is_stopped,
                                       std::shared_ptr<net::Loop> loop = nullptr);

} // namespace orbis::game
