#pragma once

#include "game/replay/server_script.hpp"
#include "game/replay/server_side.hpp"
#include "net/loop.hpp"
#include "net/quic_connection.hpp"
#include "protocol/frame.hpp"

#include <unordered_set>

namespace orbis::game {

class ServerPlay;

/// What all clients of a replay have in common.
struct ServerPlayContext {
    const ServerSideRules& rules;
    const CapturedConnection& connection;
    net::Loop& loop;
    ServerSideEvents& events;
    std::size_t let_in = 0;         ///< clients, so far
    std::size_t over = 0;           ///< of these
    std::vector<ServerPlay*> all{}; ///< whose connections exist; they enter and leave by themselves

    /// What time it is for those who wait: several times in a tick of the game.
    void tick();
    /// Sends everybody away.
    void stop();
};

/// A client to which the server's side of a captured connection is played. It belongs to its connection.
class ServerPlay final : public net::QuicHandler {
public:
    ServerPlay(ServerPlayContext& context, net::QuicConnection& connection);
    ~ServerPlay() override;
    ServerPlay(const ServerPlay&) = delete;
    ServerPlay& operator=(const ServerPlay&) = delete;

    void tick();
    /// Says why, and closes when that has arrived.
    void send_away(std::string_view why);
    /// Ends it for a reason that the report has, and tells the client.
    void end(std::string problem, std::string advice, std::string_view told);

private:
    void on_data(net::QuicConnection&, net::StreamId stream, Bytes bytes, bool is_end) override;
    void on_reset(net::QuicConnection&, net::StreamId, std::uint64_t) override { leave(); }
    void on_stop_sending(net::QuicConnection&, net::StreamId, std::uint64_t) override { leave(); }
    void on_acked(net::QuicConnection&, net::StreamId) override { advance(); }
    void on_closed(net::QuicConnection&, const net::Close& close) override;

    void on_frame(const protocol::Frame& frame);
    void on_connect(Bytes payload);
    /// The client does not want to hear more.
    void leave();

    /// Does what can be done now.
    void advance();
    /// Both are false while the step has to wait.
    bool hear(const ServerStep& step);
    bool say(const ServerStep& step);
    /// Whether frames on other streams that must come before have arrived.
    [[nodiscard]] bool may_follow(const ServerStep& step) const;
    bool open_streams(std::int64_t up_to);
    [[nodiscard]] net::Time due(std::int64_t time) const;
    void finish();
    void report();
    [[nodiscard]] bool is_playing() const {
        return script_.has_value() && !is_closing_ && connection_.is_open();
    }
    [[nodiscard]] std::size_t held() const;

    ServerPlayContext& context_;
    net::QuicConnection& connection_;
    protocol::FrameDecoder decoder_;
    std::optional<ServerScript> script_; ///< from `Connect` on
    std::optional<ServerStep> next_;
    std::unordered_map<std::int32_t, std::uint64_t> heard_; ///< frames of the client, by packet
    std::unordered_set<std::int32_t> given_up_;             ///< packets that are not waited for any more
    std::int64_t open_streams_ = 0;
    std::uint64_t names_end_ = 0; ///< of stream 0: up to here it must have arrived before others go on
    net::Time begin_;
    net::Time base_;             ///< when what is due at `base_time_` is said
    std::int64_t base_time_ = 0; ///< of the capture
    std::optional<net::Time> waiting_since_;
    std::optional<net::Time> all_said_;
    std::optional<net::Time> all_heard_; ///< the client has acknowledged the last of it
    bool has_connect_ = false;           ///< the client is of the captured build, and waits for an answer
    bool is_goodbye_said_ = false;
    bool has_left_ = false; ///< the client has said so
    bool is_closing_ = false;
    bool is_advancing_ = false;
    net::Close close_;
    net::Time close_by_ = net::k_never;
    PlayedReport report_;
};

} // namespace orbis::game
