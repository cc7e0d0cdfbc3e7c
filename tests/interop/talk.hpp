#pragma once

#include "interop/game_frames.hpp"
#include "net/loop.hpp"
#include "net/quic_connection.hpp"
#include "protocol/arena.hpp"
#include "protocol/frame.hpp"

#include <map>

namespace orbis::test {

/// How one side of a test connection behaves (docs/design/interop.md).
struct TalkRules {
    bool is_server = false;
    /// A client closes with this when everything has come, a server when it hears ClientReady. Without it a
    /// client says ClientReady, a server does nothing, and both wait.
    std::optional<net::Close> close;
    /// A client that does not wait until the server has confirmed the handshake: its first bytes travel with
    /// the end of its own.
    bool is_early = false;
    /// A client that tries to open streams that a server of the game does not allow.
    bool wants_more_streams = false;
};

/// One side of a test connection; tells as JSON lines what happens. Must outlive its connection.
class Talk {
public:
    Talk(net::Loop& loop, TalkRules rules, GameFrames frames)
        : loop_(loop), rules_(std::move(rules)), frames_(std::move(frames)) {}

    /// To be given to the connection.
    std::unique_ptr<net::QuicHandler> handler();
    [[nodiscard]] bool is_over() const { return is_over_; }

private:
    class Handler;
    struct Received {
        Buffer bytes;
        int pieces = 0; ///< in which they came
        protocol::FrameDecoder decoder;
        std::map<std::int32_t, int> packets;
    };

    void tell_handshake() const;
    void begin();
    void take(net::StreamId id, Bytes bytes);
    void take(const protocol::Frame& frame);
    void answer();
    void end_if_complete();
    void end(const net::Close& close);
    void write_in_pieces(Bytes frame, std::size_t size, std::size_t next);
    void fault(std::string_view text);
    Received& received(net::StreamId id);

    net::Loop& loop_;
    TalkRules rules_;
    GameFrames frames_;
    net::QuicConnection* connection_ = nullptr;
    std::map<net::StreamId, Received> received_;
    protocol::Arena arena_;
    bool is_complete_ = false;
    bool is_over_ = false;
};

} // namespace orbis::test
