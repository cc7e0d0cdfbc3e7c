#pragma once

#include "orbis/wire/close.hpp"
#include "orbis/wire/frame.hpp"

#include <chrono>

namespace orbis::wire {

struct ClientState;

/// Who a client says it is, and how far it goes by itself.
struct ClientOptions {
    std::string name = "orbis";     ///< of the player
    std::string uuid;               ///< of the player; random if empty
    std::string password;           ///< for a server that asks; empty: none is known
    std::string language = "en-US"; ///< of the player
    /// Asks for no assets and enters the world as soon as the server allows. Else the program sends what that
    /// takes.
    bool joins = true;
    std::int32_t view_radius = 192;                               ///< in blocks, told by a client that joins
    std::chrono::milliseconds timeout = std::chrono::seconds(30); ///< for being let in
};

/// A connection to a server, over QUIC. A thread of its own answers the server's pings and collects what
/// comes. All functions may be called by any thread. Accounts are not supported: servers that ask for one
/// refuse the client.
///
///     auto client = orbis::wire::Client::connect("localhost");
///     while (auto frame = client->receive()) std::cout << frame->name() << '\n';
///
/// What comes is kept until it is received, up to 64 MB; then the server must wait, and after a while it
/// gives up.
class ORBIS_API Client {
public:
    /// Connects to `HOST`, `HOST:PORT` or `[IPV6]:PORT` and waits until the server has let the client in. The
    /// port of the game is 5520. Every certificate is taken, as the game does it.
    static Result<Client> connect(std::string_view address, const ClientOptions& options = {});
    /// Closes as `close` does.
    ~Client();
    /// The other one is of no use any more.
    Client(Client&& other) noexcept;
    /// Closes the connection of this one first.
    Client& operator=(Client&& other) noexcept;

    /// The next packet that came, those that the library has answered itself included. Waits for it. Fails
    /// when the connection is over and everything was received.
    Result<Frame> receive();
    /// The same, but waits no longer than that: nothing if nothing came.
    Result<std::optional<Frame>> receive(std::chrono::milliseconds longest);

    /// Sends a packet, without waiting. Fails if the connection is over, if the packet is not one for servers
    /// of this build, or with `Errc::busy` while more than 16 MB are on their way: then it was not sent.
    Result<void> send(const Packet& packet);
    /// The same for a frame, such as one that another connection has received.
    Result<void> send(const Frame& frame);
    /// Bytes that were sent and have not arrived yet.
    [[nodiscard]] std::size_t waiting() const;

    /// Whether the player is in the world.
    [[nodiscard]] bool is_in_world() const;
    /// The time to the server and back, as the connection has measured it.
    [[nodiscard]] std::chrono::microseconds round_trip() const;
    /// How the connection ended; nothing while it stands.
    [[nodiscard]] std::optional<Ending> ending() const;

    /// Tells the server why, waits a moment for that to arrive, and closes. What came before can still be
    /// received. Does nothing if the connection is over.
    void close(std::string_view reason = "Player leave", CloseCode code = CloseCode::none);

private:
    explicit Client(std::unique_ptr<ClientState> state);
    std::unique_ptr<ClientState> state_;
};

} // namespace orbis::wire
