#pragma once

#include "orbis/wire/close.hpp"
#include "orbis/wire/frame.hpp"

#include <chrono>

namespace orbis::wire {

struct PlayerState;
struct ServerState;

/// A player of a server. A value: copies are of the same player. It may outlive the connection and the
/// server; nothing is sent then. All functions may be called by any thread.
class ORBIS_API Player {
public:
    /// What the player calls itself. Nobody has checked it, but that all characters can be printed.
    [[nodiscard]] const std::string& name() const;
    /// The id of the player as text. Nobody has checked it; no two players have the same at once.
    [[nodiscard]] const std::string& uuid() const;
    /// The address that the player has come from, such as `192.0.2.1:5520`.
    [[nodiscard]] const std::string& address() const;
    /// Whether the connection stands.
    [[nodiscard]] bool is_connected() const;
    /// Whether the player is in the world: packets of all channels may be sent then.
    [[nodiscard]] bool is_in_world() const;

    /// Sends a packet, without waiting. Fails if the player is gone, if the packet is not one for clients of
    /// this build, if its channel is not open before the player is in the world, or with `Errc::busy` while
    /// more than 16 MB are on their way: then it was not sent.
    Result<void> send(const Packet& packet) const;
    /// The same for a frame, such as one that another connection has received.
    Result<void> send(const Frame& frame) const;
    /// Bytes that were sent and have not arrived yet.
    [[nodiscard]] std::size_t waiting() const;
    /// Opens the channels for chunks and map, for servers with `ServerOptions::sets_up` off: before
    /// `JoinWorld`.
    Result<void> begin_play() const;
    /// Tells the player why, and closes when that has arrived.
    void disconnect(std::string_view reason, CloseCode code = CloseCode::none) const;

    /// Whether both are the same connection of a player.
    bool operator==(const Player& other) const { return state_ == other.state_; }

private:
    friend struct PlayerState;
    explicit Player(std::shared_ptr<PlayerState> state) : state_(std::move(state)) {}
    std::shared_ptr<PlayerState> state_;
};

/// Something that happened on a server.
struct ServerEvent {
    /// What happened.
    enum class Kind : std::uint8_t {
        joined, ///< the player is there: packets may be sent from here on
        packet, ///< a packet of the player came: `frame`
        left,   ///< the player is gone: `ending`
    };
    Kind kind;                    ///< what happened
    Player player;                ///< with whom
    std::optional<Frame> frame;   ///< of `packet`
    std::optional<Ending> ending; ///< of `left`
};

/// How a server treats its players.
struct ServerOptions {
    std::string password; ///< that players must know; empty: none
    /// Takes players through setup into an empty world by itself, and then says `joined`. Else `joined` comes
    /// as soon as a player is let in, and the program sends `WorldSettings` and what follows it.
    bool sets_up = true;
    /// Files with a certificate and its key (PEM), such as `orbis keys` writes; a new certificate if both are
    /// empty.
    std::string certificate;
    std::string key; ///< of the certificate
};

/// A server for the game's clients, over QUIC. Threads of its own accept players, check their build, name and
/// password, send pings and collect what comes; the program takes one event after another. All functions may
/// be called by any thread. Nobody is asked for an account.
///
///     auto server = orbis::wire::Server::start("localhost:5520");
///     while (auto event = server->receive()) {
///         if (event->frame) std::cout << event->player.name() << ": " << event->frame->name() << '\n';
///     }
///
/// Of each player, up to 4 MB of packets wait to be received; then the player must wait.
class ORBIS_API Server {
public:
    /// Begins to listen at `HOST`, `HOST:PORT` or `[IPV6]:PORT`, at all addresses of this machine if that is
    /// empty. With the port 0 the system chooses one.
    static Result<Server> start(std::string_view address = {}, const ServerOptions& options = {});
    /// Stops as `stop` does.
    ~Server();
    /// The other one is of no use any more.
    Server(Server&& other) noexcept;
    /// Stops this one first.
    Server& operator=(Server&& other) noexcept;

    /// Where it listens: `127.0.0.1:5520`.
    [[nodiscard]] std::vector<std::string> addresses() const;
    /// The fingerprint of its certificate, as `orbis ping` shows it.
    [[nodiscard]] std::string fingerprint() const;

    /// The next event. Waits for it; nothing when the server was stopped and all events were received.
    std::optional<ServerEvent> receive();
    /// The same, but waits no longer than that.
    std::optional<ServerEvent> receive(std::chrono::milliseconds longest);

    /// Tells all players why they must go, waits a moment for that to arrive, and ends. Those who wait in
    /// `receive` go on.
    void stop(std::string_view reason = "The server stops.");

private:
    explicit Server(std::shared_ptr<ServerState> state);
    std::shared_ptr<ServerState> state_;
};

} // namespace orbis::wire
