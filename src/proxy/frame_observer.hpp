#pragma once

#include "net/address.hpp"
#include "net/quic_connection.hpp"
#include "protocol/catalogue.hpp"
#include "protocol/types.hpp"

#include <chrono>

namespace orbis::proxy {

/// The two connections of a player through the proxy; as a direction, the one that bytes come from.
enum class End : std::uint8_t { client, server };

constexpr End other(End end) { return end == End::client ? End::server : End::client; }

/// What is known of a player who comes through the proxy.
struct PlayerFacts {
    std::uint64_t number = 0;                   ///< of the session, from 1 on, in all threads of the proxy
    net::Address client;                        ///< where the player comes from
    net::Address proxy;                         ///< where they came to
    net::Address server;                        ///< where they were led
    std::string server_name;                    ///< that the client asked for; may be empty
    std::string protocol;                       ///< `hytale/2` for example
    const protocol::BuildInfo* build = nullptr; ///< null while it is not known, or if nobody here knows it
    std::string version{};                      ///< as the client says
    std::string name{};                         ///< empty while it is not known
    std::optional<protocol::Uuid> uuid{};
};

/// What an observer sees of a stream.
struct Sighting {
    enum class Kind : std::uint8_t {
        frame, ///< one whole frame with its header
        part,  ///< the next piece of a frame that is too large to be held
        bytes, ///< what is no frame: from the first header on that cannot be one, or the beginning of a frame
               ///< whose stream ended
    };

    const PlayerFacts& player;
    End from;
    net::StreamId stream;
    Kind kind;
    Bytes bytes; ///< valid during the call
    std::chrono::sys_time<net::Duration> time;
};

/// How long the ways of a player's two connections take there and back, as the transport estimates it.
struct RoundTrips {
    const PlayerFacts& player;
    net::Duration client{}; ///< zero before the first measurement
    net::Duration server{};
    std::chrono::sys_time<net::Duration> time;
};

/// Sees everything that players and servers say to each other, as it came, before it is forwarded. Called in
/// the threads of the proxy, by all of them at once.
class FrameObserver {
public:
    virtual ~FrameObserver() = default;
    virtual void on_sighting(const Sighting& sighting) = 0;
    /// Once a second for each player.
    virtual void on_round_trips(const RoundTrips& /*trips*/) {}
};

} // namespace orbis::proxy
