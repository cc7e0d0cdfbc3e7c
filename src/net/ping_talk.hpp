#pragma once

#include "net/client_session.hpp"
#include "net/quic_link.hpp"

namespace orbis::net {

/// What a server has said to a ping.
struct PingTalk {
    ClientSession* session = nullptr; ///< null when it is over
    std::optional<Time> asked{};      ///< when `Connect` was sent
    std::optional<Time> answered{};   ///< when the first packet came
    bool was_let_in = false;
    bool was_asked_for_account = false;
    bool was_asked_for_password = false;
    std::optional<int> attempts_left{};   ///< the password was refused
    std::optional<std::string> refusal{}; ///< of a Disconnect packet
    std::optional<std::string> problem{}; ///< what the session found wrong
    std::optional<Close> close{};

    /// The server has said all that is asked for.
    [[nodiscard]] bool is_done() const {
        return close || was_let_in || was_asked_for_account || attempts_left || refusal;
    }
};

/// A session that asks to be let in and leaves as soon as it is.
std::unique_ptr<ClientSession> make_ping_session(ClientContext& context, PingTalk& talk, ClientRules rules,
                                                 Link& link);

class PingWatch;

/// What was seen of a QUIC connection.
struct PingWatched {
    PingWatch* connection = nullptr; ///< null when it is over
    Time start{};
    std::optional<Time> handshake{}; ///< when TLS was done
    std::optional<Time> confirmed{}; ///< when the server had accepted our certificate
    std::string cipher{};
    std::string protocol{};
    Buffer certificate{}; ///< DER
    std::optional<Close> close{};

    /// Whether QUIC itself worked, whatever TLS made of it.
    [[nodiscard]] bool has_begun() const;
};

/// Stands between a connection and its link: notes what happens, and keeps the link from sending `Connect`
/// until the round trips are measured.
class PingWatch final : public QuicHandler {
public:
    PingWatch(ClientContext& context, PingWatched& watched, PingTalk& talk, QuicConnection& connection,
              ClientRules rules);

    /// The mean of QUIC.
    [[nodiscard]] Duration round_trip() const { return connection_.round_trip(); }
    /// Lets the session begin.
    void release() { below().on_confirmed(connection_); }
    /// Ends the connection before a session has begun.
    void give_up() { connection_.close(Close::application(CloseCode::none)); }

private:
    void on_handshake(QuicConnection& connection) override;
    void on_confirmed(QuicConnection&) override { watched_.confirmed = clock_.now(); }
    void on_data(QuicConnection& connection, StreamId stream, Bytes bytes, bool is_end) override {
        below().on_data(connection, stream, bytes, is_end);
    }
    void on_reset(QuicConnection& connection, StreamId stream, std::uint64_t code) override {
        below().on_reset(connection, stream, code);
    }
    void on_stop_sending(QuicConnection& connection, StreamId stream, std::uint64_t code) override {
        below().on_stop_sending(connection, stream, code);
    }
    void on_acked(QuicConnection& connection, StreamId stream) override {
        below().on_acked(connection, stream);
    }
    void on_closed(QuicConnection& connection, const Close& close) override;

    QuicHandler& below() { return link_; }

    const Clock& clock_;
    PingWatched& watched_;
    QuicConnection& connection_;
    QuicLink link_;
};

} // namespace orbis::net
